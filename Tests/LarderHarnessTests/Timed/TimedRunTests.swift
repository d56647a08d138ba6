import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import LarderExperiments
@testable import LarderHarness

/// Real caches whose fetches take time. Event times are measurements and are not checked here; the
/// numbers of events must add up.
@Suite(.endsInTime) struct TimedRunTests {
  /// In a separate thread: a run blocks its thread, and caches fetch on the threads of the tests.
  private static func run(
    _ trace: ExecutionTrace = ExecutionTrace(requests: 2000, hasOperations: false),
    servers: Int? = nil, simulated: Counts? = nil, policy: String = "s3-fifo",
    arrangement: Arrangement? = nil,
    _ change: @escaping @Sendable (ExecutionStand) -> Void = { _ in }
  ) async throws -> [Execution]? {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            try runHere(
              trace, servers: servers, simulated: simulated,
              arrangement ?? .memory(ExecutionStand.tier(policy)), change)
          })
      }
    }
  }

  private static func runHere(
    _ trace: ExecutionTrace, servers: Int?, simulated: Counts?, _ arrangement: Arrangement,
    _ change: (ExecutionStand) -> Void
  ) throws -> [Execution]? {
    let stand = ExecutionStand()
    stand.spec.load = .trace(speed: 4_000)
    stand.spec.origin = .wait
    change(stand)
    var planned = ExecutionStand.cell(arrangement)
    planned.setup.time = try FetchModel(latencies: [5_000_000, 20_000_000], servers: servers)
    return try stand.run(planned, over: trace.prepared(), simulated: simulated)
  }

  @Test(arguments: ["lru", "s3-fifo", "sieve"], [nil, 3])
  func everyRequestIsAHitADelayedHitOrAFetch(policy: String, servers: Int?) async throws {
    let executions = try await Self.run(servers: servers, policy: policy)
    let execution = try #require(executions?.first)
    let counts = execution.counts
    let time = try #require(counts.time)
    #expect(counts.requests == 2000 && execution.requests == 2000)
    #expect(counts.hits + time.delayedHits + time.originFetches == 2000)
    #expect(time.originFetches >= 1)
    #expect(time.maxInFlight >= 1 && time.maxInFlight <= time.originFetches)
    #expect(time.p50Latency <= time.p90Latency && time.p90Latency <= time.p99Latency)
    // Each fetch took its time, whatever the speed of the load.
    #expect(time.totalLatency >= time.originFetches * 5_000_000)
    #expect(execution.valuesChecked == 2000 && execution.valuesWrong == 0)
    #expect(execution.notes.isEmpty && execution.equalsSimulated == nil)
    let kinds = Dictionary(uniqueKeysWithValues: execution.latencies.map { ($0.kind, $0.count) })
    #expect(kinds[.memoryHit, default: 0] == counts.hits)
    #expect(kinds[.miss, default: 0] == 2000 - counts.hits)
  }

  private static let onDisk =
    [
      "disk": { .disk(try ExecutionStand.tier("lru")) },
      "inclusive": { try hybrid(.inclusive) },
      "exclusive": { try hybrid(.exclusive) },
    ] as [String: @Sendable () throws -> Arrangement]

  private static func hybrid(_ inclusion: HybridRules.Inclusion) throws -> Arrangement {
    .hybrid(
      memory: try ExecutionStand.tier("s3-fifo", capacity: 8), disk: try ExecutionStand.tier(),
      rules: HybridRules(inclusion: inclusion))
  }

  @Test(arguments: ["disk", "inclusive", "exclusive"])
  func diskCachesRun(name: String) async throws {
    let arrangement = try #require(Self.onDisk[name])
    let trace = ExecutionTrace(requests: 600, objects: 60, hasOperations: false)
    // Slow enough for stored values to be found. If other tests take the processors all the time,
    // none is: that is a measurement and does not fail the test.
    var executions: [Execution]?
    for speed in [300, 100, 30] as [Double] {
      executions = try await Self.run(trace, arrangement: arrangement()) {
        $0.spec.load = .trace(speed: speed)
      }
      let counts = executions?.first?.counts ?? Counts()
      if counts.diskHits > 0, counts.memoryHits > 0 || name == "disk" { break }
    }
    let execution = try #require(executions?.first)
    let counts = execution.counts
    let time = try #require(counts.time)
    #expect(counts.requests == 600)
    #expect(counts.memoryHits == 0 || name != "disk")
    #expect(counts.hits + time.delayedHits + time.originFetches == 600)
    #expect(counts.disk.admissions >= 1)
    #expect(counts.demotions > 0 || name != "exclusive")
    #expect(execution.valuesChecked == 600 && execution.valuesWrong == 0)
    let kinds = Dictionary(uniqueKeysWithValues: execution.latencies.map { ($0.kind, $0.count) })
    #expect(kinds[.diskHit, default: 0] == counts.diskHits)
    #expect(kinds[.miss, default: 0] == time.originFetches + time.delayedHits)
  }

  @Test func theWarmUpIsNotCounted() async throws {
    let executions = try await Self.run { stand in
      stand.warmUp = .share(Share(percent: 25))
      stand.repetitions = 2
    }
    #expect(executions?.map(\.repetition) == [1, 2])
    for execution in try #require(executions) {
      #expect(execution.warmUpRequests == 500 && execution.counts.requests == 1500)
      let time = try #require(execution.counts.time)
      #expect(execution.counts.hits + time.delayedHits + time.originFetches <= 1500)
      #expect(execution.valuesChecked == 2000)
    }
    let none = try #require(try await Self.run { $0.warmUp = .requests(1 << 20) }?.first?.counts)
    #expect(none.requests == 0 && none.memory == TierCounts())
  }

  @Test func runIsComparedWithTheSimulation() async throws {
    var simulated = Counts()
    simulated.requests = 2000
    simulated.time = TimeCounts()
    simulated.time?.originFetches = 1
    let executions = try await Self.run(simulated: simulated)
    let execution = try #require(executions?.first)
    #expect(execution.notes.count == 1)
    #expect(execution.notes[0].contains("not within 5 % and 1 %"))
  }

  @Test func unsupportedRunIsAnError() async throws {
    await #expect(throws: ExecutionError.self) { try await Self.run { $0.spec.load = .closed } }
    await #expect(throws: ExecutionError.self) { try await Self.run { $0.warmUp = .untilFull } }
    await #expect(throws: ExecutionError.self) {
      try await Self.run(ExecutionTrace(requests: 100, hasOperations: true))
    }
    await #expect(throws: ExecutionError.self) {
      try await Self.run(ExecutionTrace(requests: 100, hasOperations: false, isTimed: false))
    }
  }

  @Test func cancellationStopsTheRun() async throws {
    let executions = try await Self.run { stand in
      stand.spec.load = .trace(speed: 0.001)
      stand.cancellation.request()
    }
    #expect(executions == nil)
  }
}
