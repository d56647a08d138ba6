import CLarder
import LarderEngine
import LarderTraces

/// Columns in a caller's memory as a source of records, without a copy.
struct ArraySource: RecordSource, @unchecked Sendable {
  // Unchecked: the memory is the caller's, who must not change it during the call.
  private let count: Int
  private let ids: ArrayColumn
  private let sizes: ArrayColumn?
  private let times: ArrayColumn?
  private let operations: ArrayColumn?
  private let ttls: ArrayColumn?
  private let costs: ArrayColumn?

  /// One more than the largest key, if keys are small enough for a direct table.
  let keyLimit: Int?

  init(_ columns: larder_columns) throws(CallError) {
    guard let count = Int(exactly: columns.count), count > 0 else {
      throw .column("count", columns.count == 0 ? "there are no requests" : "is out of range")
    }
    guard let ids = try Self.whole(columns.ids, "ids", count) else { throw .null("ids") }
    sizes = try Self.whole(columns.sizes, "sizes", count)
    times = try Self.whole(columns.times, "times", count)
    operations = try Self.whole(columns.operations, "operations", count)
    ttls = try Self.whole(columns.ttls, "ttls", count)
    costs = try ArrayColumn(columns.costs, "costs", count: count)
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

  private static func keyLimit(_ ids: ArrayColumn, _ count: Int) -> Int? {
    var largest: UInt64 = 0
    ids.keys(0..<count) { largest = max(largest, $1) }
    let bound = UInt64(min(max(count, 1 << 16), 1 << 28))
    return largest < bound ? Int(largest) + 1 : nil
  }

  var columns: TraceColumns {
    var columns: TraceColumns = []
    if sizes != nil { columns.insert(.size) }
    if times != nil { columns.insert(.time) }
    if operations != nil { columns.insert(.operation) }
    if ttls != nil { columns.insert(.ttl) }
    if costs != nil { columns.insert(.cost) }
    return columns
  }

  var requestCount: Int? { count }

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

struct ArrayColumn {
  let name: String
  private let base: UnsafeRawPointer
  private let stride: Int
  private let type: ElementType

  private enum ElementType: Int32 {
    case int8 = 1
    case int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64
  }

  init?(_ column: larder_column, _ name: String, count: Int) throws(CallError) {
    guard let values = column.values else { return nil }
    guard let type = ElementType(rawValue: column.type) else {
      throw .column(name, "unknown type \(column.type) of elements")
    }
    guard let stride = Int(exactly: column.stride) else {
      throw .column(name, "the stride \(column.stride) is out of range")
    }
    // The last element must have an address; whether it belongs to the caller cannot be checked.
    let (extent, overflows) = stride.magnitude.multipliedReportingOverflow(by: count.magnitude)
    guard !overflows, extent < UInt(Int.max) / 2 else {
      throw .column(name, "\(count) elements at a stride of \(stride) exceed the address space")
    }
    self.name = name
    self.type = type
    self.stride = stride
    base = values
  }

  var isWhole: Bool { type != .float32 && type != .float64 }

  /// The bits of whole numbers, for keys: negative ones become large ones.
  func keys(_ range: Range<Int>, _ body: (Int, UInt64) -> Void) {
    whole(range) { index, value in
      body(index, value.bits)
      return true
    }
  }

  func values(
    _ range: Range<Int>, upTo limit: UInt64, _ expected: String, _ body: (Int, UInt64) -> Void
  ) throws(CallError) {
    var wrong: (index: Int, value: WholeNumber)?
    whole(range) { index, value in
      guard !value.isNegative, value.bits <= limit else {
        wrong = (index, value)
        return false
      }
      body(index, value.bits)
      return true
    }
    if let wrong { throw .element(name, wrong.index, "\(wrong.value) is not \(expected)") }
  }

  func numbers(_ range: Range<Int>, _ body: (Int, Float) -> Void) throws(CallError) {
    var wrong: (index: Int, value: Double)?
    func take(_ index: Int, _ value: Double) -> Bool {
      guard value >= 0, Float(value).isFinite else {
        wrong = (index, value)
        return false
      }
      body(index, Float(value))
      return true
    }
    switch type {
    case .float32: each(range, Float.self) { take($0, Double($1)) }
    case .float64: each(range, Double.self) { take($0, $1) }
    default: whole(range) { take($0, $1.isNegative ? -1 : Double($1.bits)) }
    }
    if let wrong {
      throw .element(name, wrong.index, "\(wrong.value) is not a finite number from 0")
    }
  }

  private struct WholeNumber: CustomStringConvertible {
    let bits: UInt64
    let isNegative: Bool
    var description: String { isNegative ? "\(Int64(bitPattern: bits))" : "\(bits)" }
  }

  /// Calls `body` with whole numbers until it returns false; does nothing for other types.
  @inline(__always) private func whole(_ range: Range<Int>, _ body: (Int, WholeNumber) -> Bool) {
    switch type {
    case .int8: whole(range, Int8.self, body)
    case .int16: whole(range, Int16.self, body)
    case .int32: whole(range, Int32.self, body)
    case .int64: whole(range, Int64.self, body)
    case .uint8: whole(range, UInt8.self, body)
    case .uint16: whole(range, UInt16.self, body)
    case .uint32: whole(range, UInt32.self, body)
    case .uint64: whole(range, UInt64.self, body)
    case .float32, .float64: break
    }
  }

  @inline(__always) private func whole<Number: FixedWidthInteger & BitwiseCopyable>(
    _ range: Range<Int>, _ number: Number.Type, _ body: (Int, WholeNumber) -> Bool
  ) {
    each(range, number) { index, value in
      body(index, WholeNumber(bits: UInt64(truncatingIfNeeded: value), isNegative: value < 0))
    }
  }

  @inline(__always) private func each<Element: BitwiseCopyable>(
    _ range: Range<Int>, _ element: Element.Type, _ body: (Int, Element) -> Bool
  ) {
    var address = base + range.lowerBound * stride
    for index in range {
      guard body(index, address.loadUnaligned(as: Element.self)) else { return }
      address += stride
    }
  }
}

/// The requests of a sample of the objects of a trace.
struct SampledSource: RecordSource {
  private let trace: PreparedTrace
  private let sample: SpatialSample

  init(_ trace: PreparedTrace, rate: Double, seed: UInt64) throws(CallError) {
    guard rate > 0, rate <= 1 else {
      throw .number("rate", "\(rate)", expected: "a share of the objects above 0 and at most 1")
    }
    self.trace = trace
    sample = SpatialSample(rate: rate, seed: seed)
  }

  var columns: TraceColumns { trace.columns }

  var keyLimit: Int? { trace.requests.objects + 1 }

  var samplingRate: Double { sample.rate * trace.sampling.rate }

  var reading: ReadingFacts {
    var facts = ReadingFacts()
    let requests = trace.requests
    let gets =
      trace.sampling.isPart
      ? trace.sampling.gets
      : requests.operations.map { operations in
        UInt64((0..<requests.count).count { Operation.isCounted(operations[$0]) })
      } ?? UInt64(requests.count)
    facts.sampling = TraceSampling(rate: samplingRate, gets: gets)
    return facts
  }

  func records(into sink: RecordSink) throws {
    var positions: [Int] = []
    var start = 0
    try PreparedSource(trace).records { batch in
      positions.removeAll(keepingCapacity: true)
      sample.select(in: start..<start + batch.count, of: trace.requests, into: &positions)
      let chosen = positions.map { batch[$0 - start] }
      start += batch.count
      return try chosen.isEmpty || chosen.withUnsafeBufferPointer(sink)
    }
  }
}
