import Testing

@testable import LarderExperiments

@Suite struct QuantityTests {
  @Test func decimalsAreExact() throws {
    let decimal = try #require(ExactDecimal("12.50"))
    #expect(decimal.digits == 1250)
    #expect(decimal.decimals == 2)
    #expect(decimal.multiplied(by: 1000)?.whole == 12_500)
    #expect(decimal.multiplied(by: 1)?.isExact == false)
    #expect(ExactDecimal("999999999999999999")?.multiplied(by: .max) == nil)
    #expect(ExactDecimal("000000000000000000000001")?.digits == 1)
    for text in ["", ".5", "5.", "1.2.3", "-1", "+1", "1__2", "_1", "1_", "1e3", "٣", "1 2"] {
      #expect(ExactDecimal(text) == nil, "\(text)")
    }
    #expect(ExactDecimal("1234567890123456789") == nil)
    #expect(ExactDecimal("0.1234567890123456789") == nil)
  }

  @Test func countsHaveSuffixes() {
    #expect(Quantity.count("1_000") == 1000)
    #expect(Quantity.count("250k") == 250_000)
    #expect(Quantity.count("1.5M") == 1_500_000)
    #expect(Quantity.count("2G") == 2_000_000_000)
    #expect(Quantity.count("1e6") == 1_000_000)
    #expect(Quantity.count("18446744073709551615") == .max)
    for text in ["1.5", "-1", "+5", "1e99", "1e-3", "k", "1MB", "1.0001k", "", "20G G"] {
      #expect(Quantity.count(text) == nil, "\(text)")
    }
  }

  @Test func timesHaveUnits() {
    #expect(Quantity.nanoseconds("0.5us") == 500)
    #expect(Quantity.nanoseconds("80 ms") == 8e7)
    #expect(Quantity.nanoseconds("1µs") == 1000)
    #expect(Quantity.nanoseconds("2s") == 2e9)
    #expect(Quantity.nanoseconds("0.02ns") == 0.02)
    for text in ["80", "ms", "-1ms", "1MS", "1y", "nan s"] {
      #expect(Quantity.nanoseconds(text) == nil, "\(text)")
    }
    #expect(Quantity.seconds("90") == 90)
    #expect(Quantity.seconds("1.5h") == 5400)
    #expect(Quantity.seconds("2w") == 1_209_600)
    for text in ["500ms", "1.5", "0.5s", "h", "-1h"] {
      #expect(Quantity.seconds(text) == nil, "\(text)")
    }
  }

  @Test func bytesHaveUnits() {
    #expect(Quantity.bytes("8KiB") == 8192)
    #expect(Quantity.bytes("1.5 GB") == 1_500_000_000)
    #expect(Quantity.bytes("8") == nil)
    #expect(Quantity.bytes("8K") == nil)
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
