import LarderEngine
import LarderPolicies
import Testing

/// Replays random traces through the engine and through the models, and reports the first
/// difference as a script to read.
enum Differential {
  static func engine(_ trace: TestTrace, _ setup: SimulationSetup, sparse: Bool) throws -> Counts {
    let simulation = try PolicyRegistry.makeSimulation(setup, over: trace.columns(sparse: sparse))
    simulation.run(upTo: trace.requests.count, untilFirstEviction: false)
    return simulation.counts
  }

  private static func model(
    _ trace: TestTrace, _ setup: SimulationSetup, sparse: Bool
  ) throws -> Counts? {
    var counts =
      try setup.time.map { try NaiveTimedSimulation.counts(of: trace, setup, $0) }
      ?? NaiveSimulation.counts(of: trace, setup)
    if trace.columns(sparse: sparse).costs == nil { counts?.cost = nil }
    return counts
  }

  /// Returns true if engine and model agree; records the smallest trace on which they differ.
  static func agrees(
    on trace: TestTrace, _ setup: SimulationSetup, sparse: Bool
  ) throws -> Bool {
    guard let difference = try difference(on: trace, setup, sparse: sparse) else { return true }
    Issue.record(Comment(rawValue: difference))
    return false
  }

  private static func difference(
    on trace: TestTrace, _ setup: SimulationSetup, sparse: Bool
  ) throws -> String? {
    func differs(_ trace: TestTrace) throws -> Bool {
      try engine(trace, setup, sparse: sparse) != model(trace, setup, sparse: sparse)
    }
    guard try differs(trace) else { return nil }
    let smallest = try trace.shrunk(while: differs)
    let found = try engine(smallest, setup, sparse: sparse)
    let expected = try model(smallest, setup, sparse: sparse)
    return """
      \(setup.summary), columns \(sparse ? "sparse" : "all"):
      \(smallest)
      \(expected.map { found.differences(from: $0) } ?? "there is no model")
      """
  }
}
