import Foundation
import Larder
import LarderLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct LifecycleTests {
  @Test func aCacheIsCleanedAndThenClosed() async throws {
    let scratch = Scratch()
    let cache = try BlockingDiskCache(path: scratch.path)
    try cache.set(
      Data([1]), for: "short", options: DiskStoreOptions(timeToLive: .milliseconds(1)))
    try cache.set(Data([2]), for: "long")
    try await testGracefulShutdown { trigger in
      let cleaning = try CacheService(DiskCache(cache), cleaningEvery: .milliseconds(5))
      async let service: Void = cleaning.run()
      while cache.count > 1 { try await Task.sleep(for: .milliseconds(5)) }
      trigger.triggerGracefulShutdown()
      try await service
    }
    #expect(throws: DiskCacheError.self) { try cache.value(for: "long") }
    let again = try BlockingDiskCache(path: scratch.path)
    #expect(try again.value(for: "long") == Data([2]))
    try again.close()
  }

  @Test func cancellationClosesToo() async throws {
    let scratch = Scratch()
    let cache = try await HybridCache<String, String>(path: scratch.path)
    try await cache.set("of a", for: "a")
    let task = Task { try await CacheService(cache).run() }
    task.cancel()
    try await task.value
    let again = try await HybridCache<String, String>(path: scratch.path)
    #expect(try await again.value(for: "a") == "of a")
    try await again.close()
  }

  @Test func diskIsAwaitedOutsideThePool() async throws {
    let scratch = Scratch()
    let clock = ObservedClock()
    try await serve(
      CacheService(
        try await DiskCache(path: scratch.path, clock: clock), cleaningEvery: often), clock)
    #expect(!clock.wasAskedByATask)
  }

  @Test func diskOfAHybridCacheIsAwaitedOutsideThePool() async throws {
    let scratch = Scratch()
    let clock = ObservedClock()
    let cache = try await HybridCache<String, String>(
      path: scratch.path, configuration: HybridCacheConfiguration(clock: clock))
    try await serve(CacheService(cache, cleaningEvery: often), clock)
    #expect(!clock.wasAskedByATask)
  }

  @Test(arguments: [.zero, .seconds(-1), .microseconds(999)] as [Duration])
  func intervalOutOfRangeIsRejected(_ interval: Duration) async throws {
    let scratch = Scratch()
    let refusal = CacheServiceError.interval(interval)
    let memory = MemoryCache<Int, Int>(count: 2)
    #expect(throws: refusal) { try CacheService(memory, cleaningEvery: interval) }
    let hybrid = try await HybridCache<String, String>(path: scratch.path)
    #expect(throws: refusal) { try CacheService(hybrid, cleaningEvery: interval) }
    try await hybrid.close()
    let disk = try BlockingDiskCache(path: scratch.path)
    #expect(throws: refusal) { try CacheService(DiskCache(disk), cleaningEvery: interval) }
    try disk.close()
    #expect("\(refusal)".hasSuffix("is out of range: expected at least a millisecond"))
  }

  @Test func failuresToCleanAreReported() async throws {
    let scratch = Scratch()
    let hybrid = try await HybridCache<String, String>(path: scratch.path)
    try await hybrid.close()
    let ofHybrid = Mutex<[HybridCacheError]>([])
    try await serve(
      CacheService(
        hybrid, cleaningEvery: often, onFailure: { error in ofHybrid.withLock { $0.append(error) } }
      )
    ) { ofHybrid.withLock { $0.count > 1 } }
    #expect(ofHybrid.withLock { $0.allSatisfy { "\($0)".hasSuffix("the cache is closed") } })

    let disk = try BlockingDiskCache(path: scratch.path)
    try disk.close()
    let ofDisk = Mutex<[DiskCacheError]>([])
    try await serve(
      CacheService(
        DiskCache(disk), cleaningEvery: often,
        onFailure: { error in ofDisk.withLock { $0.append(error) } })
    ) { ofDisk.withLock { $0.count > 1 } }
    #expect(ofDisk.withLock { $0.allSatisfy { $0 == .closed(path: scratch.path) } })
  }

  private let often = Duration.milliseconds(5)

  /// Runs a service until its cache has read the clock more than once.
  private func serve(_ service: CacheService, _ clock: ObservedClock) async throws {
    clock.forget()
    try await serve(service) { clock.questions >= 3 }
  }

  /// Runs a service until a condition holds. Closing a cache again does nothing.
  private func serve(_ service: CacheService, until hasHappened: () -> Bool) async throws {
    let running = Task { try await service.run() }
    while !hasHappened() { try await Task.sleep(for: often) }
    running.cancel()
    try await running.value
  }
}

/// A clock that records the threads that read it. A cache reads it on the thread on which it works.
private final class ObservedClock: CacheClock {
  private let asked = Mutex((all: 0, byTasks: 0))

  var questions: Int { asked.withLock { $0.all } }
  var wasAskedByATask: Bool { asked.withLock { $0.byTasks > 0 } }

  func forget() { asked.withLock { $0 = (0, 0) } }

  var now: CacheInstant {
    asked.withLock {
      $0.all += 1
      $0.byTasks += withUnsafeCurrentTask { $0 == nil } ? 0 : 1
    }
    return SystemCacheClock.wall().now
  }
}
