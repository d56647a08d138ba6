import LarderPolicies

@testable import LarderEngine

/// A single tier that is driven by hand, request by request, and reports its evictions.
final class PolicyProbe {
  enum Outcome: Hashable {
    case hit
    /// Stored after these were evicted for it, in order.
    case stored(evicted: [ObjectID])
    case rejected
  }

  private let simulated: SimulatedTier

  init(
    _ spec: PolicySpec, capacity: UInt64, unit: CapacityUnit = .objects, objects: Int,
    seed: UInt64 = 0
  ) throws {
    let tier = TierSetup(policy: spec, capacity: capacity)
    simulated = try PolicyRegistry.policy(named: spec).simulation().makeTier(
      CacheTierSetup(tier, unit: unit, objects: objects, seed: seed))
  }

  func contains(_ id: ObjectID) -> Bool { simulated.tier.contains(id) }
  func remembers(_ id: ObjectID) -> Bool { simulated.tier.remembers(id) }
  var used: UInt64 { simulated.tier.used }
  var stateBytes: Int { simulated.stateBytes }
  var evicted: [ObjectID] { simulated.victims }

  func request(_ request: Request) -> Outcome {
    if simulated.use(request, 0) != nil { return .hit }
    return simulated.put(request, 0) ? .stored(evicted: evicted) : .rejected
  }

  func replace(_ request: Request) -> [ObjectID] {
    _ = simulated.put(request, 0)
    return evicted
  }

  func remove(_ id: ObjectID) { simulated.tier.remove(id) }
  func expire(_ id: ObjectID, _ expires: UInt64) { simulated.tier.renew(id, expires) }
  func reserve(objects: Int) { simulated.tier.reserve(objects) }
}
