import LarderEngine
import LarderExperiments
import LarderPolicies

/// Properties of every simulation.
enum SimulationProperties {
  /// Simulates, unless the setup is rejected, and checks that counts add up.
  static func check(_ setup: SimulationSetup, over columns: RequestColumns) throws {
    let simulation = try accepted(or: PolicyError.self) {
      try PolicyRegistry.makeSimulation(setup, over: columns)
    }
    guard let simulation else { return }
    _ = simulation.run(upTo: columns.count, untilFirstEviction: false)
    let counts = simulation.counts
    if let fault = counts.fault { throw FuzzFinding("counts of \(setup): \(fault)") }
    try require(
      counts.requests + counts.sets + counts.deletes <= columns.count,
      "more operations than requests: \(counts)")
    for tier in [counts.memory, counts.disk] {
      try require(
        tier.evictions + tier.expirations <= tier.admissions,
        "more entries leave than come: \(counts)")
    }
  }
}
