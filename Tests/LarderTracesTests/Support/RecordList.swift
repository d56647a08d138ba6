@testable import LarderTraces

/// Records in memory as a source, in batches of any size.
struct RecordList: RecordSource {
  var list: [TraceRecord]
  var columns: TraceColumns = [.size, .time]
  var keyLimit: Int?
  var batch = 1000
  /// Error after the records.
  var failure: TraceError?

  func records(into sink: RecordSink) throws {
    var start = 0
    while start < list.count {
      let end = min(list.count, start + batch)
      let goesOn = try list[start..<end].withUnsafeBufferPointer { try sink($0) }
      if !goesOn { return }
      start = end
    }
    if let failure { throw failure }
  }
}

func allRecords(_ source: some RecordSource) throws -> [TraceRecord] {
  var records: [TraceRecord] = []
  try source.records { batch in
    records += batch
    return true
  }
  return records
}
