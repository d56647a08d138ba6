import LarderContracts
import LarderEngine
import Testing

/// What `EvictionPolicy` promises, for every registered policy: the library call that policies of
/// other packages are checked with.
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

  @Test func aBoundPromisesNothing() throws {
    let bound = try #require(PolicyRegistry.bounds.first)
    #expect(PolicyContract.violations(of: bound, parameters: [""]).isEmpty)
  }
}
