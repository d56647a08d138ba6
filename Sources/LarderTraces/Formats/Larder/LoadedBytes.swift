/// Bytes that could not be mapped, such as those of a compressed file.
final class LoadedBytes: @unchecked Sendable {
  // Unchecked: nobody writes to the memory once it is made.
  /// The bytes.
  let bytes: UnsafeRawBufferPointer

  private let memory: PageMemory

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
    let memory = column.finish(count: count)
    bytes = UnsafeRawBufferPointer(start: memory.base, count: count)
    self.memory = memory
  }
}
