import Larder
import LarderEngine
import LarderPolicies
import TestSupport
import Testing

@testable import LarderExperiments
@testable import LarderHarness

/// The counts of a real cache with one thread equal those of a simulation, for what
/// `ConfigurationDifferentialTests` does not draw.
@Suite struct ExecutionEqualsSimulationTests {
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
      let (execution, simulated) = try stand.compare(planned, over: trace)
      #expect(simulated.hits > 0 && execution.valuesWrong == 0)
    }
  }

  @Test(arguments: CachePreset.all)
  func designsCountAsSimulated(preset: CachePreset) throws {
    let trace = ExecutionTrace(requests: 1_500, objects: 400, sizeMax: 200).prepared()
    let stand = ExecutionStand()
    var planned = ExecutionStand.cell(try preset.arrangement(), unit: .bytes)
    planned.preset = preset.name
    let (execution, simulated) = try stand.compare(planned, over: trace)
    #expect(simulated.hits > 0 && execution.valuesChecked == simulated.hits)
  }

  @Test func staleHitsAreCounted() throws {
    let trace = ExecutionTrace(isTimed: false).prepared()
    let stand = ExecutionStand()
    let planned = ExecutionStand.cell(.memory(try ExecutionStand.tier(capacity: 150)))
    let simulated = try stand.simulate(planned, over: trace)
    let execution = try stand.first(planned, over: trace, simulated: simulated)
    #expect(simulated.staleHits > 100)
    #expect(execution.equalsSimulated == true && execution.capacityChecks == 1)
    #expect(stand.leftovers.isEmpty)
  }

  @Test func differentCountsAreReported() throws {
    let trace = ExecutionTrace().prepared()
    let stand = ExecutionStand()
    let planned = ExecutionStand.cell(.memory(try ExecutionStand.tier()))
    var simulated = try stand.simulate(planned, over: trace)
    simulated.memory.evictions += 1
    let execution = try stand.first(planned, over: trace, simulated: simulated)
    #expect(execution.equalsSimulated == false)
    let uncompared = try stand.first(planned, over: trace)
    #expect(uncompared.equalsSimulated == nil)
  }
}
