import Larder
import LarderEngine
import LarderPolicies
import TestSupport
import Testing

@testable import LarderExperiments
@testable import LarderHarness

/// The counts of a real cache with one thread equal those of a simulation, through the harness.
@Suite struct ExecutionEqualsSimulationTests {
  static let policies = PolicyRegistry.standard.map(\.description)
    .filter { !$0.needs.contains(.nextUse) }.map(\.name)

  @Test(arguments: Array(policies.enumerated()), [ConfigurationKind.memory, .disk])
  func everyPolicyCountsAsSimulated(
    named: (offset: Int, element: String), kind: ConfigurationKind
  ) throws {
    let policy = named.element
    let requests = kind == .memory ? 2_000 : 800
    let traces = [
      ExecutionTrace(requests: requests, seed: 1),
      ExecutionTrace(requests: requests, hasOperations: false, isTimed: false, seed: 2),
      ExecutionTrace(requests: requests, hasSizes: false, seed: 3),
    ]
    for (number, description) in TestEffort.cases(
      Array(traces.enumerated()), offset: named.offset)
    {
      let trace = description.prepared()
      for unit in description.hasSizes ? [CapacityUnit.objects, .bytes] : [.objects] {
        let stand = ExecutionStand()
        stand.warmUp = [WarmUp.none, .requests(200), .untilFull][number]
        let tier = try ExecutionStand.tier(
          policy, capacity: unit == .bytes ? 1_500 : 50,
          timeToLive: description.isTimed ? 25 : nil, objectsMax: unit == .bytes ? 45 : nil)
        let planned = ExecutionStand.cell(
          kind == .memory ? .memory(tier) : .disk(tier), unit: unit, seed: UInt64(number))
        let simulated = try stand.simulate(planned, over: trace)
        let execution = try #require(
          try stand.run(planned, over: trace, simulated: simulated)?.first)
        #expect(execution.counts == simulated, "\(policy), \(kind), \(unit), trace \(number)")
        #expect(execution.equalsSimulated == true)
        #expect(simulated.hits > 0 && simulated.evictions > 0)
        #expect(execution.valuesWrong == 0)
        #expect(execution.valuesChecked >= execution.counts.hits)
        #expect(execution.capacityExceeded == 0)
        #expect(execution.capacityChecks == (stand.warmUp == .none ? 1 : 2))
        #expect(execution.warmUpRequests + execution.requests == UInt64(trace.requests.count))
        #expect(stand.leftovers.isEmpty)
      }
    }
  }

  @Test(arguments: Array(policies.enumerated()))
  func hybridsCountAsSimulated(named: (offset: Int, element: String)) throws {
    let policy = named.element
    let rules = [
      HybridRules(), HybridRules(inclusion: .exclusive),
      HybridRules(inclusion: .exclusive, promotion: .secondHit),
      HybridRules(promotion: .never),
    ]
    for (number, rules) in TestEffort.cases(Array(rules.enumerated()), offset: named.offset) {
      let trace = ExecutionTrace(requests: 800, seed: UInt64(number)).prepared()
      let unit: CapacityUnit = number % 2 == 0 ? .bytes : .objects
      let stand = ExecutionStand()
      stand.warmUp = number == 1 ? .untilFull : .requests(200)
      let planned = ExecutionStand.cell(
        .hybrid(
          memory: try ExecutionStand.tier(
            policy, capacity: unit == .bytes ? 500 : 15, timeToLive: 30),
          disk: try ExecutionStand.tier(policy, capacity: unit == .bytes ? 1_800 : 55),
          rules: rules), unit: unit, seed: UInt64(number))
      let simulated = try stand.simulate(planned, over: trace)
      let execution = try #require(
        try stand.run(planned, over: trace, simulated: simulated)?.first)
      #expect(execution.counts == simulated, "\(policy), \(rules), \(unit)")
      #expect(simulated.memoryHits > 0 && simulated.diskHits > 0)
      #expect(execution.valuesChecked >= simulated.hits)
      #expect(execution.capacityExceeded == 0)
    }
  }

  @Test(arguments: ["lru", "ttl", "s3-fifo", "w-tinylfu", "clock"])
  func changedExpiriesCountAsSimulated(policy: String) throws {
    let trace = ExecutionTrace(requests: 1_500, hasExpiries: true, seed: 4).prepared()
    let tier = try ExecutionStand.tier(policy, capacity: 50, timeToLive: 40)
    let large = try ExecutionStand.tier(policy, capacity: 120)
    for arrangement in [
      Arrangement.memory(tier), .disk(tier),
      .hybrid(memory: tier, disk: large, rules: HybridRules()),
      .hybrid(memory: tier, disk: large, rules: HybridRules(inclusion: .exclusive)),
    ] {
      let stand = ExecutionStand()
      let planned = ExecutionStand.cell(arrangement, unit: .objects)
      let simulated = try stand.simulate(planned, over: trace)
      let execution = try #require(
        try stand.run(planned, over: trace, simulated: simulated)?.first)
      #expect(execution.counts == simulated, "\(arrangement)")
      #expect(simulated.hits > 0 && execution.valuesWrong == 0)
    }
  }

  @Test(arguments: CachePreset.all)
  func designsCountAsSimulated(preset: CachePreset) throws {
    let trace = ExecutionTrace(requests: 1_500, objects: 400, sizeMax: 200).prepared()
    let stand = ExecutionStand()
    var planned = ExecutionStand.cell(try preset.arrangement(), unit: .bytes)
    planned.preset = preset.name
    let simulated = try stand.simulate(planned, over: trace)
    let execution = try #require(try stand.run(planned, over: trace, simulated: simulated)?.first)
    #expect(execution.counts == simulated, "\(preset.name)")
    #expect(simulated.hits > 0 && execution.valuesChecked == simulated.hits)
  }

  /// A limit on entries in addition to the capacity in any unit, also behind a filter that checks
  /// if the tier is full.
  @Test(arguments: ["lru", "slru", "2q", "s3-fifo", "arc", "w-tinylfu", "lirs"])
  func limitsOnEntriesCountAsSimulated(policy: String) throws {
    let trace = ExecutionTrace(
      requests: 1_200, objects: 300, hasOperations: false, isTimed: false
    ).prepared()
    let knowsVictim = PolicyRegistry.knowsVictim(try PolicySpec(parsing: policy))
    for (unit, capacity) in [(CapacityUnit.bytes, UInt64(1 << 20)), (.objects, 200)] {
      for admission in knowsVictim ? [nil, "tinylfu"] : [nil] {
        let stand = ExecutionStand()
        var tier = try ExecutionStand.tier(policy, capacity: capacity, objectsMax: 50)
        tier.admission = try PolicySpec(parsingOptional: admission)
        let planned = ExecutionStand.cell(.memory(tier), unit: unit)
        let simulated = try stand.simulate(planned, over: trace)
        let execution = try #require(
          try stand.run(planned, over: trace, simulated: simulated)?.first)
        #expect(execution.counts == simulated, "\(policy), \(unit), \(admission ?? "-")")
        #expect(simulated.hits > 100 && simulated.evictions > 0)
        #expect(execution.capacityExceeded == 0)
      }
    }
  }

  @Test func staleHitsAreCounted() throws {
    let trace = ExecutionTrace(isTimed: false).prepared()
    let stand = ExecutionStand()
    let planned = ExecutionStand.cell(.memory(try ExecutionStand.tier(capacity: 150)))
    let simulated = try stand.simulate(planned, over: trace)
    let execution = try #require(try stand.run(planned, over: trace, simulated: simulated)?.first)
    #expect(simulated.staleHits > 100)
    #expect(execution.equalsSimulated == true)
  }

  @Test func differentCountsAreReported() throws {
    let trace = ExecutionTrace().prepared()
    let stand = ExecutionStand()
    let planned = ExecutionStand.cell(.memory(try ExecutionStand.tier()))
    var simulated = try stand.simulate(planned, over: trace)
    simulated.memory.evictions += 1
    let execution = try #require(try stand.run(planned, over: trace, simulated: simulated)?.first)
    #expect(execution.equalsSimulated == false)
    let uncompared = try #require(try stand.run(planned, over: trace)?.first)
    #expect(uncompared.equalsSimulated == nil)
  }
}
