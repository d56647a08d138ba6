import Testing

@testable import LarderHarness

/// Sums and percentiles of waits.
struct TimedTallyTests {
  @Test func percentilesAreExact() {
    var tally = TimedTally()
    for wait in (1...200 as ClosedRange<UInt64>).reversed() {
      tally.note(wait <= 80 ? .memory : wait <= 120 ? .disk : nil, weight: 3, wait: wait)
    }
    let time = tally.time(fetches: 70, inFlightMax: 9)
    #expect(tally.requests == 200 && tally.memoryHits == 80 && tally.diskHits == 40)
    #expect(tally.bytesRequested == 600)
    #expect(tally.memoryBytesHit == 240 && tally.diskBytesHit == 120)
    #expect(time.delayedHits == 10 && time.originFetches == 70 && time.maxInFlight == 9)
    #expect(time.totalLatency == 20_100)
    #expect([time.p50Latency, time.p90Latency, time.p99Latency] == [100, 180, 198])
  }

  @Test func emptyTallyIsZero() {
    let time = TimedTally().time(fetches: 0, inFlightMax: 0)
    #expect(time.totalLatency == 0 && time.p99Latency == 0 && time.delayedHits == 0)
  }
}
