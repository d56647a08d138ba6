import LarderEngine
import LarderPolicies
import TestSupport
import Testing

/// Hybrids with time against their naive model, for every pair of policies.
@Suite struct TimedHybridTests {
  static let policies = PolicyRegistry.standard.map(\.description.name)

  private static func disks(_ memory: String, times: Int) -> [String] {
    TestEffort.cases(
      Array(repeatElement(policies, count: times).joined()), atLeast: 12,
      offset: policies.firstIndex(of: memory) ?? 0)
  }

  @Test(arguments: policies)
  func everyPairAgrees(memory: String) throws {
    var random = TestRandom(seed: 21)
    for (round, disk) in Self.disks(memory, times: 3).enumerated() {
      var setup = try Self.setup(memory, disk, round: round, &random)
      setup.time = try TimedDifferential.model(&random)
      let trace = Self.trace(for: setup, &random)
      guard try TimedDifferential.agrees(trace, setup, sparse: random.oneIn(2)) else { return }
    }
  }

  /// Without latency, the counts are those without time, and no request waits.
  @Test(arguments: policies)
  func withoutLatencyNothingChanges(memory: String) throws {
    var random = TestRandom(seed: 22)
    // Observed sets and demotions also change which objects count as requested before.
    func storing(_ name: String) -> String { name == "la-cache" ? name + ":admission=all" : name }
    let memory = storing(memory)
    for (round, disk) in Self.disks(memory, times: 2).map(storing).enumerated() {
      var setup = try Self.setup(memory, disk, round: round, &random)
      let trace = Self.trace(for: setup, &random)
      // Policies that observe gets do not see sets.
      let hasSets = trace.requests.contains { $0.operation == .set }
      if hasSets, [memory, disk].contains("lru-mad") { continue }
      let untimed = try Differential.engine(trace, setup, sparse: false)
      setup.time = try FetchModel(
        latencies: [0], diskLatencies: random.oneIn(2) ? [0] : nil, coalesces: random.oneIn(2))
      var timed = try Differential.engine(trace, setup, sparse: false)
      let time = try #require(timed.time)
      #expect(time.totalLatency == 0 && time.delayedHits == 0 && time.p99Latency == 0)
      #expect(time.originFetches == untimed.misses && time.maxInFlight <= 1)
      timed.time = nil
      guard timed == untimed else {
        Issue.record("\(setup.summary) on\n\(trace)\n\(timed.differences(from: untimed))")
        return
      }
    }
  }

  private static func setup(
    _ memory: String, _ disk: String, round: Int, _ random: inout TestRandom
  ) throws -> SimulationSetup {
    // Usually little memory in front of a larger disk, for many reads.
    let capacities = random.oneIn(4) ? (12, 6) : (1 + random.below(5), 4 + random.below(16))
    let tiers = try [(memory, capacities.0), (disk, capacities.1)].map { name, capacity in
      TierSetup(
        policy: try PolicySpec(parsing: name), capacity: UInt64(capacity),
        timeToLiveSeconds: random.oneIn(4) ? UInt32(1 + random.below(40)) : nil,
        objectsMax: random.oneIn(4) ? UInt64(1 + random.below(12)) : nil)
    }
    let short = UInt32(random.below(20))
    return SimulationSetup(
      arrangement: .hybrid(
        memory: tiers[0], disk: tiers[1],
        rules: HybridRules(
          inclusion: random.pick(HybridRules.Inclusion.allCases),
          promotion: random.pick(HybridRules.Promotion.allCases),
          placement: random.oneIn(3)
            ? .init(memoryOnlyBelowSeconds: short, diskOnlyFromSeconds: short + 10) : nil)),
      unit: round % 2 == 0 ? .objects : .bytes, seed: random.next())
  }

  private static func trace(
    for setup: SimulationSetup, _ random: inout TestRandom
  ) -> TestTrace {
    var features = TestTraceMaker.Features.random(&random)
    if !random.oneIn(4) { features.insert(.times) }
    var maker = TestTraceMaker(
      features: features, capacity: setup.smallestCapacity,
      random: TestRandom(seed: random.next()))
    return maker.make(requests: 40 + random.below(160), objects: 4 + random.below(20))
  }
}
