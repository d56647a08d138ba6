/// Gets replayed through one tier, specialised for its policy and for whether objects have sizes.
///
/// A value, not a class: calls to a generic class go through its vtable, whose methods the
/// optimiser does not specialise, at ten times the cost. `ErasedSimulation` hides the type behind
/// closures.
@usableFromInline
struct GetsSimulation<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>: Replay, ~Copyable {
  @usableFromInline var tier: Tier<Policy, Shape>
  @usableFromInline let columns: RequestColumns
  @usableFromInline let isDisk: Bool
  @usableFromInline var totals = SimulationTotals()
  @usableFromInline var position = 0

  /// Distance in requests at which state is prefetched: enough to hide one access to memory.
  @inlinable static var lookahead: Int { 16 }

  /// An empty cache before the first request.
  @usableFromInline init(
    _ setup: CacheTierSetup, isDisk: Bool, over columns: RequestColumns
  ) throws(PolicyError) {
    tier = try Tier(setup)
    self.columns = columns
    self.isDisk = isDisk
  }

  @usableFromInline var stateBytes: Int { tier.stateBytes }

  @inlinable var outcomes: OutcomeSizes? { nil }

  @inlinable var counts: Counts {
    totals.counts(of: tier.counts, isDisk: isDisk, hasCosts: columns.costs != nil)
  }

  @inlinable mutating func resetCounts() {
    totals = SimulationTotals()
    tier.counts = TierCounts()
  }

  @inlinable mutating func run(upTo end: Int, untilFirstEviction: Bool) -> Bool {
    let end = min(end, columns.count)
    let start = position
    var totals = totals
    position = Self.replayGets(
      &tier, columns, from: start, to: end, untilFirstEviction, &totals)
    totals.requests += UInt64(position - start)
    self.totals = totals
    return untilFirstEviction && tier.counts.evictions > 0
  }

  /// The loop that speed is about: a lookup, and a hit or a store, for every request.
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
      if tier.weighs, let sizes = columns.sizes { request.size = sizes[index] }
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
}

/// A simulation as a value: see `Simulation`.
@usableFromInline protocol Replay: ~Copyable {
  var counts: Counts { get }
  var position: Int { get }
  var outcomes: OutcomeSizes? { get }
  var stateBytes: Int { get }
  mutating func run(upTo end: Int, untilFirstEviction: Bool) -> Bool
  mutating func resetCounts()
}

/// A simulation whose type is not known to the caller.
///
/// Closures, because what a closure calls is specialised for the types it was made with; one call
/// runs millions of requests.
@usableFromInline final class ErasedSimulation: Simulation {
  @usableFromInline let runBody: (_ end: Int, _ untilFirstEviction: Bool) -> Bool
  @usableFromInline let resetBody: () -> Void
  @usableFromInline let countsBody: () -> Counts
  @usableFromInline let positionBody: () -> Int
  @usableFromInline let stateBytesBody: () -> Int
  @usableFromInline let outcomesBody: () -> OutcomeSizes?

  /// Takes a simulation over.
  @inlinable init<Value: Replay & ~Copyable>(_ simulation: consuming Value) {
    let held = Held(simulation)
    runBody = { end, stops in held.with { $0.run(upTo: end, untilFirstEviction: stops) } }
    resetBody = { held.with { $0.resetCounts() } }
    countsBody = { held.with { $0.counts } }
    positionBody = { held.with { $0.position } }
    stateBytesBody = { held.with { $0.stateBytes } }
    outcomesBody = { held.with { $0.outcomes } }
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
