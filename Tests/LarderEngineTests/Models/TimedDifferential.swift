import LarderEngine
import Testing

/// Replays random traces with time through the engine and through the models, and records the first
/// difference as a readable script.
enum TimedDifferential {
  /// Returns true if engine and model agree; records the smallest trace on which they differ.
  static func agrees(
    _ trace: TestTrace, _ setup: SimulationSetup, sparse: Bool
  ) throws -> Bool {
    func differs(_ trace: TestTrace) throws -> Bool {
      try Differential.engine(trace, setup, sparse: sparse)
        != expected(trace, setup, sparse: sparse)
    }
    guard try differs(trace) else { return true }
    let smallest = try trace.shrunk(while: differs)
    let found = try Differential.engine(smallest, setup, sparse: sparse)
    let wanted = try #require(try expected(smallest, setup, sparse: sparse))
    Issue.record(
      """
      \(setup.summary), \(setup.time.map { "\($0)" } ?? "no time"):
      \(smallest)
      \(found.differences(from: wanted))
      \(found.time.map { "\($0)" } ?? "no time")
      \(wanted.time.map { "\($0)" } ?? "no time")
      """)
    return false
  }

  private static func expected(
    _ trace: TestTrace, _ setup: SimulationSetup, sparse: Bool
  ) throws -> Counts? {
    let model = try #require(setup.time)
    var counts = try NaiveTimedSimulation.counts(of: trace, setup, model)
    if trace.columns(sparse: sparse).costs == nil { counts?.cost = nil }
    return counts
  }

  static func model(_ random: inout TestRandom) throws -> FetchModel {
    let isCounting = random.oneIn(3)
    let unit: UInt64 = isCounting ? 1 : 500_000
    return try FetchModel(
      latencies: [UInt64(random.below(14)) * unit],
      diskLatencies: random.oneIn(4) ? nil : [UInt64(random.below(8)) * unit],
      bytesPerSecond: random.oneIn(3) ? UInt64(1 + random.below(4)) : nil,
      servers: random.oneIn(3) ? 1 + random.below(3) : nil, coalesces: !random.oneIn(3),
      clock: isCounting ? .requests : .trace)
  }
}
