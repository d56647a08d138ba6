import LarderEngine
import LarderPolicies
import Testing

@testable import LarderReports

/// Reports recognise policies that know the future by name; the registry defines them.
struct OfflinePolicyTests {
  @Test func namesAgreeWithTheRegistry() {
    for policy in PolicyRegistry.standard {
      let description = policy.description
      #expect(
        PolicyName(description.name).isOffline == (description.family == .offline),
        "\(description.name)")
    }
  }
}
