/// Memory in front of disk under simulation.
final class HybridSimulation: Simulation {
  private let core: HybridCore
  private let columns: RequestColumns
  private let unit: CapacityUnit
  private var totals = Counts()
  private var cost = CostCounts(requested: 0, saved: 0)
  private(set) var position = 0
  private(set) var outcomes: OutcomeSizes?

  private static var lookahead: Int { 16 }

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
      let ahead = columns.ids[min(position + Self.lookahead, columns.count - 1)]
      core.memory.prefetch(ahead)
      core.disk.prefetch(ahead)
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
