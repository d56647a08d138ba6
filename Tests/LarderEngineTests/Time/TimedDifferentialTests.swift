import LarderEngine
import Testing

/// Simulations with time against their naive model, for every policy.
@Suite struct TimedDifferentialTests {
  @Test(arguments: PolicyRegistry.standard.map(\.description.name))
  func everyPolicyAgrees(spec: String) throws {
    var random = TestRandom(seed: 11)
    for round in 0..<150 {
      let unit: CapacityUnit = round % 2 == 0 ? .objects : .bytes
      let model = try Self.model(&random)
      let tier = TierSetup(
        policy: try PolicySpec(parsing: spec), capacity: UInt64(1 + random.below(20)),
        timeToLiveSeconds: random.oneIn(4) ? UInt32(1 + random.below(40)) : nil,
        objectsMax: random.oneIn(4) ? UInt64(1 + random.below(12)) : nil)
      let setup = SimulationSetup(
        arrangement: random.oneIn(2) ? .memory(tier) : .disk(tier), unit: unit,
        seed: random.next(), time: model)
      var maker = TestTraceMaker(
        features: .random(&random), capacity: tier.capacity,
        random: TestRandom(seed: random.next()))
      let trace = maker.make()
      guard try agrees(trace, setup, model, sparse: random.oneIn(2)) else { return }
    }
  }

  /// Nothing takes time: the counts are those without time, and nobody waits.
  @Test(arguments: PolicyRegistry.standard.map(\.description.name))
  func withoutLatencyNothingChanges(spec: String) throws {
    var random = TestRandom(seed: 12)
    for _ in 0..<60 {
      let tier = TierSetup(
        policy: try PolicySpec(parsing: spec), capacity: UInt64(1 + random.below(20)))
      var setup = SimulationSetup(
        arrangement: .memory(tier), unit: random.oneIn(2) ? .objects : .bytes,
        seed: random.next())
      var maker = TestTraceMaker(
        features: .random(&random), capacity: tier.capacity,
        random: TestRandom(seed: random.next()))
      let trace = maker.make()
      // To a policy that is told of gets, a set is none.
      if spec == "lru-mad", trace.requests.contains(where: { $0.operation == .set }) { continue }
      let untimed = try Differential.engine(trace, setup, sparse: false)
      setup.time = try FetchModel(
        latencies: [0], coalesces: random.oneIn(2))
      var timed = try Differential.engine(trace, setup, sparse: false)
      let time = try #require(timed.time)
      #expect(time.totalLatency == 0 && time.delayedHits == 0 && time.p99Latency == 0)
      #expect(time.originFetches == untimed.misses && time.maxInFlight <= 1)
      timed.time = nil
      guard timed == untimed else {
        Issue.record("\(spec) on\n\(trace)\n\(timed.differences(from: untimed))")
        return
      }
    }
  }

  private func agrees(
    _ trace: TestTrace, _ setup: SimulationSetup, _ model: FetchModel, sparse: Bool
  ) throws -> Bool {
    func expected(_ trace: TestTrace) throws -> Counts? {
      var counts = try NaiveTimedSimulation.counts(of: trace, setup, model)
      if trace.columns(sparse: sparse).costs == nil { counts?.cost = nil }
      return counts
    }
    func differs(_ trace: TestTrace) throws -> Bool {
      try Differential.engine(trace, setup, sparse: sparse) != expected(trace)
    }
    guard try differs(trace) else { return true }
    let smallest = try trace.shrunk(while: differs)
    let found = try Differential.engine(smallest, setup, sparse: sparse)
    let wanted = try #require(try expected(smallest))
    Issue.record(
      """
      \(setup.summary), \(model):
      \(smallest)
      \(found.differences(from: wanted))
      \(found.time.map { "\($0)" } ?? "no time")
      \(wanted.time.map { "\($0)" } ?? "no time")
      """)
    return false
  }

  private static func model(_ random: inout TestRandom) throws -> FetchModel {
    let isCounting = random.oneIn(3)
    let unit: UInt64 = isCounting ? 1 : 500_000
    return try FetchModel(
      latencies: [UInt64(random.below(14)) * unit],
      bytesPerSecond: random.oneIn(3) ? UInt64(1 + random.below(4)) : nil,
      servers: random.oneIn(3) ? 1 + random.below(3) : nil, coalesces: !random.oneIn(3),
      clock: isCounting ? .requests : .trace)
  }
}
