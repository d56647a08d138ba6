import LarderContracts
import LarderEngine
import Testing

/// The contract of `EvictionPolicy`, for every registered policy, checked with the library call
/// that serves policies of other packages.
@Suite struct PolicyContractTests {
  @Test(arguments: ContractSpecs.varied, PolicyContract.Rule.allCases)
  func isKept(spec: String, rule: PolicyContract.Rule) throws {
    let policy = try PolicyRegistry.policy(named: try PolicySpec(parsing: spec))
    let parameters = String(spec.drop { $0 != ":" }.dropFirst())
    for violation in PolicyContract.violations(
      of: policy, parameters: [parameters], rules: [rule])
    {
      Issue.record(violation)
    }
  }

  @Test func boundHasNoContract() throws {
    let bound = try #require(PolicyRegistry.bounds.first)
    #expect(PolicyContract.violations(of: bound, parameters: [""]).isEmpty)
  }
}
