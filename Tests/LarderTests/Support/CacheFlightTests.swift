import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Concurrent requests with one fetch, and events between a fetch and its end.
@Suite(.endsInTime) struct CacheFlightTests {
  let folder: ScratchFolder
  let gate = Gate()
  let cache: HybridCache<String, Int>
  init() throws {
    folder = try ScratchFolder()
    cache = try HybridCache(path: folder.path, configuration: HybridTestCaches.configuration())
  }

  @Test func requestCancelledBeforehandDoesNotFetch() async throws {
    let origin = TestOrigin()
    let task = Task { [gate] in
      await gate.pass()
      return await cache.result(for: "a", load: origin.answer).kind
    }
    task.cancel()
    gate.open()
    #expect(await task.value == "failure CancellationError")
    #expect(origin.requests == 0)
  }

  @Test func aCancelledLoadIsNoFailure() async throws {
    let result = await cache.result(for: "a") { _ in throw CancellationError() }
    #expect(result.kind == "failure CancellationError")
    #expect(cache.readStatistics().loads.failed == 0)
    _ = await cache.result(for: "a") { _ in throw OriginFailure() }
    #expect(cache.readStatistics().loads.failed == 1)
  }

  /// A request waits for a fetch that was started at a lower priority.
  @Test(.timeLimit(.minutes(30))) func joinedFetchHasThePriorityOfItsWaiters() async throws {
    let entered = Gate()
    let first = Task(priority: .background) {
      await cache.result(for: "a") { _ in
        entered.open()
        // Takes as long as the second task needs to get a processor.
        for _ in 0..<300_000 {
          if Task.currentPriority >= .high { break }
          try await Task.sleep(for: .milliseconds(1))
        }
        return .value(Int(Task.currentPriority.rawValue))
      }.value
    }
    await entered.pass()
    let second = Task(priority: .high) { await cache.result(for: "a") { _ in .value(0) }.value }
    let priority = try #require(await second.value)
    #expect(priority >= Int(TaskPriority.high.rawValue))
    _ = await first.value
  }

  // MARK: Loaders that use the cache

  /// Cached values, and the same key of another cache.
  @Test func loaderMayRequestWhatNeedsNoLoadOfItsKey() async throws {
    try await cache.set(2, for: "a")
    let folder = try ScratchFolder()
    let behind = try await HybridCache<String, Int>(
      path: folder.path, configuration: HybridTestCaches.configuration())
    let again = await cache.result(for: "a", strategy: .fetch) { [cache] _ in
      let known = await cache.result(for: "a") { _ in .value(-1) }.value ?? 0
      return .value(known + (try await behind.value(for: "a") { _ in 40 }))
    }
    #expect(again.value == 42)
  }

  // MARK: Overtaking

  @Test func overtakenRenewalChangesNothing() async throws {
    let origin = TestOrigin(gate: gate)
    try await cache.set(0, for: "a", options: DiskStoreOptions(version: "v0"))
    async let result = cache.result(for: "a", strategy: .fetch, load: origin.answer)
    await gate.hasArrivals(1)
    try await cache.set(4, for: "a", options: DiskStoreOptions(version: "v4"))
    gate.open()
    #expect(await result.kind == "hit memory revalidated")
    #expect(try await cache.entry(for: "a")?.version == "v4")
  }
}
