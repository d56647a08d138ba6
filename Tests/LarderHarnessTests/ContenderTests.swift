import LarderEngine
import Testing

@testable import LarderExperiments
@testable import LarderHarness

/// The caches that Larder is compared with.
@Suite struct ContenderTests {
  @Test(arguments: ["textbook-lru", "files", "sqlite"])
  func baselinesCountAsLRUIsSimulated(name: String) throws {
    let contender = try #require(ContenderRegistry.named(name))
    let kind = try #require(contender.kinds.first)
    for (unit, objectsMax, seed) in [
      (CapacityUnit.objects, nil, 4), (.bytes, nil, 5), (.bytes, 30, 6),
    ] as [(CapacityUnit, UInt64?, UInt64)] {
      let trace = ExecutionTrace(requests: 1_200, seed: seed).prepared()
      let stand = ExecutionStand()
      stand.warmUp = .untilFull
      let tier = try ExecutionStand.tier(
        capacity: unit == .bytes ? 1_500 : 50, timeToLive: 25, objectsMax: objectsMax)
      let planned = ExecutionStand.cell(
        kind == .memory ? .memory(tier) : .disk(tier), unit: unit, contender: name)
      let simulated = try stand.simulate(planned, over: trace)
      let execution = try #require(
        try stand.run(planned, over: trace, simulated: simulated)?.first)
      #expect(execution.counts == simulated, "\(name), \(unit)")
      #expect(simulated.hits > 0 && simulated.evictions > 0 && simulated.expirations > 0)
      #expect(execution.capacityChecks == 2 && execution.capacityExceeded == 0)
      #expect(stand.leftovers.isEmpty)
    }
  }

  @Test(arguments: ["larder", "nscache", "textbook-lru", "files", "sqlite"])
  func severalThreadsGetCorrectValues(name: String) throws {
    let contender = try #require(ContenderRegistry.named(name))
    for kind in contender.kinds {
      let trace = ExecutionTrace(requests: 3_000).prepared()
      let stand = ExecutionStand()
      stand.spec.threads = [4]
      let tier = try ExecutionStand.tier(capacity: 64)
      let arrangement: Arrangement =
        switch kind {
        case .memory: .memory(tier)
        case .disk: .disk(tier)
        case .hybrid: .hybrid(memory: tier, disk: tier, rules: HybridRules())
        }
      let planned = ExecutionStand.cell(arrangement, contender: name)
      let execution = try #require(try stand.run(planned, over: trace)?.first)
      #expect(execution.counts.hits > 0)
      #expect(execution.valuesChecked == execution.counts.hits)
      #expect(execution.capacityExceeded == 0)
    }
  }

  @Test func foundationsCacheAnswersAndIsBounded() throws {
    let trace = ExecutionTrace().prepared()
    let stand = ExecutionStand()
    let planned = ExecutionStand.cell(
      .memory(try ExecutionStand.tier(capacity: 20)), contender: "nscache")
    let execution = try #require(try stand.run(planned, over: trace)?.first)
    #expect(execution.counts.hits > 0)
    #expect(execution.counts.misses > 20)
    #expect(execution.counts.memory == TierCounts())
    #expect(execution.equalsSimulated == nil)
    #expect(execution.capacityChecks == 0)
  }

  @Test func namesAreUniqueAndAddedOnesReplace() {
    let names = ContenderRegistry.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.first == ConfigurationSpec.defaultCache)
    #expect(ContenderRegistry.named("larder")?.runsPolicies == true)
    #expect(ContenderRegistry.named("no such cache") == nil)
  }
}
