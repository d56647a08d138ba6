/// A simulation of one tier, specialised for its policy and for the features of the trace.
///
/// A value, not a class: calls to a generic class go through its vtable, whose methods the
/// optimiser does not specialise, at ten times the cost. `ErasedSimulation` hides the type behind
/// closures.
@usableFromInline
struct SingleTierSimulation<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>: ~Copyable {
  @usableFromInline var tier: Tier<Policy, Shape>
  @usableFromInline let columns: RequestColumns
  @usableFromInline let unit: CapacityUnit
  @usableFromInline let isDisk: Bool
  @usableFromInline var totals = SimulationTotals()
  @usableFromInline var position = 0
  @usableFromInline var outcomes: OutcomeSizes?
  // Read at every request, where reading `outcomes` would cost a call.
  @usableFromInline let recordsOutcomes: Bool

  /// The number of requests by which prefetches run ahead: enough to hide one memory access.
  @inlinable static var lookahead: Int { 16 }

  /// Starts with an empty cache, before the first request.
  @usableFromInline init(
    _ setup: CacheTierSetup, isDisk: Bool, recordsOutcomes: Bool, over columns: RequestColumns
  ) throws(PolicyError) {
    tier = try Tier(setup)
    self.columns = columns
    unit = setup.unit
    self.isDisk = isDisk
    self.recordsOutcomes = recordsOutcomes
    outcomes = recordsOutcomes ? OutcomeSizes() : nil
  }

  @usableFromInline var stateBytes: Int { tier.stateBytes }

  @inlinable var counts: Counts {
    totals.counts(of: tier.counts, isDisk: isDisk, hasCosts: columns.costs != nil)
  }

  @inlinable mutating func resetCounts() {
    totals = SimulationTotals()
    tier.counts = TierCounts()
    if recordsOutcomes { outcomes = OutcomeSizes() }
  }

  @inlinable mutating func run(upTo end: Int, untilFirstEviction: Bool) -> Bool {
    let end = min(end, columns.count)
    if Shape.limits {
      return runOperations(upTo: end, untilFirstEviction)
    }
    let start = position
    var totals = totals
    position = Self.replayGets(
      &tier, columns, from: start, to: end, untilFirstEviction, &totals)
    totals.requests += UInt64(position - start)
    self.totals = totals
    return untilFirstEviction && tier.counts.evictions > 0
  }

  /// The performance-critical loop: a lookup, and a hit or a store, for every request.
  @inlinable static func replayGets(
    _ tier: inout Tier<Policy, Shape>, _ columns: RequestColumns, from start: Int, to end: Int,
    _ untilFirstEviction: Bool, _ totals: inout SimulationTotals
  ) -> Int {
    let ids = columns.ids
    let last = columns.count - 1
    var hits: UInt64 = 0
    var bytesRequested: UInt64 = 0
    var bytesHit: UInt64 = 0
    var index = start
    while index < end {
      tier.prefetch(ids[min(index + lookahead, last)])
      tier.prefetchNeighbours(ids[min(index + lookahead / 2, last)])
      var request = Request(id: ids[index], index: UInt64(index))
      if let nextUses = columns.nextUses { request.nextUse = nextUses[index] }
      if Shape.weighs, let sizes = columns.sizes { request.size = sizes[index] }
      bytesRequested += UInt64(request.size)
      if Policy.followsTime, let times = columns.times { tier.policy.follow(times[index]) }
      if tier.contains(request.id) {
        hits += 1
        bytesHit += UInt64(request.size)
        tier.hit(request) { _ in }
      } else {
        _ = tier.store(request) { _ in }
        if untilFirstEviction, tier.counts.evictions > 0 {
          index += 1
          break
        }
      }
      index += 1
    }
    totals.hits += hits
    totals.bytesRequested += bytesRequested
    totals.bytesHit += bytesHit
    return index
  }

  /// The loop for traces with operations, TTLs or costs.
  @inlinable mutating func runOperations(upTo end: Int, _ untilFirstEviction: Bool) -> Bool {
    let reader = RequestReader(columns, unit: unit)
    let last = columns.count - 1
    while position < end {
      tier.prefetch(columns.ids[min(position + Self.lookahead, last)])
      tier.prefetchNeighbours(columns.ids[min(position + Self.lookahead / 2, last)])
      let (operation, now, ttl) = reader.context(at: position)
      var request = reader.request(at: position)
      request.expires = tier.expiry(now: now, timeToLive: UInt64(ttl) * 1_000_000)
      apply(operation, request, now: now, bytes: reader.bytes(at: position))
      position += 1
      if untilFirstEviction, tier.counts.evictions > 0 { return true }
    }
    return false
  }

  @inlinable @inline(__always) mutating func apply(
    _ operation: Operation, _ request: Request, now: UInt64, bytes: UInt32
  ) {
    switch operation {
    case .get: get(request, now: now, bytes: bytes)
    case .set:
      totals.sets += 1
      _ = tier.set(request, now: now) { _ in }
    case .delete:
      totals.deletes += 1
      tier.remove(request.id)
    case .modify:
      if tier.contains(request.id) { tier.setStale(request.id, true) }
    case .bypass:
      totals.request(request)
      fetched(request, bytes: bytes)
    case .expire: tier.changeExpiry(request.id, to: request.expires, now: now)
    }
  }

  @inlinable @inline(__always) mutating func fetched(_ request: Request, bytes: UInt32) {
    guard recordsOutcomes else { return }
    outcomes?.misses.add(bytes: bytes)
    if columns.costs != nil { outcomes?.addOriginTime(milliseconds: request.cost) }
  }

  @inlinable @inline(__always) mutating func get(_ request: Request, now: UInt64, bytes: UInt32) {
    totals.request(request)
    guard case .hit = tier.access(request, now: now, evicted: { _ in }) else {
      fetched(request, bytes: bytes)
      _ = tier.store(request) { _ in }
      return
    }
    totals.hit(request)
    if tier.isStale(request.id) { totals.staleHits += 1 }
    if recordsOutcomes {
      let served = unit == .bytes ? tier.size(of: request.id) : bytes
      if isDisk {
        outcomes?.diskHits.add(bytes: served)
      } else {
        outcomes?.memoryHits.add(bytes: served)
      }
    }
  }
}

/// A type-erased simulation of a single tier.
///
/// Closures, because the code a closure calls is specialised for the types at its creation; one
/// call runs millions of requests.
@usableFromInline final class ErasedSimulation: Simulation {
  @usableFromInline let runBody: (_ end: Int, _ untilFirstEviction: Bool) -> Bool
  @usableFromInline let resetBody: () -> Void
  @usableFromInline let countsBody: () -> Counts
  @usableFromInline let positionBody: () -> Int
  @usableFromInline let stateBytesBody: () -> Int
  @usableFromInline let outcomesBody: () -> OutcomeSizes?

  /// Takes ownership of a simulation.
  @inlinable init<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>(
    _ simulation: consuming SingleTierSimulation<Policy, Shape>
  ) {
    let held = Held(simulation)
    runBody = { end, stops in held.with { $0.run(upTo: end, untilFirstEviction: stops) } }
    resetBody = { held.with { $0.resetCounts() } }
    countsBody = { held.with { $0.counts } }
    positionBody = { held.with { $0.position } }
    stateBytesBody = { held.with { $0.stateBytes } }
    outcomesBody = { held.with { $0.outcomes } }
  }

  /// Takes ownership of a simulation with time.
  @inlinable init<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>(
    _ simulation: consuming TimedSimulation<Policy, Shape>
  ) {
    let held = Held(simulation)
    runBody = { end, stops in held.with { $0.run(upTo: end, untilFirstEviction: stops) } }
    resetBody = { held.with { $0.resetCounts() } }
    countsBody = { held.with { $0.counts } }
    positionBody = { held.with { $0.position } }
    stateBytesBody = { held.with { $0.stateBytes } }
    outcomesBody = { nil }
  }

  @usableFromInline var counts: Counts { countsBody() }
  @usableFromInline var position: Int { positionBody() }
  @usableFromInline var stateBytes: Int { stateBytesBody() }
  @usableFromInline var outcomes: OutcomeSizes? { outcomesBody() }
  @usableFromInline func run(upTo end: Int, untilFirstEviction: Bool) -> Bool {
    runBody(end, untilFirstEviction)
  }
  @usableFromInline func resetCounts() { resetBody() }
}

/// A simulation of one tier in which misses take time: requests for an object in flight wait for
/// its fetch (delayed hits), and the object is stored when the fetch ends.
///
/// For each get at time t: `now` is the later of t and the previous `now`; objects of fetches that
/// have ended by then are stored, in the order of their ends, each as of its own time; then the
/// object is looked up. Resident: a hit, without a wait. In flight, with coalescing: a delayed hit;
/// the policy is not notified. Otherwise a miss, which fetches: at once, or when one of the
/// origin's servers is free. An object that was stored meanwhile is not stored again. The object of
/// a fetch that takes no time is stored within its request: the counts are those of a simulation
/// without time.
///
/// If the tier is a disk with read latency, a hit is a read: the policy is notified when the read
/// starts, and the object is in flight until it ends. With coalescing, later requests wait for the
/// read; otherwise each is a hit with its own read.
///
/// A set or a delete of an object in flight detaches its flights: their waiting requests go on
/// waiting, later gets do not join them, and their objects are not stored. A get that must not be
/// stored (`bypass`) always fetches separately.
@usableFromInline
struct TimedSimulation<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>: ~Copyable {
  @usableFromInline var tier: Tier<Policy, Shape>
  @usableFromInline let columns: RequestColumns
  @usableFromInline let reader: RequestReader
  @usableFromInline let isDisk: Bool
  @usableFromInline let model: FetchModel
  // True if hits wait as well.
  @usableFromInline let hasReads: Bool
  @usableFromInline var board: FlightBoard
  @usableFromInline var totals = SimulationTotals()
  @usableFromInline var now: UInt64 = 0
  @usableFromInline var position = 0

  @inlinable static var lookahead: Int { 16 }

  /// Starts with an empty cache, before the first request.
  @usableFromInline init(
    _ setup: CacheTierSetup, isDisk: Bool, model: FetchModel, over columns: RequestColumns
  ) throws(PolicyError) {
    tier = try Tier(setup)
    self.columns = columns
    reader = RequestReader(columns, unit: setup.unit)
    self.isDisk = isDisk
    self.model = model
    hasReads = isDisk && model.diskLatencies != nil
    board = FlightBoard(model)
  }

  @usableFromInline var stateBytes: Int { tier.stateBytes + board.bytes }

  @usableFromInline var counts: Counts {
    var counts = totals.counts(of: tier.counts, isDisk: isDisk, hasCosts: columns.costs != nil)
    counts.time = board.counts(requests: totals.requests)
    return counts
  }

  @usableFromInline mutating func resetCounts() {
    totals = SimulationTotals()
    tier.counts = TierCounts()
    board.resetCounts()
  }

  @inlinable mutating func run(upTo end: Int, untilFirstEviction: Bool) -> Bool {
    let end = min(end, columns.count)
    let last = columns.count - 1
    while position < end {
      tier.prefetch(columns.ids[min(position + Self.lookahead, last)])
      tier.prefetchNeighbours(columns.ids[min(position + Self.lookahead / 2, last)])
      let (operation, arrival, ttl) = reader.context(at: position)
      now = model.clock == .requests ? UInt64(position) : max(now, arrival)
      land(until: now)
      apply(operation, reader.request(at: position), ttl: ttl)
      position += 1
      if untilFirstEviction, tier.counts.evictions > 0 { return true }
    }
    return false
  }

  @inlinable @inline(__always) mutating func apply(
    _ operation: Operation, _ request: Request, ttl: UInt32
  ) {
    switch operation {
    case .get: get(request)
    case .set:
      var request = request
      totals.sets += 1
      board.detach(request.id)
      request.expires = expiry(at: now, ttl)
      _ = tier.set(request, now: now) { _ in }
    case .delete:
      totals.deletes += 1
      board.detach(request.id)
      tier.remove(request.id)
    case .modify:
      if tier.contains(request.id) { tier.setStale(request.id, true) }
    case .bypass:
      totals.request(request)
      fetch(request, stores: false, at: board.table.place(of: request.id))
    case .expire: tier.changeExpiry(request.id, to: expiry(at: now, ttl), now: now)
    }
  }

  @inlinable @inline(__always) mutating func get(_ request: Request) {
    totals.request(request)
    if Policy.observesRequests {
      let bytes = reader.bytes(at: position)
      let latency = model.service(request: UInt64(position), bytes: bytes)
      tier.policy.observe(request.id, now: now, fetchLatency: latency)
    }
    if hasReads { return getFromDisk(request) }
    if case .hit = tier.access(request, now: now, evicted: { _ in }) {
      totals.hit(request)
      if tier.isStale(request.id) { totals.staleHits += 1 }
      return
    }
    let place = board.table.place(of: request.id)
    if board.canJoin(at: place) {
      board.join(request, at: place, now: now)
    } else {
      fetch(request, stores: true, at: place)
    }
  }

  /// Performs a get from a disk with read latency.
  @inlinable @inline(never) mutating func getFromDisk(_ request: Request) {
    let place = board.table.place(of: request.id)
    if board.canJoin(at: place) {
      board.join(request, at: place, now: now)
      // While an object is being read, the policy knows its next use.
      if tier.contains(request.id) { tier.foresee(request) }
      return
    }
    guard case .hit = tier.access(request, now: now, evicted: { _ in }) else {
      return fetch(request, stores: true, at: place)
    }
    totals.hit(request)
    if tier.isStale(request.id) { totals.staleHits += 1 }
    if board.read(request, at: place, now: now) { land(until: now) }
  }

  /// Starts a fetch for the request at `position`; `place` is the slot of its object in the table.
  @inlinable @inline(__always) mutating func fetch(
    _ request: Request, stores: Bool, at place: UInt32
  ) {
    let bytes = reader.bytes(at: position)
    if board.fetch(request, bytes: bytes, stores: stores, at: place, now: now) { land(until: now) }
  }

  /// Stores the objects of fetches that have ended by a time.
  @inlinable @inline(__always) mutating func land(until now: UInt64) {
    if board.queue.nextCompletion <= now { landDue(now) }
  }

  // A separate function, so that the policy's code for storing is not duplicated at each call.
  @inlinable @inline(never) mutating func landDue(_ now: UInt64) {
    while board.isDue(now) { land(board.takeNext()) }
  }

  @inlinable @inline(__always) mutating func land(_ landed: FlightBoard.Landed) {
    let flight = landed.flight
    guard flight.stores, landed.isCurrent else { return }
    if tier.contains(flight.id) {
      guard tier.isOver(flight.id, now: flight.completion) else { return }
      tier.remove(flight.id)
    }
    let index = Int(truncatingIfNeeded: flight.index)
    var request = reader.request(at: index)
    request.nextUse = landed.nextUse
    request.expires = expiry(at: flight.completion, columns.ttls?[index] ?? 0)
    if Policy.observesRequests { tier.policy.advance(to: board.landing(of: flight)) }
    if Policy.followsTime { tier.policy.follow(flight.completion) }
    _ = tier.store(request) { _ in }
  }

  @inlinable @inline(__always) func expiry(at now: UInt64, _ ttl: UInt32) -> UInt64 {
    tier.expiry(now: now, timeToLive: UInt64(ttl) * 1_000_000)
  }
}
