import LarderEngine

/// Appends records to columns, batch by batch: the core of preparation.
final class TraceBuilder {
  private(set) var count = 0
  /// Maximum number of requests that `Request.nextUse` can represent.
  static let requestsMax = 4_294_967_294
  private let requestsMax: Int
  private var kept: TraceColumns
  private let hashed: KeyTable
  private var direct: DirectTable?
  private let ids: GrowableColumn<ObjectID>
  private let sizes: GrowableColumn<UInt32>
  private let times: GrowableColumn<UInt64>
  private let operations: GrowableColumn<UInt8>
  private let ttls: GrowableColumn<UInt32>
  private let costs: GrowableColumn<Float>
  private let prompts: GrowableColumn<UInt32>
  private var footprint: UInt64 = 0
  private var lastTime: UInt64 = 0
  private var timesRaised = 0
  private let sizeRule: SizeRule
  /// 1 for a request of unknown size. Empty as long as all are known.
  private let unknown: GrowableColumn<UInt8>
  private var hasUnknown = false
  private var sizesCut = 0
  private var hasUnknownCosts = false

  init(
    columns: TraceColumns, keyLimit: Int?, sizeRule: SizeRule = .logged,
    memory: MemoryBudget = .machine, requestsMax: Int = TraceBuilder.requestsMax,
    spillingTo folder: String? = nil
  ) throws(TraceError) {
    (self.sizeRule, self.requestsMax, kept) = (sizeRule, requestsMax, columns)
    hashed = try KeyTable(memory: memory)
    if let keyLimit, keyLimit <= DirectTable.limitMaximum {
      direct = try DirectTable(limit: keyLimit)
    }
    ids = try GrowableColumn(in: folder)
    sizes = try GrowableColumn(capacity: 1, in: folder)
    times = try GrowableColumn(capacity: 1, in: folder)
    operations = try GrowableColumn(capacity: 1, in: folder)
    ttls = try GrowableColumn(capacity: 1, in: folder)
    costs = try GrowableColumn(capacity: 1, in: folder)
    prompts = try GrowableColumn(capacity: 1, in: folder)
    unknown = try GrowableColumn(capacity: 1)
  }

  func add(_ batch: UnsafeBufferPointer<TraceRecord>) throws(TraceError) {
    guard let records = batch.baseAddress else { return }
    guard count + batch.count <= requestsMax else {
      throw TraceError(
        "more than \(requestsMax) requests", in: "preparation", advice: MemoryBudget.sampleAdvice)
    }
    try ids.reserve(count + batch.count)
    if direct != nil {
      footprint &+= try direct?.number(records, count: batch.count, into: ids.base + count) ?? 0
    } else {
      footprint &+= try hashed.number(records, count: batch.count, into: ids.base + count)
    }
    try addColumns(records, batch.count)
  }

  private func addColumns(_ records: UnsafePointer<TraceRecord>, _ size: Int) throws(TraceError) {
    if kept.contains(.size) {
      try sizes.reserve(count + size)
      let column = sizes.base + count
      var (areKnown, cut) = (true, 0)
      for i in 0..<size {
        column[i] = records[i].size
        cut &+= records[i].size == .max ? 1 : 0
        areKnown = areKnown && records[i].isSizeKnown
      }
      sizesCut += cut
      if !areKnown || hasUnknown { try markUnknown(records, size) }
    }
    if kept.contains(.time) { try addTimes(records, size) }
    if kept.contains(.operation) { try add(records, size, \.operation, to: operations) }
    if kept.contains(.ttl) { try add(records, size, \.ttl, to: ttls) }
    if kept.contains(.cost) {
      try add(records, size, \.cost, to: costs)
      if !hasUnknownCosts { hasUnknownCosts = (0..<size).contains { records[$0].cost < 0 } }
    }
    if kept.contains(.prompt) { try add(records, size, \.prompt, to: prompts) }
    count += size
  }

  @inline(__always) private func add<Element>(
    _ records: UnsafePointer<TraceRecord>, _ size: Int, _ field: KeyPath<TraceRecord, Element>,
    to column: GrowableColumn<Element>
  ) throws(TraceError) {
    try column.reserve(count + size)
    let base = column.base + count
    for i in 0..<size { base[i] = records[i][keyPath: field] }
  }

  @inline(__always) private func addTimes(
    _ records: UnsafePointer<TraceRecord>, _ size: Int
  ) throws(TraceError) {
    try times.reserve(count + size)
    let column = times.base + count
    var (last, raised) = (lastTime, 0)
    for i in 0..<size {
      let time = records[i].time
      raised &+= time < last ? 1 : 0
      last = max(last, time)
      column[i] = last
    }
    lastTime = last
    timesRaised += raised
  }

  @inline(never) private func markUnknown(
    _ records: UnsafePointer<TraceRecord>, _ size: Int
  ) throws(TraceError) {
    try unknown.reserve(count + size)
    for i in 0..<size where !records[i].isSizeKnown { unknown.base[count + i] = 1 }
    hasUnknown = true
  }

  /// Resolves sizes; nil if none is known.
  private func resolveSizes(_ objects: Int) throws(TraceError) -> SizeFacts? {
    if hasUnknown { try unknown.reserve(count) }
    let facts = try SizeResolution(
      sizeRule, count: count, objects: objects, ids: ids.base, sizes: sizes.base,
      operations: kept.contains(.operation) ? operations.base : nil,
      unknown: hasUnknown ? unknown.base : nil
    ).resolve()
    footprint = 0
    var objects: ObjectID = 0
    // Ids come in order of first appearance, so the next new one is known.
    for index in 0..<count where ids.base[index] > objects {
      objects += 1
      footprint &+= UInt64(sizes.base[index])
    }
    return facts
  }

  func finish(
    name: String, reading: ReadingFacts = ReadingFacts()
  ) throws(TraceError) -> PreparedTrace {
    let objects = direct?.count ?? hashed.count
    var reading = reading
    if kept.contains(.size), sizeRule != .logged || hasUnknown, count > 0 {
      reading.sizes = try resolveSizes(objects)
      if reading.sizes == nil { kept.remove(.size) }
    }
    if kept.contains(.cost), hasUnknownCosts {
      let filled = try CostResolution.resolve(
        costs.base, count: count, ids: ids.base, objects: objects)
      if let filled { reading.costsFilled = filled } else { kept.remove(.cost) }
    }
    reading.sizesCut = sizesCut
    reading.timesSorted -= min(reading.timesSorted, timesRaised)
    // The first request always begins a prompt, by default of one block.
    if kept.contains(.prompt), count > 0, prompts.base[0] == 0 { prompts.base[0] = 513 }
    let storage = ColumnStorage()
    func column<Element>(
      _ column: GrowableColumn<Element>, _ kind: TraceColumns
    ) -> UnsafePointer<Element>? {
      kept.contains(kind) ? storage.adopt(column, count: count) : nil
    }
    let columns = RequestColumns(
      count: count, objects: objects, ids: storage.adopt(ids, count: count),
      sizes: column(sizes, .size), times: column(times, .time),
      operations: column(operations, .operation), ttls: column(ttls, .ttl),
      costs: column(costs, .cost), owner: storage)
    return PreparedTrace(
      name: name, requests: columns,
      footprint: Footprint(
        of: columns, all: kept.contains(.size) ? footprint : UInt64(objects)),
      timesRaised: timesRaised, reading: reading, prompts: column(prompts, .prompt))
  }
}
