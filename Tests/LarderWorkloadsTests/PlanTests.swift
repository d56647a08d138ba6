import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments

@Suite struct PlanTests {
  private static let trace = SourceSpec.trace(TraceReference(path: "a"))
  private static let generator = SourceSpec.generator(
    GeneratorSpec(component: ComponentSpec(name: "zipf"), requests: 10))
  private static let objects = TraceFacts(
    name: "a", requests: 100, objects: 1000, footprintBytes: nil)
  private static let bytes = TraceFacts(
    name: "a", requests: 100, objects: 1000, footprintBytes: 500_000)

  private func specs(_ names: String...) throws -> [PolicySpec] {
    try names.map { try PolicySpec(parsing: $0) }
  }

  private func capacities(_ texts: String...) throws -> [CapacitySpec] {
    try texts.map { try CapacitySpec(parsing: $0) }
  }

  private func cells(
    _ workload: Workload, _ facts: TraceFacts...
  ) throws(PlanError) -> [PlannedCell] {
    try Plan.cells(of: workload, facts: facts) { $0.name == "random" }
  }

  @Test func orderIsConfigurationPolicyCapacitySeed() throws {
    let workload = Workload(
      name: "w", source: Self.generator,
      configurations: [
        ConfigurationSpec(name: "memory", kind: .memory),
        ConfigurationSpec(name: "disk", kind: .disk),
      ],
      policies: try specs("lru", "fifo"), capacities: try capacities("10", "1%"), seeds: [2, 1])
    var facts = [Self.objects, Self.objects]
    facts[0].seed = 1
    facts[1].seed = 2
    facts[1].objects = 2000
    let cells = try Plan.cells(of: workload, facts: facts).map(\.cell)
    #expect(
      cells.map { "\($0.configuration) \($0.policy) \($0.capacity) \($0.seed)" } == [
        "memory lru 10 2", "memory lru 10 1", "memory lru 20 2",
        "memory fifo 10 2", "memory fifo 10 1", "memory fifo 20 2",
        "disk lru 10 2", "disk lru 10 1", "disk lru 20 2",
        "disk fifo 10 2", "disk fifo 10 1", "disk fifo 20 2",
      ])
    // 1 % of 1000 is the 10 that is already planned, so its label is the first one.
    #expect(Set(cells.map(\.capacityLabel)) == ["10", "1%"])
    #expect(try Plan.cells(of: workload, facts: facts).map(\.cell) == cells)
  }

  /// For a sample of the objects, results have the capacities of all the traffic, and tiers those
  /// of the sample.
  @Test func capacitiesOfASampleAreScaled() throws {
    let workload = Workload(
      name: "w", source: Self.trace,
      configurations: [
        ConfigurationSpec(name: "m", kind: .memory), ConfigurationSpec(name: "h", kind: .hybrid),
      ],
      policies: try specs("lru"), capacities: try capacities("10%", "50"))
    let lru = try PolicySpec(parsing: "lru")
    var facts = Self.objects
    facts.samplingRate = 0.1
    let planned = try cells(workload, facts)
    #expect(planned.map(\.cell.capacity) == [100, 50, 100, 50])
    try #require(planned.count == 4)
    #expect(planned[0].setup.arrangement == .memory(TierSetup(policy: lru, capacity: 10)))
    guard case .hybrid(let memory, let disk, _) = planned[2].setup.arrangement else {
      Issue.record("no hybrid")
      return
    }
    #expect(memory.capacity == 1 && disk.capacity >= 9 && planned[2].cell.memoryCapacity == 10)
    facts.samplingRate = nil
    let whole = try cells(workload, facts)
    #expect(whole[1].setup.arrangement == .memory(TierSetup(policy: lru, capacity: 50)))
  }

  @Test func aSingleTierIsSetUp() throws {
    let workload = Workload(
      name: "w", source: Self.trace,
      configurations: [
        ConfigurationSpec(
          name: "d", kind: .disk,
          disk: TierSpec(policy: try PolicySpec(parsing: "ttl"), timeToLiveSeconds: 60))
      ],
      policies: try specs("lru", "fifo"), capacities: try capacities("1%"), seeds: [7])
    let planned = try cells(workload, Self.bytes)
    #expect(
      planned == [
        PlannedCell(
          cell: Cell(
            workload: "w", trace: "a", configuration: "d", kind: .disk, policy: "ttl",
            capacity: 5000, capacityLabel: "1%", unit: .bytes, seed: 7),
          setup: SimulationSetup(
            arrangement: .disk(
              TierSetup(
                policy: try PolicySpec(parsing: "ttl"), capacity: 5000, timeToLiveSeconds: 60)),
            unit: .bytes, seed: 7))
      ])
  }

  @Test func hybridsSweepTiersWithoutPolicy() throws {
    let lru = try PolicySpec(parsing: "lru")
    let rules = HybridRules(inclusion: .exclusive, promotion: .never)
    let workload = Workload(
      name: "w", source: Self.trace,
      configurations: [
        ConfigurationSpec(name: "both", kind: .hybrid),
        ConfigurationSpec(
          name: "disk-swept", kind: .hybrid, memory: TierSpec(policy: lru), rules: rules),
        ConfigurationSpec(
          name: "fixed", kind: .hybrid, memory: TierSpec(policy: lru),
          disk: TierSpec(policy: lru)),
      ],
      policies: try specs("fifo", "sieve"), capacities: try capacities("100"))
    let planned = try cells(workload, Self.objects)
    #expect(
      planned.map { "\($0.cell.configuration) \($0.cell.policy)" } == [
        "both fifo+fifo", "both sieve+sieve", "disk-swept lru+fifo", "disk-swept lru+sieve",
        "fixed lru+lru",
      ])
    #expect(
      planned[2].setup.arrangement
        == .hybrid(
          memory: TierSetup(policy: lru, capacity: 10),
          disk: TierSetup(policy: try PolicySpec(parsing: "fifo"), capacity: 100), rules: rules))
    #expect(planned.allSatisfy { $0.cell.memoryCapacity == 10 && $0.cell.capacity == 100 })
    // Requirements of a policy hold where it is in a tier.
    var required = Requirements()
    required.filter.policies = try specs("sieve")
    required.limits = [try #require(Requirement(.hitRatio, parsing: ">= 1 %"))]
    let limits = planned.map { required.limits(of: $0.cell, isExecuted: false).count }
    #expect(limits == [0, 1, 0, 1, 0])
  }

  /// 1 % of 1000 objects is the same cache.
  @Test func equalCapacitiesAreExecutedIfOneIs() throws {
    var workload = Workload(
      name: "w", source: Self.trace, policies: try specs("lru"),
      capacities: try capacities("1%", "10"))
    workload.modes = [.simulate, .execute]
    workload.execution = ExecutionSpec()
    workload.execution?.filter.capacities = try capacities("10")
    let planned = try cells(workload, Self.objects)
    #expect(planned.map(\.cell.capacityLabel) == ["1%"] && planned.allSatisfy(\.isExecuted))
  }

  @Test func bytesOfASampleAreThoseOfAllTraffic() throws {
    var workload = Workload(
      name: "w", source: Self.trace, configurations: [ConfigurationSpec(name: "d", kind: .disk)],
      policies: try specs("lru"), capacities: try capacities("10%"))
    workload.requirements = [Requirements()]
    workload.requirements[0].limits = [
      try #require(Requirement(.bytesWrittenPerDay, parsing: "<= 2 KB"))
    ]
    var facts = Self.bytes
    facts.samplingRate = 0.01
    var record = Record(
      cell: try cells(workload, facts)[0].cell, counts: Counts(), objectsDistinct: 10)
    var flash = FlashCounts()
    (flash.writtenBytes, flash.microseconds) = (1000, 86_400_000_000)
    record.flash = flash
    #expect(!RequirementResult.all(workload, [record], of: [facts])[0].isMet)
    #expect(RequirementResult.all(workload, [record], of: [Self.bytes])[0].isMet)
  }

  @Test func memoryOfAHybridHasItsShareOrItsOwn() throws {
    let configurations = [
      ConfigurationSpec(name: "share", kind: .hybrid, memory: TierSpec(share: Share(percent: 25))),
      ConfigurationSpec(
        name: "own", kind: .hybrid, memory: TierSpec(capacity: try CapacitySpec(parsing: "2%"))),
      ConfigurationSpec(
        name: "disk", kind: .hybrid, disk: TierSpec(capacity: try CapacitySpec(parsing: "50"))),
    ]
    let workload = Workload(
      name: "w", source: Self.trace, configurations: configurations, policies: try specs("lru"),
      capacities: try capacities("100", "200"))
    let planned = try cells(workload, Self.objects).map(\.cell)
    #expect(
      planned.map { "\($0.configuration) \($0.capacity) \($0.memoryCapacity ?? 0)" } == [
        "share 100 25", "share 200 50", "own 100 20", "own 200 20", "disk 50 5",
      ])
  }

  @Test func seedsWithoutEffectAreOmitted() throws {
    let workload = Workload(
      name: "w", source: Self.trace, policies: try specs("lru", "random"),
      capacities: try capacities("10"), seeds: [3, 4])
    #expect(
      try cells(workload, Self.objects).map { "\($0.cell.policy) \($0.cell.seed)" }
        == ["lru 3", "random 3", "random 4"])
  }

  @Test func unitDefaultsToThatOfTheTrace() throws {
    var workload = Workload(
      name: "w", source: Self.trace, policies: try specs("lru"),
      capacities: try capacities("10%"))
    #expect(try cells(workload, Self.bytes).map(\.cell.capacity) == [50_000])
    #expect(try cells(workload, Self.objects).map(\.cell.capacity) == [100])
    workload.unit = .objects
    #expect(try cells(workload, Self.bytes).map(\.cell.capacity) == [100])
    #expect(try cells(workload, Self.bytes).map(\.setup.unit) == [.objects])
  }

  @Test func mismatchesWithTraceAreRejected() throws {
    func message(_ workload: Workload, _ facts: TraceFacts...) -> String? {
      do {
        _ = try Plan.cells(of: workload, facts: facts)
        return nil
      } catch {
        return error.description
      }
    }
    var workload = Workload(
      name: "w", source: Self.trace, policies: try specs("lru"),
      capacities: try capacities("100"))
    #expect(
      message(workload, Self.bytes) == """
        configuration 'memory' on 'a': capacity '100': this is a number of objects, but the trace \
        has sizes, so capacities count bytes: write 100B, or ignore the sizes \
        (--ignore-size, or 'unit: objects')
        """)
    #expect(message(workload) == "no trace for seed 1")
    workload.unit = .bytes
    #expect(
      message(workload, Self.objects) == """
        'a' has no sizes, so capacities cannot count bytes: remove 'unit', or set it to objects
        """)
    workload.unit = nil
    workload.configurations = [ConfigurationSpec(name: "h", kind: .hybrid)]
    workload.capacities = try capacities("9")
    #expect(
      message(workload, Self.objects) == """
        configuration 'h': 10% of 9 objects leaves nothing for memory; set a larger 'share' \
        or a 'capacity'
        """)
    workload.capacities = []
    #expect(
      message(workload, Self.objects)
        == "configuration 'h' has no capacity, and the workload names none")
    workload.policies = []
    #expect(
      message(workload, Self.objects)
        == "configuration 'h' has no policy, and the workload names none")
  }
}
