import LarderEngine

/// Simulations of what has a name.
extension PolicyRegistry {
  /// Refuses a bound on what it is not one on; for policies nothing is checked.
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
  public static func makeSimulation(
    _ setup: SimulationSetup, over columns: RequestColumns
  ) throws(PolicyError) -> any Simulation {
    try setup.simulation(over: columns) { (tier: TierSetup) throws(PolicyError) in
      try checked(
        tier.policy, capacity: tier.capacity, objectsMax: tier.objectsMax,
        knowsNextUse: columns.nextUses != nil)
    }
  }
}
