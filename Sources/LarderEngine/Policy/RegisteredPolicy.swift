/// A policy in the registry: its description, and closures to run it.
///
/// The closures erase the policy's type, once for each cell, outside every loop. They are created
/// in the module that names the policy's type, and everything they reach for each request is
/// `@inlinable`, so the loops behind them are specialised for the policy regardless of its module:
/// a policy of another package runs at the speed of one of this module.
public struct RegisteredPolicy: Sendable {
  /// Name, parameters, needs and paper.
  public let description: PolicyDescription
  /// True if a hit may make the policy evict.
  @usableFromInline package let evictsOnHit: Bool
  /// True if the policy can predict its victims.
  @usableFromInline package let knowsVictim: Bool
  /// True if the policy's decisions depend on the time of requests.
  public let followsTime: Bool
  /// True for a bound on the hits of policies, which is not a policy.
  public let isBound: Bool
  /// True for a bound that a cache could reach if its capacity were the only limit on hits.
  @usableFromInline let isReachable: Bool
  /// The policy's type; nil for a bound.
  @usableFromInline package let type: (any (EvictionPolicy & ~Copyable).Type)?

  /// The setup of a single-tier simulation.
  @usableFromInline struct SingleTier {
    var setup: TierSetup
    @usableFromInline var isDisk: Bool
    @usableFromInline var unit: CapacityUnit
    var seed: UInt64
    @usableFromInline var recordsOutcomes: Bool
    @usableFromInline var time: FetchModel?
    @usableFromInline var columns: RequestColumns
  }

  @usableFromInline let makeSingleTier: @Sendable (SingleTier) throws(PolicyError) -> any Simulation
  /// True if `sweep` supports passes over several capacities.
  @usableFromInline let sweepsCapacities: Bool
  @usableFromInline let sweep: @Sendable (CapacitySweepSetup, RequestColumns) -> CapacitySweep?
  @usableFromInline let makeSimulatedTier:
    @Sendable (CacheTierSetup) throws(PolicyError) -> SimulatedTier
  @usableFromInline let makeCacheTier: @Sendable (CacheTierSetup) throws(PolicyError) -> CacheTier

  /// Creates the registry entry of a policy: see `PolicyRegistry.add`.
  @inlinable public init<Policy: EvictionPolicy & ~Copyable>(_ policy: Policy.Type) {
    type = policy
    description = Policy.description
    evictsOnHit = Policy.evictsOnHit
    knowsVictim = Policy.knowsVictim
    followsTime = Policy.followsTime
    isBound = false
    isReachable = false
    makeSingleTier = { (single: SingleTier) throws(PolicyError) -> any Simulation in
      if let time = single.time {
        // Two shapes and not three, because each is a separate loop for each policy.
        return single.needsFullShape || single.unit == .bytes
          ? try single.timed(time, Policy.self, FullShape.self)
          : try single.timed(time, Policy.self, UnitShape.self)
      } else if single.recordsOutcomes || single.needsFullShape || Policy.idles {
        return try single.simulation(of: Policy.self, FullShape.self)
      } else if single.unit == .bytes {
        return try single.simulation(of: Policy.self, SizedShape.self)
      } else {
        return try single.simulation(of: Policy.self, UnitShape.self)
      }
    }
    sweepsCapacities = Policy.sweepsCapacities
    sweep = { setup, columns in Policy.sweep(setup, over: columns) }
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
  /// Creates the registry entry of a bound.
  init<Subject: Bound>(_ bound: Subject.Type) {
    type = nil
    description = Subject.description
    evictsOnHit = false
    followsTime = false
    knowsVictim = false
    isBound = true
    isReachable = Subject.isReachable
    let name = Subject.description.name
    makeSingleTier = { (single: SingleTier) throws(PolicyError) -> any Simulation in
      if single.time != nil { throw .boundOnly(name, where: "a simulation with time") }
      if Subject.isReachable { try single.setup.refuseLimits(to: name, over: single.columns) }
      return try BoundSimulation<Subject>(
        single.setup, isDisk: single.isDisk, unit: single.unit, over: single.columns)
    }
    sweepsCapacities = false
    sweep = { _, _ in nil }
    makeSimulatedTier = { _ throws(PolicyError) -> SimulatedTier in
      throw .boundOnly(name, where: "a tier of a hybrid cache")
    }
    makeCacheTier = { _ throws(PolicyError) -> CacheTier in
      throw .boundOnly(name, where: "a real cache")
    }
  }
}

extension RegisteredPolicy {
  /// Creates a simulation of one tier with the policy, registered or not.
  package func makeSimulation(
    _ setup: TierSetup, unit: CapacityUnit, seed: UInt64, over columns: RequestColumns
  ) throws(PolicyError) -> any Simulation {
    try makeSingleTier(
      SingleTier(
        setup: setup, isDisk: false, unit: unit, seed: seed, recordsOutcomes: false, time: nil,
        columns: columns))
  }
}

extension TierSetup {
  /// Rejects limits on hits other than the capacity, for a reachable bound.
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
  /// True if the trace or the tier has features that only the full loop supports.
  @usableFromInline var needsFullShape: Bool {
    columns.operations != nil || columns.ttls != nil || columns.costs != nil
      || setup.timeToLiveSeconds != nil || setup.objectsMax != nil || setup.admission != nil
      || EntryMemory.isGiven(in: setup.policy)
  }

  /// The setup of the tier.
  @usableFromInline var tierSetup: CacheTierSetup {
    var made = CacheTierSetup(setup, unit: unit, objects: columns.objects, seed: seed)
    if columns.costs == nil { made.keepsCosts = false }
    return made
  }

  /// Creates a simulation with time; its type hides the policy's type.
  @inlinable @inline(__always) func timed<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>(
    _ model: FetchModel, _ policy: Policy.Type, _ shape: Shape.Type
  ) throws(PolicyError) -> any Simulation {
    ErasedSimulation(
      try TimedSimulation<Policy, Shape>(tierSetup, isDisk: isDisk, model: model, over: columns))
  }

  /// Creates a simulation; its type hides the policy's type.
  @inlinable @inline(__always)
  func simulation<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>(
    of policy: Policy.Type, _ shape: Shape.Type
  ) throws(PolicyError) -> any Simulation {
    ErasedSimulation(
      try SingleTierSimulation<Policy, Shape>(
        tierSetup, isDisk: isDisk, recordsOutcomes: recordsOutcomes, over: columns))
  }
}
