import LarderEngine
import LarderPolicies
import TestSupport
import Testing

@Suite struct TimedDifferentialTests {
  private static let policies = PolicyRegistry.standard.map(\.description.name)

  private static let observers = PolicyRegistry.standard
    .filter { $0.type?.notices.contains(.requests) ?? false }.map(\.description.name)

  @Test(arguments: policies)
  func everyPolicyAgrees(spec: String) throws {
    var random = TestRandom(seed: 11)
    for round in 0..<TestEffort.rounds(150, atLeast: 10) {
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
      guard try Differential.agrees(on: trace, setup, sparse: random.oneIn(2)) else { return }
    }
  }

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
      guard try Differential.agrees(on: maker.make(), setup, sparse: false) else { return }
    }
  }

  @Test(arguments: policies)
  func everyPairAgrees(memory: String) throws {
    var random = TestRandom(seed: 21)
    for (round, disk) in Self.disks(memory, times: 3).enumerated() {
      var setup = try Self.setup(memory, disk, round: round, &random)
      setup.time = try Self.model(&random)
      let trace = Self.trace(for: setup, &random)
      guard try Differential.agrees(on: trace, setup, sparse: random.oneIn(2)) else { return }
    }
  }

  @Test(arguments: policies)
  func withoutLatencyNothingChanges(memory: String) throws {
    var random = TestRandom(seed: 22)
    // Observed sets and demotions also change which objects count as requested before.
    func storing(_ name: String) -> String { name == "la-cache" ? name + ":admission=all" : name }
    let memory = storing(memory)
    for (round, disk) in Self.disks(memory, times: 2).map(storing).enumerated() {
      var setup = try Self.setup(memory, disk, round: round, &random)
      if round % 3 == 0, case .hybrid(let tier, _, _) = setup.arrangement {
        setup.arrangement = round % 2 == 0 ? .memory(tier) : .disk(tier)
      }
      let trace = Self.trace(for: setup, &random)
      // Policies that observe gets do not see sets, but do see gets of objects that are too large.
      let observes = Self.observers.contains { memory.hasPrefix($0) || disk.hasPrefix($0) }
      let largest = setup.smallestCapacity
      if observes, trace.requests.contains(where: { $0.operation == .set || $0.size > largest }) {
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
        Issue.record("\(setup.summary) on\n\(trace)\n\(timed.differences(from: untimed))")
        return
      }
    }
  }

  private static func model(_ random: inout TestRandom) throws -> FetchModel {
    let isCounting = random.oneIn(3)
    let unit: UInt64 = isCounting ? 1 : 500_000
    return try FetchModel(
      latencies: [UInt64(random.below(14)) * unit],
      diskLatencies: random.oneIn(4) ? nil : [UInt64(random.below(8)) * unit],
      bytesPerSecond: random.oneIn(3) ? UInt64(1 + random.below(4)) : nil,
      servers: random.oneIn(3) ? 1 + random.below(3) : nil, coalesces: !random.oneIn(3),
      clock: isCounting ? .requests : .trace)
  }

  private static func disks(_ memory: String, times: Int) -> [String] {
    TestEffort.cases(
      Array(repeatElement(policies, count: times).joined()), atLeast: 12,
      offset: policies.firstIndex(of: memory) ?? 0)
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
