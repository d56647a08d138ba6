/// Closures that simulate a policy or a bound, with the package trait Simulation.
@usableFromInline struct SimulatedPolicy: Sendable {
  @usableFromInline let isBound: Bool
  @usableFromInline let makeSingle: @Sendable (SingleTier) throws(PolicyError) -> any Simulation
  @usableFromInline let makeTier: @Sendable (CacheTierSetup) throws(PolicyError) -> SimulatedTier

  @inlinable init<Policy: EvictionPolicy & ~Copyable>(_ policy: Policy.Type) {
    isBound = false
    makeSingle = { (single: SingleTier) throws(PolicyError) -> any Simulation in
      // Nor do the loops of gets alone look for entries that expire by idleness.
      if single.needsFullShape(for: Policy.description) || Policy.notices.contains(.idleness) {
        HeldSimulation(try TierSimulation<Policy>(single))
      } else if single.unit == .bytes {
        HeldSimulation(
          try GetsSimulation<Policy, SizedShape>(
            single.tierSetup, isDisk: single.isDisk, over: single.columns))
      } else {
        HeldSimulation(
          try GetsSimulation<Policy, UnitShape>(
            single.tierSetup, isDisk: single.isDisk, over: single.columns))
      }
    }
    makeTier = { (setup: CacheTierSetup) throws(PolicyError) -> SimulatedTier in
      SimulatedTier(Held(try Tier<Policy, FullShape>(setup.simulated)))
    }
  }

  init(
    bound name: String, isReachable: Bool,
    _ prepare:
      @escaping @Sendable (RequestColumns, CapacityUnit) throws(PolicyError) -> any PreparedBound
  ) {
    isBound = true
    makeSingle = { (single: SingleTier) throws(PolicyError) -> any Simulation in
      if single.setup.time != nil { throw .boundOnly(name, where: "a simulation with time") }
      if isReachable { try single.tier.refuseLimits(to: name, over: single.columns) }
      return BoundSimulation(try prepare(single.columns, single.unit), single)
    }
    makeTier = { _ throws(PolicyError) -> SimulatedTier in
      throw .boundOnly(name, where: "a tier of a hybrid cache")
    }
  }

  func makeSimulation(_ single: SingleTier) throws(PolicyError) -> any Simulation {
    guard let time = single.setup.time, !isBound else { return try makeSingle(single) }
    let tier = try makeTier(single.tierSetup)
    let core = HybridCore(
      memory: single.isDisk ? nil : tier, disk: single.isDisk ? tier : nil,
      rules: HybridRules(promotion: .never), objects: single.columns.objects)
    return HeldSimulation(
      TimedSimulation(core: core, model: time, unit: single.unit, over: single.columns))
  }
}

/// Setup and trace of a simulation of one tier.
@usableFromInline struct SingleTier {
  let setup: SimulationSetup
  let tier: TierSetup
  @usableFromInline let isDisk: Bool
  @usableFromInline let columns: RequestColumns

  @usableFromInline var unit: CapacityUnit { setup.unit }

  /// True if the trace or the tier has anything that the loops of gets do not support.
  @usableFromInline func needsFullShape(for policy: PolicyDescription) -> Bool {
    setup.recordsOutcomes || setup.segments != nil || columns.operations != nil
      || columns.ttls != nil || columns.costs != nil || tier.timeToLiveSeconds != nil
      || tier.objectsMax != nil || tier.admission != nil
      || unit == .bytes && policy.entryMemory != nil && EntryMemory.isGiven(in: tier.policy)
  }

  @usableFromInline var tierSetup: CacheTierSetup {
    var made = CacheTierSetup(tier, unit: unit, objects: columns.objects, seed: setup.seed)
    if columns.costs == nil { made.keepsCosts = false }
    return made
  }
}

extension CacheTierSetup {
  @usableFromInline var simulated: CacheTierSetup {
    var made = self
    made.weighs = true
    return made
  }
}

extension RegisteredPolicy {
  func simulation() throws(PolicyError) -> SimulatedPolicy {
    guard let simulated else {
      throw .badSetup(
        "simulation", "of \(description.name)",
        expected: "a build of Larder with the package trait Simulation or Tools")
    }
    return simulated
  }

  package func makeSimulation(
    _ setup: TierSetup, unit: CapacityUnit, seed: UInt64, over columns: RequestColumns
  ) throws(PolicyError) -> any Simulation {
    let setup = SimulationSetup(arrangement: .memory(setup), unit: unit, seed: seed)
    return try setup.simulation(over: columns) { _ in self }
  }
}

extension SimulationSetup {
  package func simulation(
    over columns: RequestColumns,
    policy: (TierSetup) throws(PolicyError) -> RegisteredPolicy
  ) throws(PolicyError) -> any Simulation {
    let (tier, isDisk): (TierSetup, Bool)
    switch arrangement {
    case .memory(let only): (tier, isDisk) = (only, false)
    case .disk(let only): (tier, isDisk) = (only, true)
    case .hybrid(let memory, let disk, let rules):
      let policies = (memory: try policy(memory), disk: try policy(disk))
      return try hybrid(memory, disk, policies, rules, over: columns)
    }
    if let segments {
      guard isDisk, unit == .bytes, time == nil else {
        throw .badSetup(
          "segments", "\(segments.bytes) bytes",
          expected: "one tier on disk whose capacity is in bytes, without time")
      }
    }
    return try policy(tier).simulation().makeSimulation(
      SingleTier(setup: self, tier: tier, isDisk: isDisk, columns: columns))
  }

  private func hybrid(
    _ memory: TierSetup, _ disk: TierSetup,
    _ policies: (memory: RegisteredPolicy, disk: RegisteredPolicy), _ rules: HybridRules,
    over columns: RequestColumns
  ) throws(PolicyError) -> any Simulation {
    // One tier may need a cost that only the other has stored.
    let keepsCosts =
      columns.costs != nil
      && [policies.memory, policies.disk].contains { $0.description.needs.contains(.cost) }
    func tier(
      _ tier: TierSetup, _ policy: RegisteredPolicy
    ) throws(PolicyError) -> SimulatedTier {
      var made = CacheTierSetup(tier, unit: unit, objects: columns.objects, seed: seed)
      made.keepsCosts = keepsCosts
      return try policy.simulation().makeTier(made)
    }
    let core = HybridCore(
      memory: try tier(memory, policies.memory), disk: try tier(disk, policies.disk),
      rules: rules, objects: columns.objects)
    if let time {
      return HeldSimulation(
        TimedSimulation(core: core, model: time, unit: unit, over: columns))
    }
    return HeldSimulation(
      HybridSimulation(
        core: core, unit: unit, recordsOutcomes: recordsOutcomes, over: columns))
  }
}
