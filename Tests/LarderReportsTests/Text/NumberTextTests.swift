import Foundation
import LarderSupport
import Testing

@testable import LarderReports

struct NumberTextTests {
  @Test(arguments: [
    (0.0, 2, "0.00"), (0.125, 2, "0.13"), (-0.125, 2, "-0.13"), (2.5, 0, "3"), (3.5, 0, "4"),
    // 1.005 is a little less in binary, and 0.285 too.
    (1.005, 2, "1.00"), (0.285, 2, "0.28"), (0.1, 18, "0.100000000000000006"),
    (1e15, 3, "1000000000000000.000"), (5e-300, 6, "0.000000"), (-0.001, 2, "0.00"),
    (-0.0, 1, "0.0"), (1e-7, 6, "0.000000"), (0.0000005, 6, "0.000000"), (999.9999, 2, "1000.00"),
    (9007199254740993.0, 0, "9007199254740992"), (1.5e20, 1, "150000000000000000000.0"),
  ])
  func fixed(_ value: Double, _ decimals: Int, _ text: String) {
    #expect(NumberText.fixed(value, decimals: decimals) == text)
  }

  @Test func nonFiniteNumberHasNoText() {
    for value in [Double.nan, .infinity, -.infinity] {
      #expect(NumberText.fixed(value, decimals: 2) == nil)
    }
  }

  @Test func fixedIsTheNearestDecimal() throws {
    var random = SplitMix(state: 7)
    for _ in 0..<2000 {
      let value = Double(bitPattern: random.next() >> 2)  // positive, up to 1e154
      guard value < 1e9, value > 1e-9 else { continue }
      let text = try #require(NumberText.fixed(value, decimals: 9))
      // The C library rounds correctly too; it differs only in exact ties, to the even digit.
      #expect(text == String(format: "%.9f", value), "\(value)")
    }
    for units in 0..<5000 {
      let value = Double(units) / 7
      #expect(NumberText.fixed(value, decimals: 4) == String(format: "%.4f", value))
    }
  }

  @Test(arguments: [
    (UInt64(1), UInt64(3), 6, "0.333333"), (2, 3, 6, "0.666667"), (1, 8, 2, "0.13"),
    (1, 2_000_000, 6, "0.000001"), (1, 2_000_001, 6, "0.000000"), (5, 5, 6, "1.000000"),
    (.max, .max, 6, "1.000000"), (.max - 1, .max, 6, "1.000000"), (.max, 1, 0, "\(UInt64.max)"),
  ])
  func ratio(_ part: UInt64, _ whole: UInt64, _ decimals: Int, _ text: String) {
    #expect(NumberText.ratio(part, of: whole, decimals: decimals) == text)
  }

  @Test func ratioWithDivisorZeroIsNil() {
    #expect(NumberText.ratio(0, of: 0, decimals: 6) == nil)
  }

  @Test func groups() {
    #expect(
      [0, 12, 123, 1234, 123_456, 1_234_567].map { NumberText.grouped($0) }
        == ["0", "12", "123", "1 234", "123 456", "1 234 567"])
  }

  @Test(arguments: [
    (UInt64(0), "0 B"), (1023, "1023 B"), (1024, "1.00 KiB"), (1536, "1.50 KiB"),
    (1 << 30, "1.00 GiB"), (.max, "16.00 EiB"), ((1 << 20) - 1, "1024.00 KiB"),
  ])
  func bytes(_ value: UInt64, _ text: String) { #expect(NumberText.bytes(value) == text) }
}
