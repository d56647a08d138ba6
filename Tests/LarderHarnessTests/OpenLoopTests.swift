import LarderEngine
import TestSupport
import Testing

@testable import LarderExperiments
@testable import LarderHarness

/// Requests that are due at given times: latency is measured from then.
@Suite(.endsInTime) struct OpenLoopTests {
  private static func run(
    _ load: ExecutionSpec.Load, requests: Int = 1_000, spend: UInt64,
    _ change: (ExecutionStand) -> Void = { _ in }
  ) throws -> Execution? {
    let trace = ExecutionTrace(requests: requests, hasOperations: false).prepared()
    let stand = ExecutionStand()
    let time = FakeRunTime()
    stand.time = time
    stand.spec.load = load
    change(stand)
    let cache = FaultyCache(.none) { time.spend(spend) }
    return try stand.run(
      ExecutionStand.cell(.memory(try ExecutionStand.tier())), over: trace, cache.contender)?
      .first
  }

  @Test func aRateIsKept() throws {
    // A hit takes one call and a miss two, of a microsecond each; one request in 10 microseconds.
    let execution = try #require(try Self.run(.rate(perSecond: 100_000), spend: 1_000))
    #expect(abs(execution.seconds - 0.00999) < 0.00001)
    #expect(execution.latencies.map(\.kind) == [.memoryHit, .miss])
    #expect(execution.latencies.map(\.latency.max) == [1_000, 2_000])
  }

  @Test func aStallIsNotHidden() throws {
    // Each call takes the time between four requests: the last ones wait for all before them.
    let execution = try #require(try Self.run(.rate(perSecond: 1_000_000), spend: 4_000))
    let latest = try #require(execution.getLatency)
    #expect(latest.max > 3_000 * 900)
    #expect(latest.p50 > 3_000 * 400)
    let closed = try #require(try Self.run(.closed, spend: 4_000))
    #expect(closed.getLatency?.max == 8_000)
  }

  @Test func theTracesTimesAreKept() throws {
    let trace = ExecutionTrace(requests: 1_000, hasOperations: false).prepared()
    let times = try #require(trace.requests.times)
    let last = Double(times[999] - times[0]) / 1e6
    let execution = try #require(try Self.run(.trace(speed: 100), spend: 0))
    #expect(abs(execution.seconds - last / 100) < 0.001)
    let late = try #require(
      try Self.run(.trace(speed: 100), spend: 0) { $0.warmUp = .requests(400) })
    #expect(abs(late.seconds - Double(times[999] - times[400]) / 1e8) < 0.001)
  }

  @Test func theOriginIsChargedOrWaitedFor() throws {
    let model = LatencyModel(origin: AccessLatency(base: .constant(50_000), nanosecondsPerByte: 0))
    let charged = try #require(try Self.run(.closed, spend: 10) { $0.latency = model })
    let waited = try #require(
      try Self.run(.closed, spend: 10) {
        $0.latency = model
        $0.spec.origin = .wait
      })
    for execution in [charged, waited] {
      #expect(execution.latencies.map(\.latency.max) == [10, 50_020])
    }
    #expect(charged.seconds < 0.000_1)
    #expect(waited.seconds > 0.000_05 * Double(waited.counts.misses))
  }
}
