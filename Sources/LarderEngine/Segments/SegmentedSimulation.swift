/// A disk cache whose large values are in segments, under simulation: the policy decides what is
/// stored, as in a simulation without segments, and the segments what is copied.
package final class SegmentedSimulation: Simulation {
  private let tier: SimulatedTier
  private let columns: RequestColumns
  private let reader: RequestReader
  private var shelf: SegmentShelf
  private var totals = SimulationTotals()
  /// See `Simulation`.
  package private(set) var position = 0
  /// See `Simulation`.
  package private(set) var outcomes: OutcomeSizes?

  private static var lookahead: Int { 16 }

  /// An empty cache before the first request.
  init(
    _ tier: SimulatedTier, _ setup: SegmentSetup, recordsOutcomes: Bool,
    over columns: RequestColumns
  ) {
    self.tier = tier
    self.columns = columns
    reader = RequestReader(columns, unit: .bytes)
    shelf = SegmentShelf(setup, objects: columns.objects)
    outcomes = recordsOutcomes ? OutcomeSizes() : nil
  }

  /// Values copied to recycle segments since the start or the last `resetCounts`.
  package var copies: UInt64 { shelf.copies }

  /// See `Simulation`.
  package var stateBytes: Int { tier.stateBytes + shelf.stateBytes }

  /// With the bytes that were copied between segments.
  package var counts: Counts {
    var counts = totals.counts(of: tier.counts, isDisk: true, hasCosts: columns.costs != nil)
    counts.disk.bytesMoved = shelf.bytesMoved
    return counts
  }

  /// See `Simulation`.
  package func resetCounts() {
    totals = SimulationTotals()
    tier.tier.resetCounts()
    shelf.resetCounts()
    if outcomes != nil { outcomes = OutcomeSizes() }
  }

  /// See `Simulation`.
  package func run(upTo end: Int, untilFirstEviction: Bool) -> Bool {
    let end = min(end, columns.count)
    while position < end {
      tier.prefetch(columns.ids[min(position + Self.lookahead, columns.count - 1)])
      let (operation, now, ttl) = reader.context(at: position)
      var request = reader.request(at: position)
      request.expires = tier.tier.expiryFrom(now, UInt64(ttl) * 1_000_000)
      apply(operation, request, now)
      position += 1
      if untilFirstEviction, tier.counts.evictions > 0 { return true }
    }
    return false
  }

  private func apply(_ operation: Operation, _ request: Request, _ now: UInt64) {
    switch operation {
    case .get: get(request, now)
    case .set:
      totals.sets += 1
      put(request, now)
    case .delete:
      totals.deletes += 1
      tier.tier.remove(request.id)
      shelf.drop(request.id)
      shelf.commitDropped()
    case .modify:
      if tier.tier.contains(request.id) { tier.setStale(request.id, true) }
    case .bypass:
      totals.request(request)
      fetched(request)
    case .expire:
      if tier.changeExpiry(request.id, to: request.expires, now: now) { shelf.renew() }
    }
  }

  private func get(_ request: Request, _ now: UInt64) {
    totals.request(request)
    let copy = tier.use(request, now)
    if copy != nil {
      dropVictims(sparing: request.id)
      totals.hit(request)
      if copy?.isStale == true { totals.staleHits += 1 }
      outcomes?.diskHits.add(bytes: copy?.size ?? 0)
    }
    // It had expired, or the policy has given it up on this hit.
    if !tier.tier.contains(request.id) { shelf.drop(request.id) }
    guard copy == nil else { return }
    fetched(request)
    put(request, now)
  }

  private func put(_ request: Request, _ now: UInt64) {
    let isAccepted = tier.put(request, now)
    let isVictim = dropVictims(sparing: request.id)
    if isAccepted, !isVictim {
      shelf.store(request.id, request.size)
    } else {
      shelf.drop(request.id)
      shelf.commitDropped()
    }
  }

  private func fetched(_ request: Request) {
    guard outcomes != nil else { return }
    outcomes?.misses.add(bytes: request.size)
    if columns.costs != nil { outcomes?.addOriginTime(milliseconds: request.cost) }
  }

  /// Drops what the tier has evicted, and says whether `id` was among it.
  @discardableResult
  private func dropVictims(sparing id: ObjectID) -> Bool {
    var isVictim = false
    for place in 0..<tier.evicted.count {
      let victim = tier.evicted[place]
      if victim == id { isVictim = true } else { shelf.drop(victim) }
    }
    return isVictim
  }
}
