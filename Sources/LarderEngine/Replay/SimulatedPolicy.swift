/// Closures that simulate a policy or a bound: a second table next to the registry's, which a
/// program with caches alone never names.
@usableFromInline struct SimulatedPolicy: Sendable {
  /// True for a bound, which has no tier.
  @usableFromInline let isBound: Bool
  /// A simulation of one tier without time; for a bound, of everything.
  @usableFromInline let makeSingle:
    @Sendable (SingleTier, SegmentSetup?) throws(PolicyError) -> any Simulation
  /// A tier, for simulations with time, hybrids and probes.
  @usableFromInline let makeTier: @Sendable (CacheTierSetup) throws(PolicyError) -> SimulatedTier

  /// A policy's line.
  @inlinable init<Policy: EvictionPolicy & ~Copyable>(_ policy: Policy.Type) {
    isBound = false
    makeSingle = {
      (single: SingleTier, segments: SegmentSetup?) throws(PolicyError) -> any Simulation in
      // Nor do the loops of gets alone look for entries that expire by idleness.
      if single.needsFullShape || segments != nil || Policy.notices.contains(.idleness) {
        ErasedSimulation(try TierSimulation<Policy>(single, segments))
      } else if single.unit == .bytes {
        ErasedSimulation(
          try GetsSimulation<Policy, SizedShape>(
            single.tierSetup, isDisk: single.isDisk, over: single.columns))
      } else {
        ErasedSimulation(
          try GetsSimulation<Policy, UnitShape>(
            single.tierSetup, isDisk: single.isDisk, over: single.columns))
      }
    }
    makeTier = { (setup: CacheTierSetup) throws(PolicyError) -> SimulatedTier in
      SimulatedTier(Held(try Tier<Policy, FullShape>(setup.simulated)))
    }
  }

  /// A bound's line.
  init<Subject: Bound>(_ bound: Subject.Type) {
    let name = Subject.description.name
    isBound = true
    makeSingle = { (single: SingleTier, _) throws(PolicyError) -> any Simulation in
      if single.time != nil { throw .boundOnly(name, where: "a simulation with time") }
      if Subject.isReachable { try single.setup.refuseLimits(to: name, over: single.columns) }
      return try BoundSimulation<Subject>(
        single.setup, isDisk: single.isDisk, unit: single.unit, over: single.columns)
    }
    makeTier = { _ throws(PolicyError) -> SimulatedTier in
      throw .boundOnly(name, where: "a tier of a hybrid cache")
    }
  }

  /// The policies and bounds of this package; empty without the trait Simulation, so that apps
  /// neither compile nor contain simulations.
  static let standard: [String: SimulatedPolicy] = {
    #if Simulation
      let policies = PolicyRegistry.standard(SimulationTable.self)
      let learned = PolicyRegistry.learned(SimulationTable.self)
      let bounds = [
        (PFOOUpper.description.name, SimulatedPolicy(PFOOUpper.self)),
        (PFOOLower.description.name, SimulatedPolicy(PFOOLower.self)),
      ]
      return Dictionary(policies + learned + bounds, uniquingKeysWith: { first, _ in first })
    #else
      return [:]
    #endif
  }()

  /// One tier over a trace.
  func makeSimulation(
    _ single: SingleTier, _ segments: SegmentSetup? = nil
  ) throws(PolicyError) -> any Simulation {
    guard let time = single.time, !isBound else { return try makeSingle(single, segments) }
    return ErasedSimulation(TimedSimulation(try makeTier(single.tierSetup), single, model: time))
  }
}

/// A table with a line for each policy: see `PolicyRegistry.standard(_:)`.
protocol PolicyTable {
  /// Entry of the table for a policy.
  associatedtype Line
  /// Returns a policy's line.
  static func line<Policy: EvictionPolicy & ~Copyable>(_ policy: Policy.Type) -> Line
}

/// The table of real caches: the registry.
enum CacheTable: PolicyTable {
  @inline(__always) static func line<Policy: EvictionPolicy & ~Copyable>(
    _ policy: Policy.Type
  ) -> RegisteredPolicy { RegisteredPolicy(policy, simulated: nil) }
}

/// The table of simulations.
enum SimulationTable: PolicyTable {
  @inline(__always) static func line<Policy: EvictionPolicy & ~Copyable>(
    _ policy: Policy.Type
  ) -> (String, SimulatedPolicy) {
    (Policy.description.name, SimulatedPolicy(policy))
  }
}

/// Setup and trace of a simulation of one tier.
@usableFromInline struct SingleTier {
  var setup: TierSetup
  @usableFromInline var isDisk: Bool
  @usableFromInline var unit: CapacityUnit
  var seed: UInt64
  @usableFromInline var recordsOutcomes: Bool
  var time: FetchModel?
  @usableFromInline var columns: RequestColumns

  /// The only tier of a setup; nil for a hybrid.
  init?(_ setup: SimulationSetup, over columns: RequestColumns) {
    let (tier, isDisk): (TierSetup, Bool)
    switch setup.arrangement {
    case .memory(let only): (tier, isDisk) = (only, false)
    case .disk(let only): (tier, isDisk) = (only, true)
    case .hybrid: return nil
    }
    self.init(
      setup: tier, isDisk: isDisk, unit: setup.unit, seed: setup.seed,
      recordsOutcomes: setup.recordsOutcomes, time: setup.time, columns: columns)
  }

  init(
    setup: TierSetup, isDisk: Bool, unit: CapacityUnit, seed: UInt64, recordsOutcomes: Bool,
    time: FetchModel?, columns: RequestColumns
  ) {
    self.setup = setup
    self.isDisk = isDisk
    self.unit = unit
    self.seed = seed
    self.recordsOutcomes = recordsOutcomes
    self.time = time
    self.columns = columns
  }

  /// True if the trace or the tier has anything that the loops of gets do not support.
  @usableFromInline var needsFullShape: Bool {
    recordsOutcomes || columns.operations != nil || columns.ttls != nil || columns.costs != nil
      || setup.timeToLiveSeconds != nil || setup.objectsMax != nil || setup.admission != nil
      || EntryMemory.isGiven(in: setup.policy)
  }

  /// Setup of the tier.
  @usableFromInline var tierSetup: CacheTierSetup {
    var made = CacheTierSetup(setup, unit: unit, objects: columns.objects, seed: seed)
    if columns.costs == nil { made.keepsCosts = false }
    return made
  }
}

extension CacheTierSetup {
  /// The setup of a simulated tier: objects have the sizes of their requests, whatever the unit.
  @usableFromInline var simulated: CacheTierSetup {
    var made = self
    made.weighs = true
    return made
  }
}

extension RegisteredPolicy {
  /// Returns the closures that simulate the policy.
  func simulation() throws(PolicyError) -> SimulatedPolicy {
    guard let simulated = simulated ?? SimulatedPolicy.standard[description.name] else {
      throw .badSetup(
        "simulation", "of \(description.name)",
        expected: "a build of Larder with the package trait Simulation or Tools")
    }
    return simulated
  }

  /// A simulation of one tier with the policy, whether it is in the registry or not.
  package func makeSimulation(
    _ setup: TierSetup, unit: CapacityUnit, seed: UInt64, over columns: RequestColumns
  ) throws(PolicyError) -> any Simulation {
    try simulation().makeSimulation(
      SingleTier(
        setup: setup, isDisk: false, unit: unit, seed: seed, recordsOutcomes: false, time: nil,
        columns: columns))
  }
}

/// Simulations of what has a name.
extension PolicyRegistry {
  /// Refuses a bound on what it is not one on; for policies nothing is checked. What
  /// `makeSimulation` would refuse, too, before anything is run.
  ///
  /// - Throws: `boundOnly`, or as `policy(named:)`.
  public static func checkBound(
    in setup: SimulationSetup, over columns: RequestColumns
  ) throws(PolicyError) {
    switch setup.arrangement {
    case .memory(let tier), .disk(let tier):
      guard try policy(named: tier.policy).isReachable else { return }
      try tier.refuseLimits(to: tier.policy.name, over: columns)
    case .hybrid(let memory, let disk, _):
      for tier in [memory, disk] where try policy(named: tier.policy).isBound {
        throw .boundOnly(tier.policy.name, where: "a tier of a hybrid cache")
      }
    }
  }

  /// A simulation of `setup` over a trace.
  ///
  /// - Throws: `PolicyError` when a policy or parameter does not exist, or when a policy needs the
  ///   next use and `columns` does not have it.
  public static func makeSimulation(
    _ setup: SimulationSetup, over columns: RequestColumns
  ) throws(PolicyError) -> any Simulation {
    if case .hybrid(let memory, let disk, let rules) = setup.arrangement {
      return try makeHybrid(setup, memory, disk, rules, over: columns)
    }
    guard let single = SingleTier(setup, over: columns) else {
      throw .badSetup("tiers", "none", expected: "memory, disk or both")
    }
    if let segments = setup.segments {
      guard single.isDisk, setup.unit == .bytes, setup.time == nil else {
        throw .badSetup(
          "segments", "\(segments.bytes) bytes",
          expected: "one tier on disk whose capacity is in bytes, without time")
      }
    }
    let policy = try checked(single.setup, columns)
    return try policy.simulation().makeSimulation(single, setup.segments)
  }

  private static func makeHybrid(
    _ setup: SimulationSetup, _ memory: TierSetup, _ disk: TierSetup, _ rules: HybridRules,
    over columns: RequestColumns
  ) throws(PolicyError) -> any Simulation {
    let policies = (memory: try checked(memory, columns), disk: try checked(disk, columns))
    // One tier may need a cost that only the other has stored.
    let keepsCosts =
      columns.costs != nil
      && [policies.memory, policies.disk].contains { $0.description.needs.contains(.cost) }
    func tier(
      _ tier: TierSetup, _ policy: RegisteredPolicy
    ) throws(PolicyError) -> SimulatedTier {
      var made = CacheTierSetup(tier, unit: setup.unit, objects: columns.objects, seed: setup.seed)
      made.keepsCosts = keepsCosts
      return try policy.simulation().makeTier(made)
    }
    let core = HybridCore(
      memory: try tier(memory, policies.memory), disk: try tier(disk, policies.disk),
      rules: rules, objects: columns.objects)
    if let time = setup.time {
      return ErasedSimulation(
        TimedHybridSimulation(core: core, model: time, unit: setup.unit, over: columns))
    }
    return ErasedSimulation(
      HybridSimulation(
        core: core, unit: setup.unit, recordsOutcomes: setup.recordsOutcomes, over: columns))
  }

  /// One tier with nothing around it, for tests and for looking at a policy's decisions.
  ///
  /// - Throws: `PolicyError` when a policy or parameter does not exist, or when capacity or objects
  ///   are out of range.
  public static func makeProbe(
    _ setup: TierSetup, unit: CapacityUnit, objects: Int, seed: UInt64 = 0
  ) throws(PolicyError) -> PolicyProbe {
    try checkCapacity(setup.capacity, setup.objectsMax, of: setup.policy)
    guard 0...ObjectID.maximumCount ~= objects else {
      throw .badSetup(
        "objects", "\(objects)", expected: "a whole number from 0 to \(ObjectID.maximumCount)")
    }
    let made = CacheTierSetup(setup, unit: unit, objects: objects, seed: seed)
    return PolicyProbe(
      try policy(named: setup.policy).simulation().makeTier(made), objects: objects)
  }

  private static func checked(
    _ tier: TierSetup, _ columns: RequestColumns
  ) throws(PolicyError) -> RegisteredPolicy {
    try checked(
      tier.policy, capacity: tier.capacity, objectsMax: tier.objectsMax,
      knowsNextUse: columns.nextUses != nil)
  }
}
