/// A place in a sequence of records from which the next ones can be drawn. Unlike a `RecordSource`,
/// which pushes, cursors can be interleaved and put one after another.
protocol RecordCursor: AnyObject {
  /// Writes the next records from the buffer's beginning on and returns how many, 0 at the end. A
  /// cursor may return fewer than would fit although more follow. The buffer is never empty.
  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) throws -> Int
}
