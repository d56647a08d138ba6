import Testing

@testable import LarderTraces

/// Durations of servers in logs.
@Suite struct CostFieldTests {
  private func sum(_ text: String, times scale: Double = 1) -> Float? {
    TextField.with(text) { CostField.sum($0, times: scale) }
  }

  @Test(arguments: [
    ("12", 12), ("0.034", 0.034), ("0.25, 0.5", 0.75), ("0.25 : 0.5, -", 0.75), ("1.5e-05", 1.5e-5),
    ("1E3", 1000), ("2e+2,1", 201), ("1e-07", 1e-7), ("3.", 3), ("1e", 1), ("7 e3", 10),
    // No more than 18 digits behind the point count, and the others are not another number.
    ("0.1000000000000000000000009", 0.1), ("5e-400", 0),
  ])
  func numbersAreAdded(_ text: String, _ expected: Float) throws {
    let found = try #require(sum(text))
    #expect(abs(found - expected) <= expected * 1e-6)
  }

  @Test(arguments: ["", "-", "none", ", ,", "ex"])
  func wordsAreNoNumbers(_ text: String) { #expect(sum(text) == nil) }

  @Test func unitsAreTakenIntoAccount() { #expect(sum("0.25, 1e-3", times: 1000) == 251) }

  @Test(arguments: ["1e99999999999999999", "1e400", "1e38"])
  func whatIsNoTimeIsUnknown(_ text: String) { #expect(sum(text, times: 1000) == nil) }
}
