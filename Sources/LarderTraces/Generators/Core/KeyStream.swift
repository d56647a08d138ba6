/// An endless sequence of keys: all that most synthetic generators are.
protocol KeyStream: Sendable {
  /// The next key.
  mutating func next() -> UInt64
}

extension KeyStream {
  /// Fills the buffer with gets. One call a batch, so that the loop is specialised for the stream.
  mutating func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) {
    for index in buffer.indices { buffer[index] = TraceRecord(key: next()) }
  }
}

/// The records of a stream of keys.
final class KeyCursor<Stream: KeyStream>: RecordCursor {
  private var stream: Stream

  init(_ stream: Stream) { self.stream = stream }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) -> Int {
    stream.fill(buffer)
    return buffer.count
  }
}
