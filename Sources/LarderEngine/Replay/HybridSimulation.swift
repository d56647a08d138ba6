/// A simulation of memory in front of disk.
final class HybridSimulation: Simulation {
  private let core: HybridCore
  private let columns: RequestColumns
  private let unit: CapacityUnit
  private var totals = Counts()
  private var cost = CostCounts(requested: 0, saved: 0)
  private(set) var position = 0
  private(set) var outcomes: OutcomeSizes?

  /// Empty tiers before the first request.
  init(
    core: HybridCore, unit: CapacityUnit, recordsOutcomes: Bool, over columns: RequestColumns
  ) {
    self.core = core
    self.unit = unit
    self.columns = columns
    outcomes = recordsOutcomes ? OutcomeSizes() : nil
  }

  var stateBytes: Int { core.stateBytes }

  var counts: Counts {
    var counts = totals
    if columns.costs != nil { counts.cost = cost }
    counts.promotions = core.promotions
    counts.demotions = core.demotions
    counts.memory = core.memory.counts
    counts.disk = core.disk.counts
    return counts
  }

  func resetCounts() {
    totals = Counts()
    cost = CostCounts(requested: 0, saved: 0)
    core.resetCounts()
    if outcomes != nil { outcomes = OutcomeSizes() }
  }

  func run(upTo end: Int, untilFirstEviction: Bool) -> Bool {
    let reader = RequestReader(columns, unit: unit)
    let end = min(end, columns.count)
    while position < end {
      core.memory.prefetch(ahead: position, in: columns)
      core.disk.prefetch(ahead: position, in: columns)
      let (operation, now, ttl) = reader.context(at: position)
      let object = HybridCore.Object(
        request: reader.request(at: position), now: now,
        timeToLive: UInt64(ttl) * 1_000_000)
      switch operation {
      case .get: get(object, bytes: reader.bytes(at: position))
      case .set:
        totals.sets += 1
        core.set(object)
      case .delete:
        totals.deletes += 1
        core.delete(object)
      case .modify: core.modify(object.request)
      case .bypass:
        totals.requests += 1
        totals.bytesRequested += UInt64(object.request.size)
        cost.requested += Double(object.request.cost)
        fetched(object.request, bytes: reader.bytes(at: position))
      case .expire: core.expire(object)
      }
      position += 1
      if untilFirstEviction, core.disk.counts.evictions > 0 { return true }
    }
    return false
  }

  private func get(_ object: HybridCore.Object, bytes: UInt32) {
    let size = UInt64(object.request.size)
    totals.requests += 1
    totals.bytesRequested += size
    cost.requested += Double(object.request.cost)
    switch core.get(object) {
    case .memory(let copy):
      totals.memoryHits += 1
      totals.memoryBytesHit += size
      cost.saved += Double(object.request.cost)
      if copy.isStale { totals.staleHits += 1 }
      outcomes?.memoryHits.add(bytes: unit == .bytes ? copy.size : bytes)
    case .disk(let copy, _):
      totals.diskHits += 1
      totals.diskBytesHit += size
      cost.saved += Double(object.request.cost)
      if copy.isStale { totals.staleHits += 1 }
      outcomes?.diskHits.add(bytes: unit == .bytes ? copy.size : bytes)
    case .none:
      fetched(object.request, bytes: bytes)
    }
  }

  private func fetched(_ request: Request, bytes: UInt32) {
    guard outcomes != nil else { return }
    outcomes?.misses.add(bytes: bytes)
    if columns.costs != nil { outcomes?.addOriginTime(milliseconds: request.cost) }
  }
}

/// A simulation of memory in front of disk in which reads from disk and fetches take time.
///
/// For each get at time t: `now` is the later of t and the previous `now`; the flights (reads from
/// disk and fetches) that have ended by then take effect, in the order of their ends, each as of
/// its own time. Then:
///
/// 1. Memory holds the object: a hit, without a wait.
/// 2. It is in flight, with coalescing: a delayed hit, which waits for the end. Neither policy is
///   notified.
/// 3. Disk holds it: a hit on disk, of which disk's policy is notified now. A read starts, and the
///   request waits for its end; then promotion is decided (`HybridCore.endRead`).
/// 4. Otherwise a miss, which fetches as in `TimedSimulation`. At its end the object is stored by
///   the rules of the hybrid (`HybridCore.endFetch`).
///
/// The number of concurrent reads is not limited; the servers of the origin serve only fetches, and
/// `maxInFlight` counts only these. A set or a delete detaches the flights of its object. A flight
/// that takes no time ends within its request: if all do, the counts are those of
/// `HybridSimulation`.
///
/// Among policies that observe gets, memory's sees all, with the latency of a read if disk holds
/// the object and that of a fetch otherwise; disk's sees those that memory does not answer, and
/// demotions as well, with the latency of a fetch.
final class TimedHybridSimulation: Simulation {
  private let core: HybridCore
  private let columns: RequestColumns
  private let reader: RequestReader
  private let model: FetchModel
  private var board: FlightBoard
  private var totals = Counts()
  private var cost = CostCounts(requested: 0, saved: 0)
  private var now: UInt64 = 0
  private(set) var position = 0

  /// Empty tiers before the first request.
  init(core: HybridCore, model: FetchModel, unit: CapacityUnit, over columns: RequestColumns) {
    self.core = core
    self.model = model
    self.columns = columns
    reader = RequestReader(columns, unit: unit)
    board = FlightBoard(model)
    if core.disk.observe != nil {
      core.demotedLatency = { index, bytes in model.service(request: index, bytes: bytes) }
    }
  }

  var outcomes: OutcomeSizes? { nil }

  var stateBytes: Int { core.stateBytes + board.bytes }

  var counts: Counts {
    var counts = totals
    if columns.costs != nil { counts.cost = cost }
    counts.promotions = core.promotions
    counts.demotions = core.demotions
    counts.memory = core.memory.counts
    counts.disk = core.disk.counts
    counts.time = board.counts(requests: totals.requests)
    return counts
  }

  func resetCounts() {
    totals = Counts()
    cost = CostCounts(requested: 0, saved: 0)
    core.resetCounts()
    board.resetCounts()
  }

  func run(upTo end: Int, untilFirstEviction: Bool) -> Bool {
    let end = min(end, columns.count)
    while position < end {
      core.memory.prefetch(ahead: position, in: columns)
      core.disk.prefetch(ahead: position, in: columns)
      let (operation, arrival, _) = reader.context(at: position)
      now = model.clock == .requests ? UInt64(position) : max(now, arrival)
      land()
      apply(operation, object(at: position, now: now))
      position += 1
      if untilFirstEviction, core.disk.counts.evictions > 0 { return true }
    }
    return false
  }

  /// The request at an index of the trace, as of a time.
  private func object(at index: Int, now: UInt64) -> HybridCore.Object {
    HybridCore.Object(
      request: reader.request(at: index), now: now,
      timeToLive: UInt64(columns.ttls?[index] ?? 0) * 1_000_000)
  }

  private func apply(_ operation: Operation, _ object: HybridCore.Object) {
    let request = object.request
    switch operation {
    case .get: get(object)
    case .set:
      totals.sets += 1
      board.detach(request.id)
      core.set(object)
    case .delete:
      totals.deletes += 1
      board.detach(request.id)
      core.delete(object)
    case .modify: core.modify(request)
    case .bypass:
      count(request)
      fetch(request, stores: false, at: board.table.place(of: request.id))
    case .expire: core.expire(object)
    }
  }

  private func count(_ request: Request) {
    totals.requests += 1
    totals.bytesRequested += UInt64(request.size)
    cost.requested += Double(request.cost)
  }

  private func get(_ object: HybridCore.Object) {
    let request = object.request
    count(request)
    observe(request, in: core.memory, isMemory: true)
    if let copy = core.getFromMemory(object) {
      totals.memoryHits += 1
      totals.memoryBytesHit += UInt64(request.size)
      hit(request, copy)
      return
    }
    observe(request, in: core.disk, isMemory: false)
    let place = board.table.place(of: request.id)
    if board.canJoin(at: place) {
      board.join(request, at: place, now: now)
      core.foreseeOnDisk(object)
    } else if let copy = core.useOnDisk(object) {
      totals.diskHits += 1
      totals.diskBytesHit += UInt64(request.size)
      hit(request, copy)
      if board.read(request, at: place, now: now) { land() }
    } else {
      fetch(request, stores: true, at: place)
    }
  }

  private func hit(_ request: Request, _ copy: TierCopy) {
    cost.saved += Double(request.cost)
    if copy.isStale { totals.staleHits += 1 }
  }

  /// Passes a get to the policy of a tier, with the latency of a miss in this tier.
  private func observe(_ request: Request, in tier: SimulatedTier, isMemory: Bool) {
    guard let observe = tier.observe else { return }
    let latency =
      isMemory && core.disk.tier.contains(request.id)
      ? model.diskRead(request: request.index)
      : model.service(request: request.index, bytes: reader.bytes(at: position))
    observe(request.id, now, latency)
  }

  private func fetch(_ request: Request, stores: Bool, at place: UInt32) {
    let bytes = reader.bytes(at: position)
    if board.fetch(request, bytes: bytes, stores: stores, at: place, now: now) { land() }
  }

  /// Applies the effects of flights that have ended.
  private func land() {
    while board.isDue(now) {
      let landed = board.takeNext()
      let flight = landed.flight
      guard landed.isCurrent, flight.stores || flight.isRead else { continue }
      var object = object(at: Int(truncatingIfNeeded: flight.index), now: flight.completion)
      object.request.nextUse = landed.nextUse
      core.advance(to: flight.completion, last: board.landing(of: flight))
      if flight.isRead { core.endRead(object) } else { core.endFetch(object) }
    }
  }
}
