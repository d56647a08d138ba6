import LarderEngine

/// The semantics of `Simulation`, rewritten for clarity: one tier, or memory in front of disk.
struct NaiveSimulation {
  private var tiers: NaiveHybrid
  private var totals = Counts()
  private var cost = CostCounts(requested: 0, saved: 0)
  private var versions: [ObjectID: Int] = [:]
  private var latest: [ObjectID: Request] = [:]
  private let unit: CapacityUnit

  init?(_ setup: SimulationSetup) throws {
    unit = setup.unit
    guard let tiers = try NaiveHybrid(setup) else { return nil }
    self.tiers = tiers
  }

  static func counts(of trace: TestTrace, _ setup: SimulationSetup) throws -> Counts? {
    guard var simulation = try NaiveSimulation(setup) else { return nil }
    let nextUses = trace.nextUses
    for (index, request) in trace.requests.enumerated() {
      simulation.step(request, index: index, nextUse: nextUses[index])
    }
    return simulation.counts
  }

  var counts: Counts {
    var counts = totals
    counts.cost = cost
    tiers.add(to: &counts)
    return counts
  }

  mutating func step(_ line: TestRequest, index: Int, nextUse: UInt32) {
    let request = Request(
      id: line.id, size: unit == .objects ? 1 : line.size, index: UInt64(index), nextUse: nextUse,
      cost: line.cost)
    latest[line.id] = request
    let now = UInt64(line.timeSeconds) * 1_000_000
    let version = versions[line.id, default: 0]
    let context = NaiveContext(
      now: now, ttlSeconds: line.ttlSeconds, version: version, latest: latest)
    switch line.operation {
    case .modify: versions[line.id, default: 0] += 1
    case .bypass:
      totals.requests += 1
      totals.bytesRequested += UInt64(request.size)
      cost.requested += Double(request.cost)
    case .get: get(request, context)
    case .set:
      totals.sets += 1
      tiers.set(request, context)
    case .delete:
      totals.deletes += 1
      tiers.delete(request.id)
    case .expire: tiers.expire(request.id, context)
    }
  }

  private mutating func get(_ request: Request, _ context: NaiveContext) {
    totals.requests += 1
    totals.bytesRequested += UInt64(request.size)
    cost.requested += Double(request.cost)
    switch tiers.get(request, context) {
    case .miss: return
    case .memory(let copy):
      totals.memoryHits += 1
      totals.memoryBytesHit += UInt64(request.size)
      if copy.version < context.version { totals.staleHits += 1 }
    case .disk(let copy):
      totals.diskHits += 1
      totals.diskBytesHit += UInt64(request.size)
      if copy.version < context.version { totals.staleHits += 1 }
    }
    cost.saved += Double(request.cost)
  }
}
