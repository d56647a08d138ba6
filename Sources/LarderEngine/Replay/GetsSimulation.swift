/// Gets replayed through one tier, specialised for its policy and for whether objects have sizes.
///
/// A value: the methods of a generic class are not specialised, at ten times the cost.
@usableFromInline
struct GetsSimulation<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>: Replay, ~Copyable {
  @usableFromInline var tier: Tier<Policy, Shape>
  @usableFromInline let columns: RequestColumns
  @usableFromInline let isDisk: Bool
  @usableFromInline var totals = SimulationTotals()
  @usableFromInline var position = 0

  @inlinable static var lookahead: Int { 16 }

  @usableFromInline init(
    _ setup: CacheTierSetup, isDisk: Bool, over columns: RequestColumns
  ) throws(PolicyError) {
    tier = try Tier(setup)
    self.columns = columns
    self.isDisk = isDisk
  }

  @usableFromInline var stateBytes: Int { tier.stateBytes }

  @usableFromInline var choice: PolicyChoice? { tier.policy.choice }

  @inlinable func holds(_ id: ObjectID) -> Bool { tier.contains(id) }

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
    totals.counts.requests += UInt64(position - start)
    self.totals = totals
    return untilFirstEviction && tier.counts.evictions > 0
  }

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
      tier.policy.prefetchNeighbours(ids[min(index + lookahead / 2, last)])
      var request = Request(id: ids[index], index: UInt64(index))
      if let nextUses = columns.nextUses { request.nextUse = nextUses[index] }
      if tier.weighs, let sizes = columns.sizes { request.size = sizes[index] }
      bytesRequested += UInt64(request.size)
      if Policy.notices.contains(.time), let times = columns.times {
        tier.policy.notice(.time(times[index]))
      }
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
    totals.counts.memoryHits += hits
    totals.counts.bytesRequested += bytesRequested
    totals.counts.memoryBytesHit += bytesHit
    return index
  }
}
