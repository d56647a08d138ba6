/// A simulation of the tiers of a `HybridCore`.
protocol HybridReplay: OperationReplay, ~Copyable {
  var core: HybridCore { get }
}

extension HybridReplay where Self: ~Copyable {
  var choice: PolicyChoice? { core.choice }
  var evictions: UInt64 { core.evictions }
  func prefetch(ahead position: Int) { core.prefetch(reader.ahead(of: position)) }
  func modify(_ request: Request) { core.modify(request) }
  func expire(_ object: TimedRequest) { core.expire(object) }
}

/// A simulation of memory in front of disk.
struct HybridSimulation: HybridReplay, ~Copyable {
  let core: HybridCore
  let reader: RequestReader
  var totals = SimulationTotals()
  var position = 0
  private(set) var outcomes: OutcomeSizes?

  init(
    core: HybridCore, unit: CapacityUnit, recordsOutcomes: Bool, over columns: RequestColumns
  ) {
    self.core = core
    reader = RequestReader(columns, unit: unit)
    outcomes = recordsOutcomes ? OutcomeSizes() : nil
  }

  var stateBytes: Int { core.stateBytes }

  func holds(_ id: ObjectID) -> Bool {
    let now = reader.time(at: position)
    return core.tiers.contains { $0.holds(id, now) }
  }

  var counts: Counts { core.counts(totals, hasCosts: reader.columns.costs != nil) }

  mutating func resetCounts() {
    totals = SimulationTotals()
    core.resetCounts()
    if outcomes != nil { outcomes = OutcomeSizes() }
  }

  mutating func get(_ object: TimedRequest) {
    let request = object.request
    switch core.get(object) {
    case .memory(let copy):
      totals.hit(request, isStale: copy.isStale)
      let bytes = served(copy)
      outcomes?.memoryHits.add(bytes: bytes)
    case .disk(let copy, _):
      totals.diskHit(request, isStale: copy.isStale)
      let bytes = served(copy)
      outcomes?.diskHits.add(bytes: bytes)
    case .none: bypass(object)
    }
  }

  private func served(_ copy: TierCopy) -> UInt32 {
    reader.countsBytes ? copy.size : reader.bytes(at: position)
  }

  mutating func set(_ object: TimedRequest) { core.set(object) }
  mutating func delete(_ object: TimedRequest) { core.delete(object) }

  mutating func bypass(_ object: TimedRequest) {
    guard outcomes != nil else { return }
    outcomes?.misses.add(bytes: reader.bytes(at: position))
    if reader.columns.costs != nil { outcomes?.addOriginTime(milliseconds: object.request.cost) }
  }
}

/// A simulation of one tier or of memory in front of disk in which reads from disk and fetches take
/// time.
///
/// For each get, `now` is the later of its time and the previous `now`; the flights that have ended
/// by then take effect, in the order of their ends, each as of its own time. Then:
///
/// 1. Memory holds the object: a hit, without a wait.
/// 2. It is in flight, with coalescing: a delayed hit, which waits for the end. Neither policy is
///   notified.
/// 3. Disk holds it: a hit on disk, of which disk's policy is notified now, and a read, for whose
///   end the request waits; then promotion is decided.
/// 4. Otherwise a fetch, at once or when one of the origin's servers is free. At its end the object
///   is stored by the rules of the hybrid, unless a tier has it by then.
///
/// A set or a delete detaches the flights of its object: later requests do not wait for them, and
/// their objects are not stored. A flight that takes no time ends within its request. A `bypass`
/// fetches for itself. Among policies that observe gets, memory's sees all, with the latency of a
/// read if disk holds the object; disk's sees those that memory does not answer, and demotions.
struct TimedSimulation: HybridReplay, ~Copyable {
  let core: HybridCore
  let reader: RequestReader
  private let model: FetchModel
  private var board: FlightBoard
  var totals = SimulationTotals()
  private var now: UInt64 = 0
  var position = 0

  init(core: HybridCore, model: FetchModel, unit: CapacityUnit, over columns: RequestColumns) {
    self.core = core
    self.model = model
    reader = RequestReader(columns, unit: unit)
    board = FlightBoard(model)
    if core.disk?.observe != nil {
      core.demotedLatency = { index, bytes in model.service(request: index, bytes: bytes) }
    }
  }

  var stateBytes: Int { core.stateBytes + board.bytes }

  var counts: Counts {
    var counts = core.counts(totals, hasCosts: reader.columns.costs != nil)
    counts.time = board.counts(requests: totals.counts.requests)
    return counts
  }

  mutating func resetCounts() {
    totals = SimulationTotals()
    core.resetCounts()
    board.resetCounts()
  }

  mutating func advance(to arrival: UInt64) -> UInt64 {
    now = model.clock == .requests ? UInt64(position) : max(now, arrival)
    land()
    return now
  }

  mutating func get(_ object: TimedRequest) {
    let request = object.request
    observe(request, in: core.memory, isMemory: true)
    if let copy = core.getFromMemory(object) {
      return totals.hit(request, isStale: copy.isStale)
    }
    observe(request, in: core.disk, isMemory: false)
    if board.join(request, now: now) {
      core.foreseeOnDisk(object)
    } else if let copy = core.useOnDisk(object) {
      totals.diskHit(request, isStale: copy.isStale)
      if board.read(request, now: now) { land() }
    } else {
      fetch(request, stores: true)
    }
  }

  private func observe(_ request: Request, in tier: SimulatedTier?, isMemory: Bool) {
    guard let observe = tier?.observe else { return }
    let latency =
      isMemory && core.disk?.tier.contains(request.id) == true
      ? model.diskRead(request: request.index)
      : model.service(request: request.index, bytes: reader.bytes(at: position))
    observe(request.id, now, latency)
  }

  mutating func set(_ object: TimedRequest) {
    board.detach(object.request.id)
    core.set(object)
  }

  mutating func delete(_ object: TimedRequest) {
    board.detach(object.request.id)
    core.delete(object)
  }

  mutating func bypass(_ object: TimedRequest) { fetch(object.request, stores: false) }

  private mutating func fetch(_ request: Request, stores: Bool) {
    let bytes = reader.bytes(at: position)
    if board.fetch(request, bytes: bytes, stores: stores, now: now) { land() }
  }

  private mutating func land() {
    while board.isDue(now) {
      let landed = board.takeNext()
      let flight = landed.flight
      guard landed.isCurrent, flight.stores || flight.isRead else { continue }
      let object = reader.landed(landed)
      core.advance(to: flight.completion, last: board.landing(of: flight))
      if flight.isRead { core.endRead(object) } else { core.endFetch(object) }
    }
  }
}

extension RequestReader {
  func landed(_ landed: FlightBoard.Landed) -> TimedRequest {
    let index = Int(truncatingIfNeeded: landed.flight.index)
    var object = timed(at: index, now: landed.flight.completion)
    object.request.nextUse = landed.nextUse
    return object
  }
}
