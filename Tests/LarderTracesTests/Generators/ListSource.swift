@testable import LarderTraces

/// Fixed records, pushed in small batches: a trace for phases and mixes.
struct ListSource: RecordSource {
  var columns: TraceColumns = [.time]
  var list: [TraceRecord]
  var batch = 3
  var failure: TraceError?

  func records(into sink: RecordSink) throws {
    var start = 0
    while start < list.count {
      let end = min(start + batch, list.count)
      guard try Array(list[start..<end]).withUnsafeBufferPointer(sink) else { return }
      start = end
    }
    if let failure { throw failure }
  }
}
