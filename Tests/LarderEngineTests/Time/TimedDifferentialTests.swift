import LarderEngine
import LarderPolicies
import TestSupport
import Testing

/// Simulations with time against their naive model, for every policy.
@Suite struct TimedDifferentialTests {
  private static let observers = PolicyRegistry.standard
    .filter { $0.type?.notices.contains(.requests) ?? false }.map(\.description.name)

  @Test(arguments: PolicyRegistry.standard.map(\.description.name))
  func everyPolicyAgrees(spec: String) throws {
    var random = TestRandom(seed: 11)
    for round in 0..<TestEffort.rounds(150, atLeast: 10) {
      let unit: CapacityUnit = round % 2 == 0 ? .objects : .bytes
      let model = try TimedDifferential.model(&random)
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
      guard try TimedDifferential.agrees(trace, setup, sparse: random.oneIn(2)) else { return }
    }
  }

  /// Policies that observe gets also observe those that wait for a read of a resident object.
  @Test(arguments: observers)
  func requestsWaitingForReadsAreObserved(spec: String) throws {
    var random = TestRandom(seed: 13)
    for _ in 0..<TestEffort.rounds(1500) {
      let tier = TierSetup(
        policy: try PolicySpec(parsing: spec), capacity: UInt64(2 + random.below(6)))
      let second: UInt64 = 1_000_000
      let setup = SimulationSetup(
        arrangement: .disk(tier), unit: .objects,
        time: try FetchModel(
          latencies: [UInt64(1 + random.below(9)) * second],
          diskLatencies: [UInt64(1 + random.below(9)) * second]))
      var maker = TestTraceMaker(
        features: .random(&random), capacity: tier.capacity,
        random: TestRandom(seed: random.next()))
      guard try TimedDifferential.agrees(maker.make(), setup, sparse: false) else { return }
    }
  }

  /// Without latency, the counts are those without time, and no request waits.
  @Test(arguments: PolicyRegistry.standard.map(\.description.name))
  func withoutLatencyNothingChanges(spec: String) throws {
    var random = TestRandom(seed: 12)
    for _ in 0..<TestEffort.rounds(60, atLeast: 10) {
      let tier = TierSetup(
        policy: try PolicySpec(parsing: spec), capacity: UInt64(1 + random.below(20)))
      var setup = SimulationSetup(
        arrangement: random.oneIn(2) ? .memory(tier) : .disk(tier),
        unit: random.oneIn(2) ? .objects : .bytes, seed: random.next())
      var maker = TestTraceMaker(
        features: .random(&random), capacity: tier.capacity,
        random: TestRandom(seed: random.next()))
      let trace = maker.make()
      // Policies that observe gets do not see sets, but do see gets of objects that are too large.
      if Self.observers.contains(spec),
        trace.requests.contains(where: { $0.operation == .set || $0.size > tier.capacity })
      {
        continue
      }
      let untimed = try Differential.engine(trace, setup, sparse: false)
      setup.time = try FetchModel(
        latencies: [0], diskLatencies: random.oneIn(2) ? [0] : nil, coalesces: random.oneIn(2))
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
}
