import LarderEngine

struct TraceBuilder: ~Copyable {
  private(set) var count = 0

  /// Maximum number of requests that `Request.nextUse` can represent.
  static let requestsMax = 4_294_967_294

  private let requestsMax: Int
  private let kept: TraceColumns
  private var hashed: KeyTable
  private var direct: DirectTable?
  private var ids: GrowableColumn<ObjectID>
  private var sizes: GrowableColumn<UInt32>
  private var times: GrowableColumn<UInt64>
  private var operations: GrowableColumn<UInt8>
  private var ttls: GrowableColumn<UInt32>
  private var costs: GrowableColumn<Float>
  private var prompts: GrowableColumn<UInt32>
  private var footprint: UInt64 = 0
  private var lastTime: UInt64 = 0
  private var timesRaised = 0
  private let sizeRule: SizeRule
  /// 1 for a request of unknown size. Empty as long as all are known.
  private var unknown: GrowableColumn<UInt8>
  private var hasUnknown = false
  private var sizesCut = 0
  private var hasUnknownCosts = false

  init(
    columns: TraceColumns, keyLimit: Int?, sizeRule: SizeRule = .logged,
    memory: MemoryBudget = .machine, requestsMax: Int = TraceBuilder.requestsMax,
    spillingTo folder: String? = nil
  ) throws(TraceError) {
    // Stored in locals first: everything that can fail must come before the parts of a noncopyable
    // value.
    let hashed = try KeyTable(memory: memory)
    let direct = try TraceBuilder.directTable(keyLimit)
    let ids = try GrowableColumn<ObjectID>(in: folder)
    let sizes = try GrowableColumn<UInt32>(capacity: 1, in: folder)
    let times = try GrowableColumn<UInt64>(capacity: 1, in: folder)
    let operations = try GrowableColumn<UInt8>(capacity: 1, in: folder)
    let ttls = try GrowableColumn<UInt32>(capacity: 1, in: folder)
    let costs = try GrowableColumn<Float>(capacity: 1, in: folder)
    let prompts = try GrowableColumn<UInt32>(capacity: 1, in: folder)
    let unknown = try GrowableColumn<UInt8>(capacity: 1)
    self.unknown = unknown
    self.sizeRule = sizeRule
    self.requestsMax = requestsMax
    kept = columns
    self.hashed = hashed
    self.direct = direct
    self.ids = ids
    self.sizes = sizes
    self.times = times
    self.operations = operations
    self.ttls = ttls
    self.costs = costs
    self.prompts = prompts
  }

  private static func directTable(_ keyLimit: Int?) throws(TraceError) -> DirectTable? {
    guard let keyLimit, keyLimit <= DirectTable.limitMaximum else { return nil }
    return try DirectTable(limit: keyLimit)
  }

  mutating func add(_ batch: UnsafeBufferPointer<TraceRecord>) throws(TraceError) {
    guard let records = batch.baseAddress else { return }
    try makeRoom(for: batch.count)
    if direct != nil {
      footprint &+= try direct?.number(records, count: batch.count, into: ids.base + count) ?? 0
    } else {
      footprint &+= try hashed.number(records, count: batch.count, into: ids.base + count)
    }
    try addColumns(records, batch.count)
  }

  private mutating func makeRoom(for more: Int) throws(TraceError) {
    guard count + more <= requestsMax else {
      throw TraceError(
        "more than \(requestsMax) requests", in: "preparation",
        advice: "use a part of the trace, or read a sample of its objects: --sample 1/100")
    }
    try ids.reserve(count + more)
  }

  private mutating func addColumns(
    _ records: UnsafePointer<TraceRecord>, _ size: Int
  ) throws(TraceError) {
    let (start, total) = (count, count + size)
    if kept.contains(.size) {
      try sizes.reserve(total)
      let column = sizes.base + start
      var areKnown = true
      for i in 0..<size {
        column[i] = records[i].size
        sizesCut &+= records[i].size == .max ? 1 : 0
        areKnown = areKnown && records[i].isSizeKnown
      }
      if !areKnown || hasUnknown { try markUnknown(records, size) }
    }
    if kept.contains(.time) { try addTimes(records, size) }
    if kept.contains(.operation) {
      try Self.add(records, size, \.operation, to: &operations, start)
    }
    if kept.contains(.ttl) { try Self.add(records, size, \.ttl, to: &ttls, start) }
    if kept.contains(.cost) {
      try costs.reserve(total)
      let column = costs.base + start
      for i in 0..<size {
        column[i] = records[i].cost
        hasUnknownCosts = hasUnknownCosts || records[i].cost < 0
      }
    }
    if kept.contains(.prompt) { try Self.add(records, size, \.prompt, to: &prompts, start) }
    count = total
  }

  @inline(__always) private static func add<Element>(
    _ records: UnsafePointer<TraceRecord>, _ size: Int, _ field: KeyPath<TraceRecord, Element>,
    to column: inout GrowableColumn<Element>, _ start: Int
  ) throws(TraceError) {
    try column.reserve(start + size)
    for i in 0..<size { column.base[start + i] = records[i][keyPath: field] }
  }

  @inline(__always) private mutating func addTimes(
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

  @inline(never) private mutating func markUnknown(
    _ records: UnsafePointer<TraceRecord>, _ size: Int
  ) throws(TraceError) {
    try unknown.reserve(count + size)
    for i in 0..<size where !records[i].isSizeKnown { unknown.base[count + i] = 1 }
    hasUnknown = true
  }

  private mutating func resolveSizes(_ objects: Int) throws(TraceError) -> SizeFacts? {
    if hasUnknown { try unknown.reserve(count) }
    let resolution = try SizeResolution(
      sizeRule, count: count, objects: objects, ids: ids.base, sizes: sizes.base,
      operations: kept.contains(.operation) ? operations.base : nil,
      unknown: hasUnknown ? unknown.base : nil)
    let facts = try resolution.resolve()
    footprint = 0
    var objects: ObjectID = 0
    // Ids come in order of first appearance, so the next new one is known.
    for index in 0..<count where ids.base[index] > objects {
      objects += 1
      footprint &+= UInt64(sizes.base[index])
    }
    return facts
  }

  consuming func finish(
    name: String, reading: ReadingFacts = ReadingFacts()
  ) throws(TraceError) -> PreparedTrace {
    let objects = direct?.count ?? hashed.count
    var (reading, kept) = (reading, kept)
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
    let storage = ColumnStorage()
    let (count, footprint, raised) = (count, footprint, timesRaised)
    var columns = RequestColumns(
      count: count, objects: objects, ids: storage.adopt(ids, count: count), owner: storage)
    if kept.contains(.size) { columns.sizes = storage.adopt(sizes, count: count) }
    if kept.contains(.time) { columns.times = storage.adopt(times, count: count) }
    if kept.contains(.operation) { columns.operations = storage.adopt(operations, count: count) }
    if kept.contains(.ttl) { columns.ttls = storage.adopt(ttls, count: count) }
    if kept.contains(.cost) { columns.costs = storage.adopt(costs, count: count) }
    // The first request always begins a prompt, by default of one block.
    if kept.contains(.prompt), count > 0, prompts.base[0] == 0 { prompts.base[0] = 513 }
    return PreparedTrace(
      name: name, requests: columns,
      footprint: Footprint(
        of: columns, all: kept.contains(.size) ? footprint : UInt64(objects)),
      timesRaised: raised, reading: reading,
      prompts: kept.contains(.prompt) ? storage.adopt(prompts, count: count) : nil)
  }
}
