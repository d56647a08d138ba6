import LarderEngine
import Testing

@testable import LarderHarness

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

struct TimedOriginTests {
  private func ends(
    servers: Int?, bandwidth: UInt64? = nil, speed: Double = 1, bytes: UInt32 = 0,
    _ begins: [UInt64]
  ) throws -> [UInt64] {
    let model = try FetchModel(latencies: [100], bytesPerSecond: bandwidth, servers: servers)
    let origin = TimedOrigin(model, speed: speed)
    return begins.enumerated().map { index, now in
      origin.begin(request: index, bytes: bytes, now: now, isCounted: true)
    }
  }

  @Test func anyNumberAtOnce() throws {
    #expect(try ends(servers: nil, [0, 0, 7]) == [100_000, 100_000, 100_007])
  }

  @Test func oneQueueForAllServers() throws {
    #expect(try ends(servers: 1, [0, 0, 250_000]) == [100_000, 200_000, 350_000])
    #expect(
      try ends(servers: 2, [0, 10_000, 20_000, 20_000])
        == [100_000, 110_000, 200_000, 210_000])
  }

  @Test func transfersAndSpeed() throws {
    // 50 bytes at 1 MB/s are 50 microseconds.
    #expect(try ends(servers: nil, bandwidth: 1_000_000, bytes: 50, [0]) == [150_000])
    #expect(try ends(servers: 1, speed: 10, [0, 0]) == [10_000, 20_000])
  }

  @Test func uncountedFetchesAreIgnored() throws {
    let origin = TimedOrigin(try FetchModel(latencies: [1]), speed: 1)
    _ = origin.begin(request: 0, bytes: 0, now: 0, isCounted: false)
    _ = origin.begin(request: 1, bytes: 0, now: 0, isCounted: true)
    origin.end()
    origin.end()
    _ = origin.begin(request: 2, bytes: 0, now: 5_000, isCounted: true)
    #expect(origin.counts.fetches == 2 && origin.counts.inFlightMax == 2)
  }
}

struct TimedTallyTests {
  @Test func percentilesAreExact() {
    let time = TimeCounts(
      waits: (1...200).reversed(), misses: 80, fetches: 70, inFlightMax: 9)
    #expect(time.delayedHits == 10 && time.originFetches == 70 && time.maxInFlight == 9)
    #expect(time.totalLatency == 20_100)
    #expect([time.p50Latency, time.p90Latency, time.p99Latency] == [100, 180, 198])
  }

  @Test func emptyTallyIsZero() {
    let time = TimeCounts(waits: [], misses: 0, fetches: 0, inFlightMax: 0)
    #expect(time.totalLatency == 0 && time.p99Latency == 0 && time.delayedHits == 0)
  }
}
