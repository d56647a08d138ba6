import CLarderShims
import LarderEngine
internal import LarderSupport

/// A trace in the form that simulations read: dense ids and the columns of the source.
public final class PreparedTrace: Sendable {
  /// Name for results: the file name without folders, or the generator's name.
  public let name: String
  /// Columns of the requests; their owner is the storage, so they can outlive this object.
  public let requests: RequestColumns
  /// Per request, one more than the prompt's tokens if it begins a prompt, and 0 if it continues
  /// one; nil if the trace has no prompts. Valid as long as the columns.
  package nonisolated(unsafe) let prompts: UnsafePointer<UInt32>?
  /// Requests that were given the time of the previous one, so that times never decrease.
  package let timesRaised: Int
  let footprint: Footprint
  /// Findings from reading the trace's file; empty for other traces.
  package let reading: ReadingFacts
  private let withNextUsesCache = Locked<PreparedTrace?>(nil)
  private let tailFirstCache = Locked<PreparedTrace?>(nil)

  init(
    name: String, requests: RequestColumns, footprint: Footprint, timesRaised: Int = 0,
    reading: ReadingFacts = ReadingFacts(), prompts: UnsafePointer<UInt32>? = nil
  ) {
    (self.name, self.requests, self.footprint) = (name, requests, footprint)
    (self.timesRaised, self.reading, self.prompts) = (timesRaised, reading, prompts)
  }

  /// Total size of the objects that a cache may store, each by its first request that stores it or
  /// that a stored copy answers; the number of those objects if the trace has no sizes.
  public var footprintBytes: UInt64 { footprint.bytes }

  /// Number of objects that a cache may store: those with a request other than one that bypasses
  /// caches, deletes, or changes the object at the origin.
  package var storableObjects: Int { footprint.objects }

  package var sampling: TraceSampling { reading.sampling }

  package var hasSizes: Bool { requests.sizes != nil }

  /// Columns of the trace in addition to the ids.
  package var columns: TraceColumns {
    TraceColumns(LarderColumn.allCases.filter { bytes(of: $0) != nil }.map(\.trace))
  }

  /// Memory of a column; nil if the trace does not have it.
  func bytes(of column: LarderColumn) -> UnsafeRawBufferPointer? {
    let start: UnsafeRawPointer? =
      switch column {
      case .ids: UnsafeRawPointer(requests.ids)
      case .sizes: requests.sizes.map { UnsafeRawPointer($0) }
      case .times: requests.times.map { UnsafeRawPointer($0) }
      case .operations: requests.operations.map { UnsafeRawPointer($0) }
      case .ttls: requests.ttls.map { UnsafeRawPointer($0) }
      case .costs: requests.costs.map { UnsafeRawPointer($0) }
      case .prompts: prompts.map { UnsafeRawPointer($0) }
      }
    return start.map {
      UnsafeRawBufferPointer(start: $0, count: requests.count * column.elementSize)
    }
  }

  /// Notes for readers of the trace's results: values that were resolved, reordered or skipped when
  /// it was read. Empty if there are none.
  public var notes: [String] {
    var notes = reading.notes(objects: requests.objects)
    if timesRaised > 0 {
      notes.append(
        "\(NumberText.counted(timesRaised, "request")) had a time before that of the previous "
          + "request and \(timesRaised == 1 ? "was" : "were") set to that time.")
    }
    if footprint.bypasses > 0 {
      let share = SizeFacts.share(footprint.bypasses, of: footprint.counted)
      notes.append(
        "\(footprint.bypasses) of \(footprint.counted) requests (\(share)) may not be answered by "
          + "a cache (writes, statuses, no-store): every hit ratio counts them as misses.")
    }
    return notes
  }
}

struct Footprint: Sendable, Hashable {
  private(set) var objects: Int
  private(set) var bytes: UInt64
  /// Total size of all objects by their first request, whatever its operation.
  let all: UInt64
  /// Number of requests that no cache may answer, and of all that hit ratios count.
  private(set) var (bypasses, counted): (Int, Int) = (0, 0)

  init(of columns: RequestColumns, all bytes: UInt64) {
    (objects, self.bytes, all) = (columns.objects, bytes, bytes)
    guard let operations = columns.operations else { return }
    // Every other operation has a larger number.
    let last = max(Operation.get.rawValue, Operation.set.rawValue)
    guard (0..<columns.count).contains(where: { operations[$0] > last }) else { return }
    (objects, self.bytes) = (0, 0)
    var isSeen = [Bool](repeating: false, count: columns.objects + 1)
    isSeen.withUnsafeMutableBufferPointer { isSeen in
      for index in 0..<columns.count {
        if Operation.isCounted(operations[index]) { counted += 1 }
        if operations[index] == Operation.bypass.rawValue { bypasses += 1 }
        if operations[index] > last { continue }
        let id = Int(columns.ids[index])
        if isSeen[id] { continue }
        isSeen[id] = true
        objects += 1
        self.bytes &+= UInt64(columns.sizes?[index] ?? 1)
      }
    }
  }
}

extension PreparedTrace {
  /// Called during preparation with the number of requests so far, about every million requests.
  /// Its errors end the preparation.
  public typealias Progress = (_ requests: Int) throws -> Void

  /// Chooses columns to keep from the available ones; others take no memory.
  public typealias ColumnChoice = (_ available: TraceColumns) -> TraceColumns

  /// Reads a source to its end and assigns dense ids to its objects in order of first appearance.
  /// - Throws: any error of the source; `TraceError` for more than 2^32 - 2 distinct objects and
  ///   for insufficient memory.
  public static func prepare(
    source: some RecordSource, name: String, keeping wanted: ColumnChoice = { $0 },
    progress: Progress? = nil
  ) throws -> PreparedTrace {
    try prepare(
      source: source, name: name, keeping: wanted, memory: .machine, progress: progress)
  }

  /// With a folder, columns are in unnamed files there, for a trace that is only read in order.
  static func prepare(
    source: some RecordSource, name: String, keeping wanted: ColumnChoice = { $0 },
    memory: MemoryBudget, spillingTo folder: String? = nil, progress: Progress? = nil
  ) throws -> PreparedTrace {
    // A destination may be a device, whose folder takes no files.
    let folder = folder.flatMap { SpillFile.works(in: $0) ? $0 : nil }
    let columns = wanted(source.columns)
    if let requests = source.requestCount, folder == nil {
      try memory.check(
        UInt64(requests) * UInt64(columns.bytesPerRequest), for: "\(requests) requests", in: name,
        advice: "generate fewer requests")
    }
    let builder = try TraceBuilder(
      columns: columns, keyLimit: source.keyLimit, sizeRule: source.sizeRule, memory: memory,
      spillingTo: folder)
    var reported = 0
    do {
      try source.records { batch in
        try builder.add(batch)
        guard builder.count - reported >= 1 << 20 else { return true }
        reported = builder.count
        try memory.checkReserve(after: reported, in: name)
        try progress?(reported)
        return true
      }
    } catch var error as TraceError where error.source == "preparation" {
      error.source = name
      throw error
    }
    return try builder.finish(name: name, reading: source.reading)
  }

  /// Reads a trace file, compressed or not. A prepared one (format `larder`) is validated and used
  /// directly. If it is not compressed and larger than half of the available memory, it is mapped,
  /// and must not be modified or shortened while the trace is in use.
  /// - Throws: `TraceError` for the file, `ComponentError` for the format.
  public static func load(
    path: String, format: ComponentSpec? = nil, keeping wanted: ColumnChoice = { $0 },
    progress: Progress? = nil
  ) throws -> PreparedTrace {
    try load(FileSource(path: path, format: format), keeping: wanted, progress: progress)
  }

  /// Reads the files of a reference as one trace; see `load(path:)`.
  public static func load(
    _ reference: TraceReference, keeping wanted: ColumnChoice = { $0 }, progress: Progress? = nil
  ) throws -> PreparedTrace {
    try load(FileSource(reference), keeping: wanted, progress: progress)
  }

  /// Reads a trace file that has been opened; see `load(path:)`. The way to read a pipe, which
  /// cannot be opened twice.
  public static func load(
    _ source: FileSource, keeping wanted: ColumnChoice = { $0 }, spillingTo folder: String? = nil,
    progress: Progress? = nil
  ) throws -> PreparedTrace {
    let trace =
      try source.prepared()
      ?? prepare(
        source: source, name: source.name, keeping: wanted, memory: .machine, spillingTo: folder,
        progress: progress)
    if trace.requests.count == 0 { throw trace.reading.noRequests(in: source.path) }
    return trace
  }
}

extension PreparedTrace {
  /// Some requests as a trace of their own, with new ids, without next uses and prompts.
  package func requests(at positions: [Int]) throws(TraceError) -> PreparedTrace {
    let storage = ColumnStorage()
    let numbers = try GrowableColumn<ObjectID>(capacity: requests.objects + 1)
    let ids = try GrowableColumn<ObjectID>(capacity: max(1, positions.count))
    var objects: ObjectID = 0
    var footprint: UInt64 = 0
    for (place, position) in positions.enumerated() {
      let id = Int(requests.ids[position])
      if numbers.base[id] == 0 {
        objects += 1
        numbers.base[id] = objects
        footprint &+= UInt64(requests.sizes?[position] ?? 1)
      }
      ids.base[place] = numbers.base[id]
    }
    let columns = try requests.gathered(
      positions, ids: storage.adopt(ids, count: positions.count), objects: Int(objects), storage)
    return PreparedTrace(
      name: name, requests: columns, footprint: Footprint(of: columns, all: footprint))
  }

  /// The trace with the next use of each request's object, for offline policies: the index of the
  /// next get that a copy kept from here on could answer. A copy that is set again or deleted first
  /// answers none; changes at the origin are ignored, because caches do not see them.
  /// - Throws: when there are more than 2^32 - 2 requests, or memory runs out.
  package func withNextUses() throws(TraceError) -> PreparedTrace {
    if requests.nextUses != nil { return self }
    return try made(once: withNextUsesCache) { trace throws(TraceError) in
      try trace.computeNextUses()
    }
  }

  /// The trace with each prompt's blocks from back to front; prompts stay in their order. A request
  /// that begins a prompt is then the one of the prompt's last block. Ids do not change. Next uses,
  /// if present, refer to the new order.
  /// - Throws: when the trace has no prompts, or memory runs out.
  package func tailFirst() throws(TraceError) -> PreparedTrace {
    let turned = try made(once: tailFirstCache) { trace throws(TraceError) in try trace.turn() }
    return requests.nextUses == nil ? turned : try turned.withNextUses()
  }

  private func made(
    once cache: Locked<PreparedTrace?>,
    by make: (PreparedTrace) throws(TraceError) -> PreparedTrace
  ) throws(TraceError) -> PreparedTrace {
    try cache.withLock { (cache: inout sending PreparedTrace?) throws(TraceError) in
      if let known = cache { return known }
      let made = try make(self)
      cache = made
      return made
    }
  }

  private func computeNextUses() throws(TraceError) -> PreparedTrace {
    let advice = "shorten the trace, or remove the policies that know the future"
    // The largest 32-bit number means never.
    let limit = Int(Request.never) - 1
    guard requests.count <= limit else {
      throw TraceError(
        "\(requests.count) requests exceed the limit of \(limit) for next uses", in: name,
        advice: advice)
    }
    try MemoryBudget.machine.check(
      4 * UInt64(requests.count + requests.objects), for: "the next uses of all requests", in: name,
      advice: advice)
    let column = try GrowableColumn<UInt32>(capacity: requests.count)
    let last = try GrowableColumn<UInt32>(capacity: requests.objects + 1)
    last.base.update(repeating: Request.never, count: requests.objects + 1)
    defer { withExtendedLifetime(last) {} }
    let (ids, next, latest) = (requests.ids, column.base, last.base)
    let ahead = 16
    for index in stride(from: requests.count - 1, through: 0, by: -1) {
      if index >= ahead { larder_prefetch(latest + Int(ids[index - ahead])) }
      let id = Int(ids[index])
      next[index] = latest[id]
      switch Operation(rawValue: requests.operations?[index] ?? 0) {
      case .set, .delete: latest[id] = Request.never
      case .modify, .bypass, .expire: break
      case .get, nil: latest[id] = UInt32(truncatingIfNeeded: index)
      }
    }
    let storage = ColumnStorage(over: requests.owner)
    var columns = requests
    columns.nextUses = storage.adopt(column, count: requests.count)
    columns.owner = storage
    return PreparedTrace(
      name: name, requests: columns, footprint: footprint, timesRaised: timesRaised,
      reading: reading, prompts: prompts)
  }
}

extension RequestColumns {
  /// Columns of some requests except next uses, with their ids.
  func gathered(
    _ positions: [Int], ids: UnsafePointer<ObjectID>, objects: Int, _ storage: ColumnStorage
  ) throws(TraceError) -> RequestColumns {
    RequestColumns(
      count: positions.count, objects: objects, ids: ids,
      sizes: try gather(sizes, positions, storage), times: try gather(times, positions, storage),
      operations: try gather(operations, positions, storage),
      ttls: try gather(ttls, positions, storage), costs: try gather(costs, positions, storage),
      owner: storage)
  }

  func gather<Element: BitwiseCopyable>(
    _ source: UnsafePointer<Element>?, _ positions: [Int], _ storage: ColumnStorage
  ) throws(TraceError) -> UnsafePointer<Element>? {
    guard let source else { return nil }
    let column = try GrowableColumn<Element>(capacity: max(1, positions.count))
    for (place, position) in positions.enumerated() { column.base[place] = source[position] }
    return storage.adopt(column, count: positions.count)
  }
}

/// A prepared trace as a source of records: the keys are its dense ids.
package struct PreparedSource: RecordSource {
  let trace: PreparedTrace

  package init(_ trace: PreparedTrace) { self.trace = trace }

  package var columns: TraceColumns { trace.columns }
  package var keyLimit: Int? { trace.requests.objects + 1 }
  package var requestCount: Int? { trace.requests.count }
  package var samplingRate: Double { trace.sampling.rate }

  package var reading: ReadingFacts {
    var facts = ReadingFacts()
    facts.sampling = trace.sampling
    return facts
  }

  package func records(into sink: RecordSink) throws {
    try withoutActuallyEscaping(sink) { sink in
      try fill(RecordBatch(skipsZeroSizes: false, sink: sink))
    }
  }

  func fill(_ batch: RecordBatch) throws {
    var start = 0
    while start < trace.requests.count {
      let count = min(RecordBatch.capacity, trace.requests.count - start)
      for i in 0..<count { batch.records[i] = trace.record(at: start + i) }
      batch.count = count
      start += count
      guard try batch.flush() else { return }
    }
  }
}

extension PreparedTrace {
  @inline(__always) func record(at index: Int) -> TraceRecord {
    var record = TraceRecord(key: UInt64(requests.ids[index]))
    if let sizes = requests.sizes { record.size = sizes[index] }
    if let times = requests.times { record.time = times[index] }
    if let operations = requests.operations { record.operation = operations[index] }
    if let ttls = requests.ttls { record.ttl = ttls[index] }
    if let costs = requests.costs { record.cost = costs[index] }
    if let prompts { record.prompt = prompts[index] }
    return record
  }
}
