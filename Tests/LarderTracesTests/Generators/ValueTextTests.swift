import Testing

@testable import LarderTraces

/// Values as people type them.
struct ValueTextTests {
  @Test(arguments: [
    ("1000000", 1_000_000), ("1_000_000", 1_000_000), ("1e6", 1_000_000), ("10k", 10_000),
    ("2M", 2_000_000), ("1.5M", 1_500_000), ("1G", 1_000_000_000), ("0", 0), ("-3", -3),
    ("5 k", 5000),
  ])
  func countsAreRead(text: String, value: Int) { #expect(ValueText.count(text) == value) }

  @Test(arguments: ["", "k", "1.5", "1e-1", "1e300", "0x10", "1kk", "1 2", "--1", "1e", "infinity"])
  func otherTextIsNotACount(text: String) { #expect(ValueText.count(text) == nil) }

  @Test(arguments: [
    ("500", 500), ("500B", 500), ("8KiB", 8192), ("1MB", 1_000_000), ("1.5KiB", 1536),
    ("1GiB", 1 << 30), ("2KB", 2000), ("64 MiB", 64 << 20),
  ])
  func sizesAreRead(text: String, value: Int) { #expect(ValueText.bytes(text) == value) }

  @Test(arguments: [
    ("90", 90), ("90s", 90), ("500ms", 0.5), ("5m", 300), ("5min", 300), ("2h", 7200),
    ("30d", 2_592_000), ("1w", 604_800), ("1.5h", 5400),
  ])
  func timesAreRead(text: String, value: Double) { #expect(ValueText.seconds(text) == value) }

  @Test(arguments: [("0.1", 0.1), ("10%", 0.1), ("7%", 0.07), ("100%", 1), ("0", 0), ("1", 1)])
  func sharesAreRead(text: String, value: Double) { #expect(ValueText.share(text) == value) }

  @Test(arguments: ["101%", "-1%", "1.01", "nan", "%", "ten", "10 percent"])
  func otherTextIsNotAShare(text: String) { #expect(ValueText.share(text) == nil) }

  @Test(arguments: ["10KiBit", "5x", "1e400", "nan", "inf", "10kB/s", "ms"])
  func unknownUnitsAreRejected(text: String) {
    #expect(ValueText.bytes(text) == nil && ValueText.seconds(text) == nil)
    #expect(ValueText.number(text) == nil)
  }
}
