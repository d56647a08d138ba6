import LarderContracts
import LarderEngine
import LarderPolicies
import Testing

@Suite struct LearnedContractTests {
  static let specs = PolicyRegistry.learned.flatMap {
    NaivePolicies.specs(of: $0.description.name)
  }

  /// Reports, advice and `all` exclude learned policies unless they are named.
  @Test func listsExcludeLearnedPolicies() throws {
    for policy in PolicyRegistry.learned.map(\.description) {
      #expect(!PolicyRegistry.all.contains { $0.description.name == policy.name })
      #expect(policy.needs.contains(.boosting) && policy.needs.names.contains("LightGBM"))
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
