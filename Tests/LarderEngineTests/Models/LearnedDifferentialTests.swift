import LarderContracts
import LarderEngine
import LarderPolicies
import TestSupport
import Testing

@Suite struct LearnedDifferentialTests {
  static let specs = PolicyRegistry.learned.flatMap {
    NaivePolicies.specs(of: $0.description.name)
  }

  @Test func everyLearnedPolicyHasAModelAndAScript() {
    let names = PolicyRegistry.learned.map(\.description.name)
    #expect(names == NaivePolicies.learnedNames)
    #expect(Set(names).isSubset(of: ScriptFiles.names))
    for policy in PolicyRegistry.learned.map(\.description) {
      let varied = NaivePolicies.specs(of: policy.name).joined(separator: " ")
      for parameter in policy.parameters { #expect(varied.contains(":\(parameter.name)=")) }
    }
  }

  /// Reports, advice and `all` exclude learned policies unless they are named.
  @Test func listsExcludeLearnedPolicies() throws {
    for policy in PolicyRegistry.learned.map(\.description) {
      #expect(!PolicyRegistry.all.contains { $0.description.name == policy.name })
      #expect(policy.needs.contains(.boosting) && policy.needs.names.contains("LightGBM"))
    }
  }

  @Test(arguments: specs)
  func shortTracesAgree(spec: String) throws {
    try agree(spec, rounds: TestEffort.rounds(300), requests: nil, capacityMax: 20)
  }

  @Test(arguments: specs)
  func longTracesAgree(spec: String) throws {
    try agree(spec, rounds: TestEffort.rounds(10, atLeast: 2), requests: 1500, capacityMax: 90)
  }

  private func agree(_ spec: String, rounds: Int, requests: Int?, capacityMax: Int) throws {
    try GradientBoosting.$substitute.withValue(NaiveBooster.boosting) {
      var random = TestRandom(seed: 5)
      for round in 0..<rounds {
        let capacity = UInt64(1 + random.below(capacityMax))
        let setup = SimulationSetup(
          arrangement: .memory(
            TierSetup(
              policy: try PolicySpec(parsing: spec), capacity: capacity,
              timeToLiveSeconds: random.oneIn(4) ? UInt32(1 + random.below(40)) : nil)),
          unit: round % 2 == 0 ? .objects : .bytes, seed: random.next())
        var maker = TestTraceMaker(
          features: .random(&random), capacity: capacity, random: TestRandom(seed: random.next()))
        let trace = requests.map { maker.make(requests: $0, objects: 200) } ?? maker.make()
        let difference = try Differential.difference(on: trace, setup, sparse: random.oneIn(2))
        guard let difference else { continue }
        Issue.record(Comment(rawValue: difference))
        return
      }
    }
  }

  @Test(arguments: specs)
  func theContractIsKept(spec: String) throws {
    try GradientBoosting.$substitute.withValue(NaiveBooster.boosting) {
      let policy = try PolicyRegistry.policy(named: try PolicySpec(parsing: spec))
      let parameters = String(spec.drop { $0 != ":" }.dropFirst())
      for violation in PolicyContract.violations(of: policy, parameters: [parameters]) {
        Issue.record(violation)
      }
    }
  }
}
