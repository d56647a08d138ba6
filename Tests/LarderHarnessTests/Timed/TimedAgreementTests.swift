import LarderEngine
import Testing

@testable import LarderHarness

/// The limits of agreement.
struct TimedAgreementTests {
  private func counts(_ latency: UInt64, _ fetches: UInt64, requests: UInt64 = 1000) -> Counts {
    var counts = Counts()
    counts.requests = requests
    counts.time = TimeCounts()
    counts.time?.totalLatency = latency
    counts.time?.originFetches = fetches
    return counts
  }

  @Test(arguments: [
    (1_050_000, 10_100, true), (950_000, 9_900, true), (1_051_000, 10_000, false),
    (949_000, 10_000, false), (1_000_000, 10_101, false), (1_000_000, 9_899, false),
  ])
  func limits(latency: UInt64, fetches: UInt64, isClose: Bool) throws {
    let agreement = try #require(
      TimedAgreement(measured: counts(latency, fetches), simulated: counts(1_000_000, 10_000)))
    #expect(agreement.isClose == isClose)
    #expect(agreement.text.contains("not within") != isClose)
  }

  @Test func differencesInWords() throws {
    let agreement = try #require(
      TimedAgreement(measured: counts(10_300_000, 99), simulated: counts(10_000_000, 100)))
    #expect(
      agreement.text
        == "mean wait 10.30 ms executed, 10.00 ms simulated (+3.0 %); 99 fetches executed, "
        + "100 simulated (\u{2212}1.0 %): within 5 % and 1 %.")
  }

  @Test func incomparableCountsAreNil() {
    #expect(TimedAgreement(measured: Counts(), simulated: counts(1, 1)) == nil)
    #expect(TimedAgreement(measured: counts(1, 1), simulated: Counts()) == nil)
    #expect(TimedAgreement(measured: counts(1, 1, requests: 9), simulated: counts(1, 1)) == nil)
    let nothing = TimedAgreement(measured: counts(0, 0), simulated: counts(0, 0))
    #expect(nothing?.isClose == true)
    let something = TimedAgreement(measured: counts(5, 1), simulated: counts(0, 0))
    #expect(something?.isClose == false && something?.text.contains("from nothing") == true)
  }
}
