/// A cache of one tier under simulation, specialised for its policy and for what the trace has.
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
  // Asked at every request, where looking into `outcomes` would cost a call.
  @usableFromInline let recordsOutcomes: Bool

  /// How far ahead of a request its state is fetched: enough requests to hide one access to memory.
  @inlinable
  static var lookahead: Int { 16 }

  /// An empty cache before the first request.
  @usableFromInline
  init(
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

  @inlinable
  var counts: Counts {
    totals.counts(of: tier.counts, isDisk: isDisk, hasCosts: columns.costs != nil)
  }

  @inlinable
  mutating func resetCounts() {
    totals = SimulationTotals()
    tier.counts = TierCounts()
    if recordsOutcomes { outcomes = OutcomeSizes() }
  }

  @inlinable
  mutating func run(upTo end: Int, untilFirstEviction: Bool) -> Bool {
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

  /// The loop that speed is about: a lookup, and a hit or a store, for every request.
  @inlinable
  static func replayGets(
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

  /// The loop for traces with operations, times to live or costs.
  @inlinable
  mutating func runOperations(upTo end: Int, _ untilFirstEviction: Bool) -> Bool {
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

  @inlinable
  @inline(__always)
  mutating func apply(
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

  @inlinable
  @inline(__always)
  mutating func fetched(_ request: Request, bytes: UInt32) {
    guard recordsOutcomes else { return }
    outcomes?.misses.add(bytes: bytes)
    if columns.costs != nil { outcomes?.addOriginTime(milliseconds: request.cost) }
  }

  @inlinable
  @inline(__always)
  mutating func get(_ request: Request, now: UInt64, bytes: UInt32) {
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
