import LarderEngine
import LarderPolicies

/// The policies of the contract tests: the registry, so that a new policy is covered automatically.
enum ContractSpecs {
  static let plain = PolicyRegistry.standard.map(\.description.name)

  static let varied = plain.flatMap { name in
    [name] + NaivePolicies.specs(of: name).filter { $0 != name }
  }

  /// `plain` and `varied` without the rejection of objects by size: rules about stored objects are
  /// vacuous if nothing is stored.
  static let storing = plain.map(storing)
  static let storingVaried = varied.map(storing)

  private static func storing(_ spec: String) -> String {
    let name = spec.prefix { $0 != ":" }
    if name == "la-cache", !spec.contains("admission") { return spec + ":admission=all" }
    let policy = PolicyRegistry.standard.first { $0.description.name == name }?.description
    if policy?.entryMemory != nil, !spec.contains("memory=") { return spec + ":memory=values" }
    let refuses = policy?.parameters.contains { $0.name == "refuse-large" } ?? false
    return refuses && !spec.contains("refuse-large") ? spec + ":refuse-large=false" : spec
  }

  static let random = PolicyRegistry.standard.map(\.description).filter(\.isRandom).map(\.name)

  static func probe(
    _ spec: String, capacity: UInt64, unit: CapacityUnit = .objects, objects: Int, seed: UInt64 = 0
  ) throws -> PolicyProbe {
    try PolicyProbe(
      PolicySpec(parsing: spec), capacity: capacity, unit: unit, objects: objects, seed: seed)
  }

  static func simulation(
    _ spec: String, capacity: UInt64, unit: CapacityUnit = .objects, seed: UInt64 = 0,
    over trace: TestTrace
  ) throws -> any Simulation {
    try PolicyRegistry.makeSimulation(
      SimulationSetup(
        arrangement: .memory(
          TierSetup(policy: try PolicySpec(parsing: spec), capacity: capacity)),
        unit: unit, seed: seed),
      over: trace.columns())
  }

  static func counts(
    _ spec: String, capacity: UInt64, unit: CapacityUnit = .objects, seed: UInt64 = 0,
    over trace: TestTrace
  ) throws -> Counts {
    let simulation = try simulation(
      spec, capacity: capacity, unit: unit, seed: seed, over: trace)
    simulation.run(upTo: trace.requests.count, untilFirstEviction: false)
    return simulation.counts
  }

  static func trace(
    _ features: TestTraceMaker.Features, capacity: UInt64, seed: UInt64
  ) -> TestTrace {
    var maker = TestTraceMaker(
      features: features, capacity: capacity, random: TestRandom(seed: seed))
    return maker.make()
  }
}
