/// A decoder of records that all have the same number of bytes: any piece of a file can be decoded
/// without what is before it, and so in any thread.
protocol FixedWidthDecoder: TraceDecoder {
  /// Bytes of a record, at least 1.
  var recordSize: Int { get }

  /// Takes what is before the first record.
  ///
  /// - Throws: `TraceError` when it is not what it should be.
  func begin(_ reader: ByteReader) throws(TraceError)

  /// Decodes `count` records. Returns how many: fewer where the next one is damaged.
  func decode(
    _ bytes: UnsafeRawPointer, count: Int, into records: UnsafeMutablePointer<TraceRecord>
  ) -> Int

  /// What is wrong with a record at which `decode` ended.
  func damage(
    at bytes: UnsafeRawPointer, in path: String, offset: Int
  ) -> TraceError
}

extension FixedWidthDecoder {
  /// Nothing.
  func begin(_ reader: ByteReader) throws(TraceError) {}

  /// For decoders that understand whatever there is.
  func damage(at bytes: UnsafeRawPointer, in path: String, offset: Int) -> TraceError {
    TraceError("the record is damaged", in: path, at: .byte(offset))
  }

  func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
    try begin(reader)
    let size = recordSize
    while try reader.fill(atLeast: size) {
      let count = min(reader.unreadCount / size, RecordBatch.capacity)
      let decoded = decode(reader.unread, count: count, into: batch.records)
      guard decoded == count else {
        throw damage(
          at: reader.unread + decoded * size, in: reader.path,
          offset: reader.offset + decoded * size)
      }
      reader.consume(count * size)
      batch.count = count
      guard try batch.flush() else { return }
    }
    if let error = leftOver(reader.unreadCount, in: reader.path, offset: reader.offset) {
      throw error
    }
  }

  /// What to say of the bytes behind the last whole record; nil where there are none.
  func leftOver(_ count: Int, in path: String, offset: Int) -> TraceError? {
    guard count > 0 else { return nil }
    return TraceError(
      "the last record has \(count) of \(recordSize) bytes", in: path, at: .byte(offset),
      advice: "the file is truncated or has another format")
  }
}
