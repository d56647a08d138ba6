import CoreMetrics
import Foundation
import Larder
import MetricsTestKit
import Synchronization
import Testing

@testable import LarderMetrics

@Suite(.timeLimit(.minutes(1))) struct MetricsTests {
  private func total(_ metrics: TestMetrics, _ label: String, _ dimensions: [(String, String)])
    -> Int64
  {
    metrics.counterTotal(label: label, dimensions: [("cache", "c")] + dimensions)
  }

  @Test func countersGrowByEventsBetweenUpdates() async throws {
    let metrics = TestMetrics()
    let cache = MemoryCache<Int, Int>(count: 2)
    let reporter = CacheMetrics(cache, name: "c", factory: metrics)
    for key in 0..<3 { cache.set(key, for: key) }
    _ = cache.value(for: 2)
    _ = cache.value(for: 7)
    reporter.update()
    let memory = ("tier", "memory")
    #expect(total(metrics, "larder_requests", [memory, ("result", "hit")]) == 1)
    #expect(total(metrics, "larder_requests", [memory, ("result", "miss")]) == 1)
    #expect(total(metrics, "larder_stores", [memory, ("result", "stored")]) == 3)
    #expect(total(metrics, "larder_evictions", [memory, ("reason", "capacity")]) == 1)
    #expect(try metrics.expectMeter("larder_entries", [("cache", "c"), memory]).lastValue == 2)
    _ = cache.value(for: 2)
    reporter.update()
    reporter.update()
    #expect(total(metrics, "larder_requests", [memory, ("result", "hit")]) == 2)
    // Statistics that were reset are not subtracted.
    cache.resetStatistics()
    _ = cache.value(for: 2)
    reporter.update()
    #expect(total(metrics, "larder_requests", [memory, ("result", "hit")]) == 3)
    _ = try? await cache.value(for: 9) { _ in throw Refused() }
    reporter.update()
    #expect(total(metrics, "larder_loads", [("result", "failed")]) == 1)
    withExtendedLifetime(cache) {}
  }

  @Test func tiersOfAHybridAreDistinguished() async throws {
    let metrics = TestMetrics()
    let scratch = Scratch()
    let cache = try await HybridCache<String, String>(path: scratch.path)
    let reporter = CacheMetrics(cache, name: "c", factory: metrics)
    _ = try await cache.value(for: "a") { _ in "of a" }
    _ = try await cache.value(for: "a") { _ in "another" }
    reporter.update()
    #expect(total(metrics, "larder_requests", [("tier", "memory"), ("result", "hit")]) == 1)
    #expect(total(metrics, "larder_requests", [("tier", "disk"), ("result", "miss")]) == 1)
    #expect(total(metrics, "larder_loads", [("result", "started")]) == 1)
    let weight = try metrics.expectMeter("larder_weight", [("cache", "c"), ("tier", "disk")])
    #expect(weight.lastValue == 4)
    try await cache.close()
  }

  @Test func negativeHitsAreReported() async throws {
    let metrics = TestMetrics()
    let cache = MemoryCache<Int, Int>(count: 2)
    let reporter = CacheMetrics(cache, name: "c", factory: metrics)
    for _ in 0..<3 {
      #expect(try await cache.value(for: 1, negativeLife: .seconds(3600)) { _ in nil } == nil)
    }
    reporter.update()
    #expect(total(metrics, "larder_loads", [("result", "absent")]) == 1)
    #expect(total(metrics, "larder_negative_hits", []) == 2)
    withExtendedLifetime(cache) {}
  }

  @Test func staleAnswersAreReported() async throws {
    let metrics = TestMetrics()
    let scratch = Scratch()
    let cache = try await HybridCache<String, String>(
      path: scratch.path,
      configuration: HybridCacheConfiguration(staleIfError: .seconds(3600)))
    let reporter = CacheMetrics(cache, name: "c", factory: metrics)
    let options = DiskStoreOptions(timeToLive: .zero, version: "1")
    try await cache.set("of a", for: "a", options: options)
    #expect(try await cache.value(for: "a") { _ in throw Refused() } == "of a")
    reporter.update()
    #expect(total(metrics, "larder_stale_answers", [("reason", "origin_failed")]) == 1)
    try await cache.close()
  }

  @Test func aRunThatIsCancelledReportsOnceMore() async throws {
    let metrics = TestMetrics()
    let cache = MemoryCache<Int, Int>(count: 2)
    let reporter = CacheMetrics(cache, name: "c", factory: metrics)
    let task = Task { try await reporter.run(every: .seconds(3600)) }
    while metrics.meters.isEmpty { await Task.yield() }
    _ = cache.value(for: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(total(metrics, "larder_requests", [("tier", "memory"), ("result", "miss")]) == 1)
    withExtendedLifetime(cache) {}
  }

  @Test func metricsDoNotRetainTheCache() async throws {
    let scratch = Scratch()
    var memory: MemoryCache<Int, Int>? = MemoryCache(count: 2)
    var disk: BlockingDiskCache? = try BlockingDiskCache(path: scratch.path)
    let ofMemory = CacheMetrics(try #require(memory), name: "m", factory: TestMetrics())
    let ofDisk = CacheMetrics(DiskCache(try #require(disk)), name: "d", factory: TestMetrics())
    async let untilMemoryIsGone: Void = ofMemory.run(every: .milliseconds(1))
    async let untilDiskIsGone: Void = ofDisk.run(every: .milliseconds(1))
    memory = nil
    disk = nil
    try await (untilMemoryIsGone, untilDiskIsGone)
    // The folder is free again.
    var hybrid: HybridCache<String, String>? = try await HybridCache(path: scratch.path)
    let ofHybrid = CacheMetrics(try #require(hybrid), name: "h", factory: TestMetrics())
    async let untilHybridIsGone: Void = ofHybrid.run(every: .milliseconds(1))
    hybrid = nil
    try await untilHybridIsGone
    ofHybrid.update()
    _ = (memory, disk, hybrid)
  }

  @Test(arguments: [.zero, .seconds(-1), .microseconds(999)] as [Duration])
  func intervalOutOfRangeIsRejected(_ interval: Duration) async throws {
    let metrics = TestMetrics()
    let reporter = CacheMetrics(MemoryCache<Int, Int>(count: 2), name: "c", factory: metrics)
    let refusal = CacheMetricsError.interval(interval)
    // Cancelled, so that it ends if the interval is not rejected.
    let task = Task { try await reporter.run(every: interval) }
    task.cancel()
    await #expect(throws: refusal) { try await task.value }
    #expect(metrics.meters.isEmpty)
    #expect("\(refusal)".hasSuffix("is out of range: expected at least a millisecond"))
  }

  @Test func longestIntervalIsWaited() async throws {
    let cache = MemoryCache<Int, Int>(count: 2)
    let reporter = CacheMetrics(cache, name: "c", factory: TestMetrics())
    let task = Task { try await reporter.run(every: .seconds(Int64.max)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    withExtendedLifetime(cache) {}
  }

  @Test func diskIsAwaitedOutsideThePool() async throws {
    let scratch = Scratch()
    let cache = try BlockingDiskCache(path: scratch.path)
    let factory = ObservedFactory()
    try await report(CacheMetrics(DiskCache(cache), name: "c", factory: factory))
    #expect(factory.made > 0 && factory.madeByTasks == 0)
    try cache.close()
  }

  @Test func diskOfAHybridCacheIsAwaitedOutsideThePool() async throws {
    let scratch = Scratch()
    let cache = try await HybridCache<String, String>(path: scratch.path)
    let factory = ObservedFactory()
    try await report(CacheMetrics(cache, name: "c", factory: factory))
    #expect(factory.made > 0 && factory.madeByTasks == 0)
    try await cache.close()
  }

  /// Reports once, and once more because it was cancelled.
  private func report(_ reporter: CacheMetrics) async throws {
    let task = Task { try await reporter.run(every: .seconds(3600)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func revertedHitsAreNotCountedAgain() {
    let metrics = TestMetrics()
    let totals = Mutex<[UInt64]>([10, 9, 10, 12])
    let reporter = CacheMetrics("c", metrics) {
      {
        [
          CacheReading(
            label: "l", dimensions: [], value: .total(totals.withLock { $0.removeFirst() }))
        ]
      }
    }
    for counted in [10, 10, 10, 12] as [Int64] {
      reporter.update()
      #expect(total(metrics, "l", []) == counted)
    }
  }

  @Test func updatesOfSeveralThreadsCountNothingTwice() {
    let metrics = TestMetrics()
    let reads = Mutex<UInt64>(0)
    let reporter = CacheMetrics("c", metrics) {
      {
        let read = reads.withLock { reads in
          reads += 1
          return reads
        }
        // Other threads may read and report before this one does.
        if read % 2 == 0 { Thread.sleep(forTimeInterval: 0.0002) }
        return [CacheReading(label: "l", dimensions: [], value: .total(read))]
      }
    }
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<50 { reporter.update() }
    }
    #expect(total(metrics, "l", []) == 400)
  }
}

/// A factory that records if metrics are created by a task. They are created by the thread that
/// reads the statistics.
private final class ObservedFactory: MetricsFactory {
  private let metrics = TestMetrics()
  private let counts = Mutex((all: 0, byTasks: 0))

  var made: Int { counts.withLock { $0.all } }
  var madeByTasks: Int { counts.withLock { $0.byTasks } }

  private func note() {
    counts.withLock {
      $0.all += 1
      $0.byTasks += withUnsafeCurrentTask { $0 == nil } ? 0 : 1
    }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    note()
    return metrics.makeCounter(label: label, dimensions: dimensions)
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    note()
    return metrics.makeMeter(label: label, dimensions: dimensions)
  }

  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    metrics.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    metrics.makeTimer(label: label, dimensions: dimensions)
  }

  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyMeter(_ handler: any MeterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}
