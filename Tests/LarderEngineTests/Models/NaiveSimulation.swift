import LarderEngine

/// The semantics of `Simulation`, rewritten for clarity: one tier, or memory in front of disk.
struct NaiveSimulation {
  private var tiers: Tiers
  /// Counts that no tier keeps itself.
  private var totals = Counts()
  private var cost = CostCounts(requested: 0, saved: 0)
  /// The number of changes of each object at the origin.
  private var versions: [ObjectID: Int] = [:]
  /// Each object's latest request, for moves between tiers.
  private var latest: [ObjectID: Request] = [:]
  private let unit: CapacityUnit

  private enum Tiers {
    case memory(NaiveTier)
    case disk(NaiveTier)
    case hybrid(NaiveHybrid)
  }

  /// Nil if a policy has no model.
  init?(_ setup: SimulationSetup) throws {
    unit = setup.unit
    switch setup.arrangement {
    case .memory(let tier):
      guard let tier = try NaiveTier(tier, unit: unit, seed: setup.seed) else { return nil }
      tiers = .memory(tier)
    case .disk(let tier):
      guard let tier = try NaiveTier(tier, unit: unit, seed: setup.seed) else { return nil }
      tiers = .disk(tier)
    case .hybrid(let memory, let disk, let rules):
      guard let memory = try NaiveTier(memory, unit: unit, seed: setup.seed),
        let disk = try NaiveTier(disk, unit: unit, seed: setup.seed)
      else { return nil }
      tiers = .hybrid(NaiveHybrid(memory: memory, disk: disk, rules: rules))
    }
  }

  /// Replays a whole trace.
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
    switch tiers {
    case .memory(let tier): counts.memory = tier.counts
    case .disk(let tier): counts.disk = tier.counts
    case .hybrid(let hybrid):
      counts.memory = hybrid.memory.counts
      counts.disk = hybrid.disk.counts
      counts.promotions = hybrid.promotions
      counts.demotions = hybrid.demotions
    }
    return counts
  }

  /// Replays one request.
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
      change({ $0.set(request, context) }, hybrid: { $0.set(request, context) })
    case .delete:
      totals.deletes += 1
      change({ $0.drop(request.id) }, hybrid: { $0.delete(request.id) })
    case .expire:
      change({ $0.expire(request.id, context) }, hybrid: { $0.expire(request.id, context) })
    }
  }

  private mutating func get(_ request: Request, _ context: NaiveContext) {
    totals.requests += 1
    var answer = NaiveAnswer.miss
    switch tiers {
    case .memory(var tier):
      answer = tier.get(request, context).map { .memory($0) } ?? .miss
      tiers = .memory(tier)
    case .disk(var tier):
      answer = tier.get(request, context).map { .disk($0) } ?? .miss
      tiers = .disk(tier)
    case .hybrid(var hybrid):
      answer = hybrid.get(request, context)
      tiers = .hybrid(hybrid)
    }
    totals.bytesRequested += UInt64(request.size)
    cost.requested += Double(request.cost)
    switch answer {
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

  private mutating func change(
    _ single: (inout NaiveTier) -> Void, hybrid both: (inout NaiveHybrid) -> Void
  ) {
    switch tiers {
    case .memory(var tier):
      single(&tier)
      tiers = .memory(tier)
    case .disk(var tier):
      single(&tier)
      tiers = .disk(tier)
    case .hybrid(var hybrid):
      both(&hybrid)
      tiers = .hybrid(hybrid)
    }
  }
}
