import Testing

@testable import LarderTraces

/// Response times of servers in logs.
@Suite struct CostFieldTests {
  private func sum(_ text: String, times scale: Double = 1) -> Float? {
    TextField.with(text) { CostField.sum($0, times: scale) }
  }

  @Test(arguments: [
    ("12", 12), ("0.034", 0.034), ("0.25, 0.5", 0.75), ("0.25 : 0.5, -", 0.75), ("1.5e-05", 1.5e-5),
    ("1E3", 1000), ("2e+2,1", 201), ("1e-07", 1e-7), ("3.", 3), ("1e", 1), ("7 e3", 10),
    // Only the first 18 digits after the point count; the others do not begin another number.
    ("0.1000000000000000000000009", 0.1), ("5e-400", 0),
  ])
  func numbersAreAdded(_ text: String, _ expected: Float) throws {
    let found = try #require(sum(text))
    #expect(abs(found - expected) <= expected * 1e-6)
  }

  @Test(arguments: ["", "-", "none", ", ,", "ex"])
  func wordsAreNotNumbers(_ text: String) { #expect(sum(text) == nil) }

  @Test(arguments: [
    ("12ms", 12), ("0.5s", 500), ("12 ms", 12), ("850µs", 0.85), ("850us", 0.85), ("5000ns", 0.005),
    ("1m2.5s", 62_500), ("0.123s", 123), ("12MS", 12), ("1h", 3_600_000), ("PT0.25S", 250),
    ("12ms, 3ms", 15),
  ])
  func unitAfterNumberApplies(_ text: String, _ milliseconds: Float) throws {
    let found = try #require(sum(text, times: 1e6))
    #expect(abs(found - milliseconds) <= milliseconds * 1e-6)
  }

  @Test func negativeDurationsAreUnknown() {
    #expect(sum("-1") == nil && sum("-1ms") == nil)
    #expect(sum("0.25, -1, 0.5") == 0.75)
  }

  @Test func unitsAreTakenIntoAccount() { #expect(sum("0.25, 1e-3", times: 1000) == 251) }

  @Test(arguments: ["1e99999999999999999", "1e400", "1e38"])
  func invalidTimesAreUnknown(_ text: String) { #expect(sum(text, times: 1000) == nil) }
}
