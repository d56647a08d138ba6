import Testing

@testable import LarderTraces

/// Times as logs write them.
@Suite
struct LogTimeTests {
  private func time(_ text: String) -> UInt64? {
    TextField.with(text) { LogTime.microseconds($0) }
  }

  @Test(arguments: [
    "[01/Mar/2026:11:00:00 +0100]", "01/Mar/2026:10:00:00 +0000", "01/mar/2026:04:30:00 -0530",
    "2026-03-01T10:00:00Z", "2026-03-01T11:00:00+01:00", "2026-03-01 11:00:00 +0100",
    "2026-03-01T10:00:00", "2026-03-01 10:00:00.000", "2026-03-01T11:00:00,0+01",
    "Sun, 01 Mar 2026 10:00:00 GMT", "01/Mar/2026:10:00:00", "[01/Mar/2026:10:00:00.000]",
  ])
  func datesOfOneMoment(_ text: String) {
    #expect(time(text) == 1_772_359_200_000_000)
  }

  @Test func fractionsAndDays() {
    #expect(time("2026-03-01T10:00:00.25Z") == 1_772_359_200_250_000)
    #expect(time("2026-03-01T10:00:00.1234567Z") == 1_772_359_200_123_456)
    #expect(time("[01/Mar/2026:11:00:00.25 +0100]") == 1_772_359_200_250_000)
    #expect(time("2026-03-01") == 1_772_323_200_000_000)
    #expect(time("1970-01-01T00:00:00Z") == 0)
    #expect(time("2000-02-29T00:00:00Z") == 951_782_400_000_000)
    #expect(time("2100-03-01T00:00:00Z") == 4_107_542_400_000_000)
  }

  @Test(arguments: [
    "", "-", "[", "yesterday", "01/Foo/2026:10:00:00 +0000", "01/Mar/2026:25:00:00 +0000",
    "01/Mar/2026:10:00:00 ", "01/Mar/2026:10:00:00x", "01/Mar/2026:10:00:00. +0000", "2026-13-01",
    "2026-00-10",
    "2026-03-01T", "2026-03-01T10:00",
    "2026-03-01T10:00:00.", "2026-03-01T10:00:00Zx", "1969-12-31T23:59:59Z", "Sun, 01 Mar",
    "99999999999999999999",
  ])
  func everythingElseIsNone(_ text: String) { #expect(time(text) == nil) }
}
