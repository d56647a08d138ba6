#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Bytes that could not be mapped, such as those of a compressed file.
final class LoadedBytes: @unchecked Sendable {
  // Unchecked: nobody writes to the memory once it is made.
  /// The bytes.
  let bytes: UnsafeRawBufferPointer

  /// Reads a source to its end.
  ///
  /// - Complexity: O(bytes).
  init(_ reader: ByteReader) throws(TraceError) {
    var column = try GrowableColumn<UInt8>(capacity: 1 << 20)
    var count = 0
    while try reader.fill(atLeast: 1) {
      try column.reserve(count + reader.unreadCount)
      (column.base + count).update(
        from: reader.unread.assumingMemoryBound(to: UInt8.self), count: reader.unreadCount)
      count += reader.unreadCount
      reader.consume(reader.unreadCount)
    }
    bytes = UnsafeRawBufferPointer(start: column.finish(count: count), count: count)
  }

  deinit { UnsafeMutableRawPointer(mutating: bytes.baseAddress).map { free($0) } }
}
