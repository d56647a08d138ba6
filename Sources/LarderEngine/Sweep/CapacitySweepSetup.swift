/// What a sweep of one policy over several capacities is made from.
public struct CapacitySweepSetup: Sendable {
  /// From 1 to `PolicySetup.capacityMax` each, at most `CapacitySweep.capacitiesMax`, in any order.
  public let capacities: [UInt64]
  /// The policy with its parameters.
  public let spec: PolicySpec
  let isDisk: Bool

  /// The capacity where there is one alone; otherwise nil.
  var onlyCapacity: UInt64? { capacities.count == 1 ? capacities.first : nil }
}

extension RegisteredPolicy {
  /// A pass for several tiers with the policy over the same trace, where the policy has one and
  /// nothing but the capacities differs; otherwise nil.
  func makeSweep(_ tiers: [SingleTier]) -> CapacitySweep? {
    guard let first = tiers.first, 1...CapacitySweep.capacitiesMax ~= tiers.count else {
      return nil
    }
    let areEqual = tiers.allSatisfy { tier in
      tier.setup.policy == first.setup.policy && tier.isDisk == first.isDisk
        && tier.unit == .objects && tier.time == nil && !tier.recordsOutcomes
        && !tier.needsFullShape && 1...PolicySetup.capacityMax ~= tier.setup.capacity
    }
    guard areEqual else { return nil }
    let setup = CapacitySweepSetup(
      capacities: tiers.map(\.setup.capacity), spec: first.setup.policy, isDisk: first.isDisk)
    return sweep(setup, first.columns)
  }
}

extension PolicyRegistry {
  /// Whether simulations that differ from this one in their capacity alone may go together: see
  /// `makeSweep`, which may still have no pass for them.
  package static func sweepsCapacities(_ setup: SimulationSetup) -> Bool {
    guard let tier = setup.onlyTier else { return false }
    return (try? policy(named: tier.policy))?.sweepsCapacities ?? false
  }

  /// Several simulations as one pass over the trace, where they differ in the capacity of their
  /// only tier alone and the policy can do that; otherwise nil, and each must be made on its own.
  /// Counts are the same either way.
  public static func makeSweep(
    _ setups: [SimulationSetup], over columns: RequestColumns
  ) -> CapacitySweep? {
    var tiers: [RegisteredPolicy.SingleTier] = []
    for setup in setups {
      guard setup.segments == nil, let tier = setup.onlyTier else { return nil }
      var isDisk = false
      if case .disk = setup.arrangement { isDisk = true }
      tiers.append(
        RegisteredPolicy.SingleTier(
          setup: tier, isDisk: isDisk, unit: setup.unit, seed: setup.seed,
          recordsOutcomes: setup.recordsOutcomes, time: setup.time, columns: columns))
    }
    guard let first = tiers.first else { return nil }
    return try? policy(named: first.setup.policy).makeSweep(tiers)
  }
}

extension SimulationSetup {
  /// The tier of an arrangement that has one; nil for a hybrid.
  var onlyTier: TierSetup? {
    switch arrangement {
    case .memory(let tier), .disk(let tier): tier
    case .hybrid: nil
    }
  }
}
