/// A source of records that are made, not read: any number of equal runs from one plan.
struct GeneratedSource: RecordSource {
  let columns: TraceColumns
  let keyLimit: Int?
  let requestCount: Int?
  /// Starts a run from the beginning.
  let makeCursor: @Sendable () throws -> any RecordCursor

  /// Records in a batch: 64 KiB of them, which stay in the second-level cache while several passes
  /// fill their columns.
  static let batch = 2048

  func records(into sink: RecordSink) throws {
    let cursor = try makeCursor()
    let buffer = UnsafeMutableBufferPointer<TraceRecord>.allocate(capacity: Self.batch)
    defer { buffer.deallocate() }
    while true {
      let count = try cursor.fill(buffer)
      guard count > 0, try sink(UnsafeBufferPointer(rebasing: buffer[..<count])) else { return }
    }
  }
}
