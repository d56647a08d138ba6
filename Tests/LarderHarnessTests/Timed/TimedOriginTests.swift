import LarderEngine
import Testing

@testable import LarderHarness

/// End times of fetches.
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
