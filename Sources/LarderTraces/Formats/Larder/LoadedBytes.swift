/// A prepared trace file in memory of our own: nobody else can change it.
final class LoadedBytes: @unchecked Sendable {
  // Unchecked: nobody writes to the memory once it is made.
  /// The bytes.
  let bytes: UnsafeRawBufferPointer

  private let memory: PageMemory

  /// Reads a source from its beginning to the end that the file's header names.
  ///
  /// - Throws: `TraceError` for a header that cannot be, for more bytes than it says, and when they
  ///   do not fit into memory. Fewer are for whoever reads the content to find.
  /// - Complexity: O(bytes).
  init(_ reader: ByteReader, memory budget: MemoryBudget = .machine) throws(TraceError) {
    let isLonger = try reader.fill(atLeast: FormatSample.length)
    let length = try LarderLayout(
      decoding: reader.bytes, fileLength: isLonger ? nil : reader.unreadCount, path: reader.path
    ).fileLength
    try budget.check(
      UInt64(length), for: "its columns", in: reader.path,
      advice: "use a machine with more memory, or a shorter trace")
    let column = try GrowableColumn<UInt8>(capacity: max(1, length))
    var count = 0
    while count < length, try reader.fill(atLeast: 1) {
      let part = min(reader.unreadCount, length - count)
      (column.base + count).update(
        from: reader.unread.assumingMemoryBound(to: UInt8.self), count: part)
      count += part
      reader.consume(part)
    }
    if try reader.fill(atLeast: 1) {
      throw TraceError(
        "expected the end of the prepared trace after \(length) bytes, found more",
        in: reader.path, at: .byte(length), advice: "convert the original trace again")
    }
    let memory = column.finish(count: count)
    bytes = UnsafeRawBufferPointer(start: memory.base, count: count)
    self.memory = memory
  }
}
