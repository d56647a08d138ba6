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

  /// Waits until `count` requests wait for a fetch that others have started.
  private func hasJoined(_ count: UInt64) async {
    while cache.readStatistics().loads.joined < count { await Task.yield() }
  }

  @Test func concurrentRequestsShareOneFetch() async throws {
    let origin = TestOrigin(gate: gate)
    let results = await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<20 {
        group.addTask { await cache.result(for: "a", load: origin.answer).value }
      }
      await hasJoined(19)
      gate.open()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results == Array(repeating: 0, count: 20))
    #expect(origin.requests == 1)
    #expect(cache.readStatistics().loads.started == 1)
  }

  @Test func failureReachesAllWaiters() async throws {
    let origin = TestOrigin(gate: gate)
    origin.set { $0.failure = OriginFailure() }
    async let one = cache.result(for: "a", load: origin.answer)
    await gate.hasArrivals(1)
    async let other = cache.result(for: "a", load: origin.answer)
    await hasJoined(1)
    gate.open()
    #expect(await [one.kind, other.kind] == Array(repeating: "failure OriginFailure", count: 2))
    #expect(origin.requests == 1)
    // The next one asks again.
    origin.set { $0.failure = nil }
    #expect(await cache.result(for: "a", load: origin.answer).kind == "miss")
  }

  @Test func cancelledRequestDoesNotCancelOthers() async throws {
    let origin = TestOrigin(gate: gate)
    let first = Task { await cache.result(for: "a", load: origin.answer).kind }
    await gate.hasArrivals(1)
    let second = Task { await cache.result(for: "a", load: origin.answer).kind }
    await hasJoined(1)
    first.cancel()
    // It ends although the origin has not responded.
    #expect(await first.value == "failure CancellationError")
    gate.open()
    #expect(await second.value == "miss")
    #expect(try await cache.entry(for: "a")?.value == 0)
  }

  @Test func fetchIsCancelledWithTheLastRequest() async throws {
    let (cancelled, entered) = (Gate(), Gate())
    let load: HybridCache<String, Int>.Loader = { [gate] _ in
      await withTaskCancellationHandler {
        entered.open()
        await gate.pass()
      } onCancel: {
        cancelled.open()
      }
      return .value(5)
    }
    let first = Task { await cache.result(for: "a", load: load).kind }
    await entered.pass()
    let second = Task { await cache.result(for: "a", load: load).kind }
    await hasJoined(1)
    first.cancel()
    second.cancel()
    #expect(await [first.value, second.value].allSatisfy { $0 == "failure CancellationError" })
    await cancelled.pass()
    // A later request starts again, and the late result of the cancelled fetch is not stored.
    #expect(await cache.result(for: "a") { _ in .value(6) }.value == 6)
    gate.open()
    for _ in 0..<100 { await Task.yield() }
    #expect(try await cache.entry(for: "a")?.value == 6)
    #expect(cache.readStatistics().loads.failed == 0)
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

  @Test(.timeLimit(.minutes(30))) func loaderThatRequestsItsOwnKeyGetsAnError() async throws {
    let inner = Locked<[String]>([])
    let result = await cache.result(for: "a") { [cache] _ in
      let own = await cache.result(for: "a") { _ in .value(1) }
      // Through another key, too.
      let other = await cache.result(for: "b") { _ in
        .value(try await cache.value(for: "a") { _ in 1 })
      }
      inner.withLock { $0 = [own.kind, other.kind] }
      return .value(2)
    }
    #expect(result.value == 2)
    #expect(
      inner.withLock { $0 } == ["failure LoadError", "failure LoadError"])
    // Cached values may be requested, and so may the same key of another cache.
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

  @Test func aSetDuringAFetchStays() async throws {
    let origin = TestOrigin(gate: gate)
    async let result = cache.result(for: "a", load: origin.answer)
    await gate.hasArrivals(1)
    try await cache.set(9, for: "a")
    gate.open()
    #expect(await result.value == 0)
    #expect(try await cache.entry(for: "a")?.value == 9)
    cache.handle(.critical)
    #expect(try await cache.entry(for: "a")?.value == 9)
    #expect(cache.readStatistics().loads.overtaken == 1)
  }

  @Test func aRemovalDuringAFetchStays() async throws {
    let origin = TestOrigin(gate: gate)
    async let one = cache.result(for: "a", load: origin.answer)
    async let other = cache.result(for: "b", load: origin.answer)
    await gate.hasArrivals(2)
    try await cache.remove("a")
    try await cache.removeAll()
    gate.open()
    #expect(await [one.value, other.value] == [0, 0])
    #expect(try await cache.entry(for: "a") == nil)
    #expect(try await cache.entry(for: "b") == nil)
  }

  @Test func requestAfterARemovalFetchesAgain() async throws {
    let origin = TestOrigin(gate: gate)
    async let old = cache.result(for: "a", load: origin.answer)
    await gate.hasArrivals(1)
    try await cache.remove("a")
    origin.set { $0.value = 1 }
    async let new = cache.result(for: "a", load: origin.answer)
    await gate.hasArrivals(2)
    gate.open()
    #expect(await old.value == 0)
    #expect(await new.value == 1)
    #expect(try await cache.entry(for: "a")?.value == 1)
  }

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
