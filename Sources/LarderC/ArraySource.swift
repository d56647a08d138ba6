import CLarder
import LarderEngine
import LarderTraces

/// Columns in a caller's memory as a source of records. They are read where they are.
struct ArraySource: RecordSource, @unchecked Sendable {
  // Unchecked: the memory is the caller's, who leaves it alone during the call.
  private let count: Int
  private let ids: ArrayColumn
  private let sizes: ArrayColumn?
  private let times: ArrayColumn?
  private let operations: ArrayColumn?
  private let ttls: ArrayColumn?
  private let costs: ArrayColumn?

  /// One more than the largest key, where keys are small enough for a direct table.
  let keyLimit: Int?

  /// A source of the records in columns.
  ///
  /// - Throws: `CallError` for a column that is missing or cannot be read.
  /// - Complexity: O(requests): the largest key is looked for.
  init(_ columns: larder_columns) throws(CallError) {
    guard let count = Int(exactly: columns.count), count > 0 else {
      throw .column("count", columns.count == 0 ? "there are no requests" : "is out of range")
    }
    guard let ids = try ArrayColumn(columns.ids, "ids", count: count) else { throw .null("ids") }
    sizes = try Self.whole(columns.sizes, "sizes", count)
    times = try Self.whole(columns.times, "times", count)
    operations = try Self.whole(columns.operations, "operations", count)
    ttls = try Self.whole(columns.ttls, "ttls", count)
    costs = try ArrayColumn(columns.costs, "costs", count: count)
    guard ids.isWhole else { throw .column("ids", "expected whole numbers, found fractions") }
    self.count = count
    self.ids = ids
    keyLimit = Self.keyLimit(ids, count)
  }

  private static func whole(
    _ column: larder_column, _ name: String, _ count: Int
  ) throws(CallError) -> ArrayColumn? {
    let column = try ArrayColumn(column, name, count: count)
    if let column, !column.isWhole {
      throw .column(name, "expected whole numbers, found fractions")
    }
    return column
  }

  /// A table with a place for each key pays where keys are not much more than requests.
  private static func keyLimit(_ ids: ArrayColumn, _ count: Int) -> Int? {
    var largest: UInt64 = 0
    ids.keys(0..<count) { largest = max(largest, $1) }
    let bound = UInt64(min(max(count, 1 << 16), 1 << 28))
    return largest < bound ? Int(largest) + 1 : nil
  }

  /// The columns that are there.
  var columns: TraceColumns {
    var columns: TraceColumns = []
    if sizes != nil { columns.insert(.size) }
    if times != nil { columns.insert(.time) }
    if operations != nil { columns.insert(.operation) }
    if ttls != nil { columns.insert(.ttl) }
    if costs != nil { columns.insert(.cost) }
    return columns
  }

  /// All of them.
  var requestCount: Int? { count }

  /// Hands all records to `sink`, in batches, until it wants no more. O(requests).
  func records(into sink: RecordSink) throws {
    let batch = UnsafeMutablePointer<TraceRecord>.allocate(capacity: RecordBatch.capacity)
    defer { batch.deallocate() }
    batch.initialize(repeating: TraceRecord(key: 0), count: RecordBatch.capacity)
    var start = 0
    while start < count {
      let range = start..<min(start + RecordBatch.capacity, count)
      try fill(batch, range)
      guard try sink(UnsafeBufferPointer(start: batch, count: range.count)) else { return }
      start = range.upperBound
    }
  }

  private func fill(
    _ batch: UnsafeMutablePointer<TraceRecord>, _ range: Range<Int>
  ) throws(CallError) {
    let start = range.lowerBound
    let largest = UInt64(UInt32.max)
    ids.keys(range) { batch[$0 - start].key = $1 }
    try sizes?.values(range, upTo: largest, "a size from 0 to \(largest) bytes") {
      batch[$0 - start].size = UInt32(truncatingIfNeeded: $1)
    }
    try times?.values(range, upTo: UInt64(Int64.max), "a time from 0 in microseconds") {
      batch[$0 - start].time = $1
    }
    let last = UInt64(Operation.allCases.count - 1)
    try operations?.values(range, upTo: last, "an operation from 0 to \(last)") {
      batch[$0 - start].operation = UInt8(truncatingIfNeeded: $1)
    }
    try ttls?.values(range, upTo: largest, "a time to live from 0 to \(largest) seconds") {
      batch[$0 - start].ttl = UInt32(truncatingIfNeeded: $1)
    }
    try costs?.numbers(range) { batch[$0 - start].cost = $1 }
  }
}
