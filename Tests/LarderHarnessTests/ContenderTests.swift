import LarderEngine
import Testing

@testable import LarderExperiments
@testable import LarderHarness

@Suite struct ContenderTests {
  @Test(arguments: ["larder", "nscache"])
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
      let execution = try stand.first(planned, over: trace)
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
    let execution = try stand.first(planned, over: trace)
    #expect(execution.counts.hits > 0)
    #expect(execution.counts.misses > 20)
    #expect(execution.counts.memory == TierCounts())
    #expect(execution.equalsSimulated == nil)
    #expect(execution.capacityChecks == 0)
  }

  @Test func namesAreUnique() throws {
    let larder = try #require(ContenderRegistry.named("larder"))
    #expect(throws: ComponentError.self) { try ContenderRegistry.add(larder) }
    let names = ContenderRegistry.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.first == ConfigurationSpec.defaultCache)
    #expect(ContenderRegistry.named("larder")?.runsPolicies == true)
    #expect(ContenderRegistry.named("no such cache") == nil)
  }
}
