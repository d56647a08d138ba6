import LarderEngine
import LarderPolicies
import TestSupport
import Testing

@testable import Larder

/// An executed run and a simulated one of a hybrid cell have equal counts.
@Suite struct HybridEqualsSimulatedTests {
  static let placements: [HybridRules.Placement?] = [
    nil, HybridRules.Placement(memoryOnlyBelowSeconds: 15, diskOnlyFromSeconds: 40),
  ]

  /// Every policy in memory, each with another one on disk, under all rules.
  @Test(arguments: Array(Policies.executable.enumerated()), HybridRules.Inclusion.allCases)
  func countsAreEqualToTheRequest(
    policy: (offset: Int, element: String), inclusion: HybridRules.Inclusion
  ) throws {
    let cells = HybridRules.Promotion.allCases.flatMap { promotion in
      Self.placements.flatMap { placement in
        [CapacityUnit.objects, .bytes].map { (promotion, placement, $0) }
      }
    }
    for (number, (promotion, placement, unit)) in TestEffort.cases(
      Array(cells.enumerated()), offset: policy.offset)
    {
      // Every policy occurs on disk, too, with several ones in memory.
      let cell = policy.offset + number
      let disk = Policies.executable[(policy.offset + cell) % Policies.executable.count]
      try check(
        policy.element, disk, unit,
        HybridRules(inclusion: inclusion, promotion: promotion, placement: placement),
        seed: UInt64(cell))
    }
  }

  /// Each filter before memory, with another before disk.
  @Test(arguments: Array(GuardedPolicy.all.enumerated()), HybridRules.Inclusion.allCases)
  func countsAreEqualBehindFilters(
    guarded: (offset: Int, element: GuardedPolicy), inclusion: HybridRules.Inclusion
  ) throws {
    let others = GuardedPolicy.all
    let disk = others[(guarded.offset * 5 + 3) % others.count]
    for (number, promotion) in HybridRules.Promotion.allCases.enumerated() {
      try check(
        guarded.element.policy, disk.policy, number % 2 == 0 ? .bytes : .objects,
        HybridRules(inclusion: inclusion, promotion: promotion), seed: UInt64(guarded.offset),
        admissions: (guarded.element.admission, number == 2 ? nil : disk.admission))
    }
  }

  private func check(
    _ memory: String, _ disk: String, _ unit: CapacityUnit, _ rules: HybridRules, seed: UInt64,
    admissions: (memory: String?, disk: String?) = (nil, nil)
  ) throws {
    let trace = ReplayTrace(
      requests: 700, objects: 150, sizeMax: 12, isTimed: seed % 4 != 0, seed: seed)
    let capacities: (memory: Int, disk: Int) = seed % 5 == 4 ? (60, 9) : (14, 70)
    let ages: (memory: UInt32?, disk: UInt32?) = (
      seed % 3 == 1 ? 20 : nil, seed % 3 == 2 ? 45 : nil
    )
    let simulation = try PolicyRegistry.makeSimulation(
      SimulationSetup(
        arrangement: .hybrid(
          memory: TierSetup(
            policy: try PolicySpec(parsing: memory), capacity: UInt64(capacities.memory),
            timeToLiveSeconds: ages.memory,
            admission: try PolicySpec(parsingOptional: admissions.memory)),
          disk: TierSetup(
            policy: try PolicySpec(parsing: disk), capacity: UInt64(capacities.disk),
            timeToLiveSeconds: ages.disk,
            admission: try PolicySpec(parsingOptional: admissions.disk)),
          rules: rules),
        unit: unit, seed: seed
      ).inRealCaches(),
      over: trace.columns())
    simulation.run(upTo: trace.lines.count, untilFirstEviction: false)

    let folder = try ScratchFolder()
    var tier = MemoryTier(
      limits: MemoryCacheLimits(
        count: unit == .objects ? capacities.memory : nil,
        weight: unit == .bytes ? capacities.memory : nil, age: ages.memory.map { .seconds($0) }),
      policy: CachePolicy(memory), admission: admissions.memory)
    tier.configuration.seed = seed
    var replay = try HybridCacheReplay(
      HybridCacheConfiguration(
        memory: tier,
        disk: DiskConfiguration(
          policy: CachePolicy(disk), admission: admissions.disk,
          limits: DiskLimits(
            bytes: unit == .bytes ? UInt64(capacities.disk) : nil,
            count: unit == .objects ? capacities.disk : nil,
            age: ages.disk.map { .seconds($0) }, freeBytes: 0),
          durability: .none, inlineBytesMax: 10
        ).countingValuesAlone.with { $0.seed = seed },
        rules: rules),
      in: folder, countsBytes: unit == .bytes)
    try replay.run(trace)

    #expect(simulation.counts.hits > 0)
    #expect(
      replay.counts == simulation.counts,
      "\(memory) before \(disk), \(admissions), \(unit), \(rules), seed \(seed)")
  }
}
