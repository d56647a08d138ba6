import LarderTraces

/// A trace given by a test.
struct RecordList: RecordSource {
  let columns: TraceColumns
  let list: [TraceRecord]

  func records(into sink: RecordSink) throws {
    _ = try list.withUnsafeBufferPointer { try sink($0) }
  }
}
