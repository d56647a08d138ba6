/// Memory in front of disk under simulation.
final class HybridSimulation: Simulation {
  private let core: HybridCore
  private let columns: RequestColumns
  private let unit: CapacityUnit
  private var totals = Counts()
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
    counts.promotions = core.promotions
    counts.demotions = core.demotions
    counts.memory = core.memory.counts
    counts.disk = core.disk.counts
    return counts
  }

  func resetCounts() {
    totals = Counts()
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
      let request = reader.request(at: position)
      switch operation {
      case .get: get(request, now: now, ttl: ttl, bytes: reader.bytes(at: position))
      case .set:
        totals.sets += 1
        core.set(request, now: now, ttlSeconds: ttl)
      case .delete:
        totals.deletes += 1
        core.delete(request)
      case .modify: core.modify(request)
      }
      position += 1
      if untilFirstEviction, core.disk.counts.evictions > 0 { return true }
    }
    return false
  }

  private func get(_ request: Request, now: UInt64, ttl: UInt32, bytes: UInt32) {
    totals.requests += 1
    totals.bytesRequested += UInt64(request.size)
    let (answer, isStale) = core.get(request, now: now, ttlSeconds: ttl)
    switch answer {
    case .memory(let size):
      totals.memoryHits += 1
      totals.memoryBytesHit += UInt64(request.size)
      outcomes?.memoryHits.add(bytes: unit == .bytes ? size : bytes)
    case .disk(let size):
      totals.diskHits += 1
      totals.diskBytesHit += UInt64(request.size)
      outcomes?.diskHits.add(bytes: unit == .bytes ? size : bytes)
    case .origin:
      outcomes?.misses.add(bytes: bytes)
    }
    if isStale { totals.staleHits += 1 }
  }
}
