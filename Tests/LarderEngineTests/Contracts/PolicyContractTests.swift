import LarderContracts
import LarderEngine
import LarderPolicies
import TestSupport
import Testing

@Suite struct PolicyContractTests {
  @Test(arguments: Array(ContractSpecs.varied.enumerated()))
  func isKept(varied: (offset: Int, element: String)) throws {
    let spec = varied.element
    let isPlain = ContractSpecs.plain.contains(spec)
    // With its own parameters a policy keeps every rule in every run.
    let rules =
      isPlain
      ? PolicyContract.Rule.allCases
      : TestEffort.cases(PolicyContract.Rule.allCases, atLeast: 3, offset: varied.offset)
    let policy = try PolicyRegistry.policy(named: try PolicySpec(parsing: spec))
    let parameters = String(spec.drop { $0 != ":" }.dropFirst())
    for violation in PolicyContract.violations(
      of: policy, parameters: [parameters], rules: rules)
    {
      Issue.record(violation)
    }
  }

  @Test func boundHasNoContract() throws {
    let bound = try #require(PolicyRegistry.bounds.first)
    #expect(PolicyContract.violations(of: bound, parameters: [""]).isEmpty)
  }
}
