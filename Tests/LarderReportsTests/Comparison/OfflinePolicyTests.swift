import LarderEngine
import Testing

@testable import LarderReports

/// The report tells policies that know the future by name; the registry is where they say so.
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
