/// A policy in the registry: its description, and the ways to run it.
///
/// The closures are where the policy's type is erased: once for each cell, outside every loop.
/// Because they are made in this module, the loops behind them are specialised for the policy.
public struct RegisteredPolicy: Sendable {
  /// Name, parameters, needs and paper.
  public let description: PolicyDescription
  /// Whether a hit may make the policy evict.
  package let evictsOnHit: Bool
  /// Whether it can say what it would evict.
  package let knowsVictim: Bool
  /// Whether it is a bound on what policies can reach, and no policy.
  public let isBound: Bool
  /// Whether it is a bound that a cache could reach if nothing but its capacity kept hits from it.
  let isReachable: Bool

  /// What a single-tier simulation is made from.
  struct SingleTier {
    var setup: TierSetup
    var isDisk: Bool
    var unit: CapacityUnit
    var seed: UInt64
    var recordsOutcomes: Bool
    var columns: RequestColumns
  }

  let makeSingleTier: @Sendable (SingleTier) throws(PolicyError) -> any Simulation
  let makeSimulatedTier: @Sendable (CacheTierSetup) throws(PolicyError) -> SimulatedTier
  let makeCacheTier: @Sendable (CacheTierSetup) throws(PolicyError) -> CacheTier

  /// The registry's line for a policy.
  init<Policy: EvictionPolicy & ~Copyable>(_ policy: Policy.Type) {
    description = Policy.description
    evictsOnHit = Policy.evictsOnHit
    knowsVictim = Policy.knowsVictim
    isBound = false
    isReachable = false
    makeSingleTier = { (single: SingleTier) throws(PolicyError) -> any Simulation in
      if single.recordsOutcomes || single.needsFullShape {
        return try single.simulation(of: Policy.self, FullShape.self)
      } else if single.unit == .bytes {
        return try single.simulation(of: Policy.self, SizedShape.self)
      } else {
        return try single.simulation(of: Policy.self, UnitShape.self)
      }
    }
    makeSimulatedTier = { (setup: CacheTierSetup) throws(PolicyError) -> SimulatedTier in
      SimulatedTier(Held(try Tier<Policy, FullShape>(setup)))
    }
    makeCacheTier = { (setup: CacheTierSetup) throws(PolicyError) -> CacheTier in
      if setup.unit == .bytes {
        return CacheTier(Held(try Tier<Policy, CacheSizedShape>(setup)))
      } else {
        return CacheTier(Held(try Tier<Policy, CacheUnitShape>(setup)))
      }
    }
  }
}

extension RegisteredPolicy {
  /// The registry's line for a bound.
  init<Subject: Bound>(_ bound: Subject.Type) {
    description = Subject.description
    evictsOnHit = false
    knowsVictim = false
    isBound = true
    isReachable = Subject.isReachable
    let name = Subject.description.name
    makeSingleTier = { (single: SingleTier) throws(PolicyError) -> any Simulation in
      if Subject.isReachable { try single.setup.refuseLimits(to: name, over: single.columns) }
      return try BoundSimulation<Subject>(
        single.setup, isDisk: single.isDisk, unit: single.unit, over: single.columns)
    }
    makeSimulatedTier = { _ throws(PolicyError) -> SimulatedTier in
      throw .boundOnly(name, where: "a tier of a hybrid cache")
    }
    makeCacheTier = { _ throws(PolicyError) -> CacheTier in
      throw .boundOnly(name, where: "a real cache")
    }
  }
}

extension TierSetup {
  /// Refuses what keeps hits from a cache beside its capacity, for a bound that must be reachable.
  func refuseLimits(to bound: String, over columns: RequestColumns) throws(PolicyError) {
    if columns.ttls != nil || timeToLiveSeconds != nil {
      throw .boundOnly(bound, where: "a cache whose entries expire")
    }
    if objectsMax != nil {
      throw .boundOnly(bound, where: "a cache with a limit on the number of objects")
    }
    if admission != nil { throw .boundOnly(bound, where: "a cache with an admission filter") }
  }
}

extension RegisteredPolicy.SingleTier {
  /// Whether the trace or the tier has anything that only the full loop knows.
  fileprivate var needsFullShape: Bool {
    columns.operations != nil || columns.ttls != nil || columns.costs != nil
      || setup.timeToLiveSeconds != nil || setup.objectsMax != nil || setup.admission != nil
  }

  @inline(__always)
  fileprivate func simulation<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>(
    of policy: Policy.Type, _ shape: Shape.Type
  ) throws(PolicyError) -> any Simulation {
    var made = CacheTierSetup(setup, unit: unit, objects: columns.objects, seed: seed)
    if columns.costs == nil { made.keepsCosts = false }
    return ErasedSimulation(
      try SingleTierSimulation<Policy, Shape>(
        made, isDisk: isDisk, recordsOutcomes: recordsOutcomes, over: columns))
  }
}
