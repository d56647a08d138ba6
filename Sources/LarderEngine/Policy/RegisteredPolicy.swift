/// A policy in the registry: its description, and the ways to run it.
///
/// The closures are where the policy's type is erased: once for each cell, outside every loop.
/// They are made in the module that names the policy's type, and all that they reach for each
/// request is `@inlinable`, so the loops behind them are specialised for the policy wherever it is
/// defined: a policy of another package runs at the speed of one of this module.
public struct RegisteredPolicy: Sendable {
  /// Name, parameters, needs and paper.
  public let description: PolicyDescription
  /// Whether a hit may make the policy evict.
  @usableFromInline package let evictsOnHit: Bool
  /// Whether it can say what it would evict.
  @usableFromInline package let knowsVictim: Bool
  /// Whether the time of requests plays a part.
  public let followsTime: Bool
  /// Whether it is a bound on what policies can reach, and no policy.
  public let isBound: Bool
  /// Whether it is a bound that a cache could reach if nothing but its capacity kept hits from it.
  @usableFromInline let isReachable: Bool
  /// The policy's type; nil for a bound.
  @usableFromInline package let type: (any (EvictionPolicy & ~Copyable).Type)?

  /// What a single-tier simulation is made from.
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
  /// Whether `sweep` has a pass for several capacities.
  @usableFromInline let sweepsCapacities: Bool
  @usableFromInline let sweep: @Sendable (CapacitySweepSetup, RequestColumns) -> CapacitySweep?
  @usableFromInline let makeSimulatedTier:
    @Sendable (CacheTierSetup) throws(PolicyError) -> SimulatedTier
  @usableFromInline let makeCacheTier: @Sendable (CacheTierSetup) throws(PolicyError) -> CacheTier

  /// A policy as the registry takes it: see `PolicyRegistry.add`.
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
        // Two shapes and not three: each is a loop of its own for each policy.
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
  /// The registry's line for a bound.
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
  /// A simulation of one tier with the policy, whether it is in the registry or not.
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
  @usableFromInline var needsFullShape: Bool {
    columns.operations != nil || columns.ttls != nil || columns.costs != nil
      || setup.timeToLiveSeconds != nil || setup.objectsMax != nil || setup.admission != nil
      || EntryMemory.isGiven(in: setup.policy)
  }

  /// What the tier is made from.
  @usableFromInline var tierSetup: CacheTierSetup {
    var made = CacheTierSetup(setup, unit: unit, objects: columns.objects, seed: seed)
    if columns.costs == nil { made.keepsCosts = false }
    return made
  }

  /// A simulation with time, whose policy is known here and hidden in what is returned.
  @inlinable @inline(__always) func timed<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>(
    _ model: FetchModel, _ policy: Policy.Type, _ shape: Shape.Type
  ) throws(PolicyError) -> any Simulation {
    ErasedSimulation(
      try TimedSimulation<Policy, Shape>(tierSetup, isDisk: isDisk, model: model, over: columns))
  }

  /// A simulation whose policy is known here and hidden in what is returned.
  @inlinable @inline(__always)
  func simulation<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>(
    of policy: Policy.Type, _ shape: Shape.Type
  ) throws(PolicyError) -> any Simulation {
    ErasedSimulation(
      try SingleTierSimulation<Policy, Shape>(
        tierSetup, isDisk: isDisk, recordsOutcomes: recordsOutcomes, over: columns))
  }
}
