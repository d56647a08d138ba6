import LarderEngine
import LarderPolicies
import TestSupport
import Testing

@testable import Larder

/// The central claim: a cache and a simulation of it have equal counts.
@Suite struct ExecutedEqualsSimulatedTests {
  @Test(arguments: Array(Policies.executable.enumerated()), [CapacityUnit.objects, .bytes])
  func countsAreEqualToTheRequest(
    policy: (offset: Int, element: String), unit: CapacityUnit
  ) throws {
    let cells = (0..<3).flatMap { seed in
      [nil, UInt32(25)].flatMap { age in [1, 13, 90].map { (UInt64(seed), age, $0) } }
    }
    for (seed, age, capacity) in TestEffort.cases(cells, atLeast: 2, offset: policy.offset) {
      let trace = ReplayTrace(
        requests: 4_000, objects: 200, sizeMax: 12, isTimed: seed % 3 != 0, seed: seed)
      try check(trace, policy.element, unit, capacity: capacity, age: age, seed: seed)
    }
  }

  /// A limit on weights, which is the policy's capacity, and one on the number of entries.
  @Test(arguments: Policies.executable, [3, 20])
  func countsAreEqualWithTwoLimitsAtOnce(policy: String, objectsMax: Int) throws {
    for seed in UInt64(0)..<2 {
      let trace = ReplayTrace(
        requests: 4_000, objects: 200, sizeMax: 12, isTimed: seed % 2 != 0, seed: seed)
      try check(
        trace, policy, .bytes, capacity: 130, age: nil, objectsMax: objectsMax, seed: seed)
    }
  }

  @Test(arguments: GuardedPolicy.all, [CapacityUnit.objects, .bytes])
  func countsAreEqualBehindAFilter(guarded: GuardedPolicy, unit: CapacityUnit) throws {
    for seed in UInt64(0)..<2 {
      let trace = ReplayTrace(
        requests: 4_000, objects: 200, sizeMax: 12, isTimed: seed == 1, seed: seed)
      try check(
        trace, guarded.policy, unit, capacity: 60, age: nil, seed: seed,
        admission: guarded.admission)
    }
  }

  private func check(
    _ trace: ReplayTrace, _ policy: String, _ unit: CapacityUnit, capacity: Int, age: UInt32?,
    objectsMax: Int? = nil, seed: UInt64, admission: String? = nil
  ) throws {
    let simulation = try PolicyRegistry.makeSimulation(
      SimulationSetup(
        arrangement: .memory(
          TierSetup(
            policy: try PolicySpec(parsing: policy), capacity: UInt64(capacity),
            timeToLiveSeconds: age, objectsMax: objectsMax.map { UInt64($0) },
            admission: try PolicySpec(parsingOptional: admission))),
        unit: unit, seed: seed
      ).inRealCaches(),
      over: trace.columns())
    simulation.run(upTo: trace.lines.count, untilFirstEviction: false)

    var replay = try MemoryCacheReplay(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(
          count: unit == .objects ? capacity : objectsMax, weight: unit == .bytes ? capacity : nil,
          age: age.map { .seconds($0) }),
        policy: CachePolicy(policy), admission: admission, shards: 1
      ).seeded(seed))
    replay.run(trace)

    #expect(simulation.counts.memoryHits > 0)
    // Objects of size 1 are small enough for any filter.
    if let admission, unit == .bytes || !admission.hasPrefix("size") {
      #expect(simulation.counts.memory.rejections > 0)
    }
    #expect(
      replay.counts == simulation.counts,
      "\(policy) \(admission ?? "-"), \(capacity) \(unit), age \(age ?? 0), seed \(seed)"
    )
    let statistics = replay.cache.statistics
    #expect(statistics.hits == simulation.counts.hits)
    #expect(statistics.evictions == simulation.counts.evictions)
    #expect(statistics.expirations == simulation.counts.expirations)
  }
}
