import LarderEngine
import Testing

@testable import LarderExperiments

@Suite struct QuantityTests {
  @Test func decimalsAreExact() throws {
    let decimal = try #require(ExactDecimal("12.50"))
    #expect(decimal.digits == 1250)
    #expect(decimal.decimals == 2)
    #expect(decimal.times(1000)?.whole == 12_500)
    #expect(decimal.times(1)?.isExact == false)
    #expect(ExactDecimal("999999999999999999")?.times(.max) == nil)
    #expect(ExactDecimal("000000000000000000000001")?.digits == 1)
    #expect(ExactDecimal("1.5e3")?.times(1)?.whole == 1500)
    #expect(ExactDecimal("1e-3")?.value == 0.001)
    for text in [
      "", ".5", "5.", "1.2.3", "-1", "+1", "1__2", "_1", "1_", "1e", "1e+3", "1e300", "٣", "1 2",
      "99999999999999999999", "0.1234567890123456789",
    ] {
      #expect(ExactDecimal(text) == nil, "\(text)")
    }
  }

  @Test(arguments: [
    ("1000000", 1_000_000), ("1_000", 1000), ("1e6", 1_000_000), ("10k", 10_000), ("5 K", 5000),
    ("1.5M", 1_500_000), ("2G", 2_000_000_000), ("0", 0), ("18446744073709551615", UInt64.max),
  ])
  func countsAreRead(text: String, value: UInt64) { #expect(Quantity.count.amount(text) == value) }

  @Test(arguments: [
    "", "k", "1.5", "-1", "+5", "1e99", "1e-1", "1MB", "1.0001k", "20G G", "0x10", "1kk", "1 2",
    "infinity",
  ])
  func otherTextIsNotACount(text: String) { #expect(Quantity.count.amount(text) == nil) }

  @Test(
    arguments: [
      ("500", 500), ("500B", 500), ("8KiB", 8192), ("1MB", 1_000_000), ("1mb", 1_000_000),
      ("1 mib", 1 << 20), ("1.5KiB", 1536), ("2kB", 2000), ("1.5 GB", 1_500_000_000),
      ("2TB", 2_000_000_000_000), ("1TiB", 1 << 40),
    ] as [(String, UInt64)])
  func bytesAreRead(text: String, value: UInt64) { #expect(Quantity.bytes.amount(text) == value) }

  @Test(arguments: ["8K", "10KiBit", "10kB/s", "0.5B", "-1B", "1e400", "nan", "B"])
  func otherTextIsNoNumberOfBytes(text: String) { #expect(Quantity.bytes.amount(text) == nil) }

  @Test(
    arguments: [
      ("0.5us", 500), ("80 ms", 8e7), ("1µs", 1000), ("2s", 2e9), ("0.02ns", 0.02), ("90", 9e10),
      ("1.5h", 5.4e12),
    ] as [(String, Double)])
  func timesAreRead(text: String, nanoseconds: Double) {
    #expect(Quantity.duration.value(text) == nanoseconds)
  }

  @Test(
    arguments: [
      ("90", 90), ("90s", 90), ("5m", 300), ("5min", 300), ("1.5h", 5400), ("30d", 2_592_000),
      ("2w", 1_209_600), ("2000ms", 2), ("100000000000000", 100_000_000_000_000),
    ] as [(String, UInt64)])
  func secondsAreRead(text: String, value: UInt64) { #expect(Quantity.seconds(text) == value) }

  @Test(arguments: ["500ms", "1.5", "0.5s", "h", "-1h", "1MS", "1y", "nan s"])
  func otherTextIsNoWholeNumberOfSeconds(text: String) { #expect(Quantity.seconds(text) == nil) }

  @Test(
    arguments: [
      ("0.1", 0.1), ("10%", 0.1), ("10 %", 0.1), ("1/10", 0.1), ("7%", 0.07), ("100%", 1), ("0", 0),
      ("1", 1), ("3/4", 0.75), ("1e-3", 0.001), ("0.0000001%", 1e-9), ("1/3", 1.0 / 3),
    ] as [(String, Double)])
  func sharesAreRead(text: String, ratio: Double) { #expect(Share(parsing: text)?.ratio == ratio) }

  @Test(arguments: [
    "", "%", "101%", "-1%", "1.01", "nan", "ten", "10 percent", "1/0", "5/4", "-1/2", "1/", "/2",
    "1/2/3", "a/b", "1/2%",
  ])
  func otherTextIsNotAShare(text: String) { #expect(Share(parsing: text) == nil) }

  /// No binary rounding: 29 % of 100 is 29, and a third of 3 is 1.
  @Test func sharesAreExact() throws {
    #expect(Share(parsing: "0.29")?.of(100) == 29)
    #expect(Share(parsing: "1/3")?.of(3_000_000_000) == 1_000_000_000)
    #expect(Share(parsing: "50%") == Share(parsing: "1/2"))
    #expect(Share(parsing: "1/3")?.ceiling(of: 4) == 2)
    #expect(Share(percent: 100).of(.max) == .max)
    #expect(Share(billionths: 1).of(999_999_999) == 0)
    for percent: UInt64 in 1...100 { #expect(Share(percent: percent).of(100) == percent) }
    for text in ["0.15%", "10%", "1/3", "0%", "100%"] {
      #expect(Share(parsing: text)?.description == text)
    }
  }

  @Test func warmUpsAreDescribedAndCounted() {
    #expect(WarmUp.none.requests(of: 10) == 0)
    #expect(WarmUp.requests(20).requests(of: 10) == 10)
    #expect(WarmUp.share(Share(percent: 25)).requests(of: 10) == 2)
    #expect(WarmUp.untilFull.requests(of: 10) == nil)
    #expect(
      WarmUp.share(Share(percent: 25)).description == "the first 25% of the requests of each cell")
    #expect(WarmUp.requests(5).description == "the first 5 requests of each cell")
  }
}
