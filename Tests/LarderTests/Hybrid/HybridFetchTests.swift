import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// The cache and its origin: strategies, revalidation, and substitutes for a failing origin.
@Suite(.endsInTime) struct HybridFetchTests {
  let folder: ScratchFolder
  let clock = ManualClock(seconds: 1000)
  init() throws { folder = try ScratchFolder() }

  private func cache(
    _ change: (inout HybridCacheConfiguration) -> Void = { _ in }
  ) throws -> HybridCache<String, Int> {
    var configuration = HybridTestCaches.configuration(clock: clock)
    change(&configuration)
    return try HybridCache(path: folder.path, configuration: configuration)
  }

  @Test func theShortestUse() async throws {
    let cache = try await HybridCache<String, String>(path: folder.path)
    let first = try await cache.value(for: "a") { request in "\(request.key)!" }
    #expect(first == "a!")
    let second = try await cache.value(for: "a") { _ in "another" }
    #expect(second == "a!")
    try await cache.close()
  }

  // MARK: Strategies

  @Test func cacheElseFetch() async throws {
    let (cache, origin) = (try cache(), TestOrigin())
    #expect(await cache.result(for: "a", load: origin.answer).kind == "miss")
    #expect(await cache.result(for: "a", load: origin.answer).kind == "hit memory fresh")
    cache.handle(.critical)
    let result = await cache.result(for: "a", load: origin.answer)
    #expect(result.kind == "hit disk fresh")
    #expect(try result.get() == 0)
    #expect(origin.requests == 1)
  }

  @Test func fetchAlwaysAsksTheOrigin() async throws {
    let (cache, origin) = (try cache(), TestOrigin())
    _ = await cache.result(for: "a", strategy: .fetch, load: origin.answer)
    origin.set { $0.value = 1 }
    let result = await cache.result(for: "a", strategy: .fetch, load: origin.answer)
    #expect(result.kind == "miss")
    #expect(result.value == 1)
    #expect(origin.state.withLock { $0.versions } == [nil, "v0"])
    #expect(try await cache.entry(for: "a")?.value == 1)
  }

  @Test func cacheOnlyNeverAsksTheOrigin() async throws {
    let (cache, origin) = (try cache(), TestOrigin())
    #expect(
      await cache.result(for: "a", strategy: .cacheOnly, load: origin.answer).kind == "absent")
    await #expect(throws: LoadError.absent(key: "a")) {
      try await cache.value(for: "a", strategy: .cacheOnly) { _ in 1 }
    }
    try await cache.set(3, for: "a")
    #expect(
      await cache.result(for: "a", strategy: .cacheOnly, load: origin.answer).value == 3)
    #expect(origin.requests == 0)
  }

  @Test func cacheThenFetchReturnsAtOnceAndRefreshes() async throws {
    let gate = Gate()
    let (cache, origin) = (try cache { $0.strategy = .cacheThenFetch }, TestOrigin(gate: gate))
    try await cache.set(7, for: "a")
    // The origin is delayed, and requests return nevertheless; one refresh suffices.
    for _ in 0..<3 {
      #expect(await cache.result(for: "a", load: origin.answer).value == 7)
    }
    #expect(cache.readStatistics().loads.started == 1)
    let events = cache.eventStream()
    gate.open()
    for await event in events { if case .fetch(isBackground: true) = event.kind { break } }
    #expect(origin.requests == 1)
    #expect(try await cache.entry(for: "a")?.value == 0)
    // Without a cached value the request waits for the origin.
    #expect(await cache.result(for: "b", load: origin.answer).kind == "miss")
  }

  @Test func updatesReturnBothResults() async throws {
    let (cache, origin) = (try cache(), TestOrigin())
    try await cache.set(7, for: "a", options: DiskStoreOptions(version: "v7"))
    func updates() async -> [String] {
      var all: [String] = []
      for await result in cache.updates(for: "a", load: origin.answer) {
        all.append("\(result.kind) \(result.value ?? -1)")
      }
      return all
    }
    #expect(await updates() == ["hit memory fresh 7", "miss 0"])
    #expect(await updates() == ["hit memory fresh 0", "hit memory revalidated 0"])
    try await cache.remove("a")
    #expect(await updates() == ["miss 0"])
    origin.set { $0.failure = OriginFailure() }
    #expect(await updates() == ["hit memory fresh 0", "failure OriginFailure -1"])
  }

  // MARK: Revalidation

  @Test func notModifiedRenewsBothTiersWithoutABody() async throws {
    let (cache, origin) = (try cache(), TestOrigin())
    origin.set { $0.maxAge = .seconds(10) }
    _ = await cache.result(for: "a", load: origin.answer)
    clock.advance(seconds: 5)
    #expect(await cache.result(for: "a", load: origin.answer).kind == "hit memory fresh")
    clock.advance(seconds: 5)
    let written = cache.readStatistics().disk?.bytesWritten
    let result = await cache.result(for: "a", load: origin.answer)
    #expect(result.kind == "hit disk revalidated")
    guard case .hit(let hit) = result else { return }
    #expect(hit.version == "v0")
    #expect(hit.expiry.microseconds == 1_020_000_000)
    #expect(hit.creation == 1_010_000_000)
    #expect(cache.readStatistics().disk?.bytesWritten == written)
    #expect(cache.readStatistics().loads.notModified == 1)
    clock.advance(seconds: 9)
    #expect(try await cache.entry(for: "a")?.tier == .memory)
    cache.handle(.critical)
    let onDisk = try #require(try await cache.entry(for: "a"))
    #expect(onDisk.tier == .disk)
    #expect(onDisk.expiry.microseconds == 1_020_000_000)
    clock.advance(seconds: 1)
    #expect(try await cache.entry(for: "a") == nil)
    #expect(origin.requests == 2)
  }

  @Test func valueEvictedDuringRevalidationIsStoredAgain() async throws {
    let gate = Gate()
    let (cache, origin) = (try cache(), TestOrigin(gate: gate))
    try await cache.set(0, for: "a", options: DiskStoreOptions(version: "v0"))
    async let result = cache.result(for: "a", strategy: .fetch, load: origin.answer)
    await gate.hasArrivals(1)
    cache.trimMemory(toCount: 0)
    try await cache.trimDisk(toCount: 0)
    gate.open()
    #expect(await result.kind == "hit memory revalidated")
    let hit = try #require(try await cache.entry(for: "a"))
    #expect(hit.version == "v0")
    #expect(cache.diskCount == 1)
  }

  @Test func notModifiedWithoutVersionIsAFailure() async throws {
    let cache = try cache()
    let result = await cache.result(for: "a") { _ in .notModified() }
    #expect(result.kind == "failure HybridCacheError")
    #expect(try await cache.entry(for: "a") == nil)
  }

  @Test func maxAgeIsRespected() async throws {
    let cache = try cache()
    _ = try await cache.value(for: "a", maxAge: .seconds(10)) { _ in 1 }
    clock.advance(seconds: 9)
    #expect(try await cache.entry(for: "a")?.value == 1)
    clock.advance(seconds: 1)
    #expect(try await cache.value(for: "a", maxAge: .zero) { _ in 2 } == 2)
    // A value with a TTL of zero must not be returned, but its version can be used to revalidate.
    #expect(try await cache.value(for: "a") { _ in 3 } == 3)
  }

  @Test func absentRemovesTheCachedValue() async throws {
    let cache = try cache()
    try await cache.set(1, for: "a")
    #expect(await cache.result(for: "a", strategy: .fetch) { _ in .absent }.kind == "absent")
    #expect(try await cache.entry(for: "a") == nil)
    #expect(cache.diskCount == 0)
  }

  // MARK: Failures

  @Test func staleValueReplacesAFailingOriginWithinTheLimit() async throws {
    let origin = TestOrigin()
    let cache = try cache { $0.staleIfError = .seconds(60) }
    origin.set { $0.maxAge = .seconds(10) }
    _ = await cache.result(for: "a", load: origin.answer)
    origin.set { $0.failure = OriginFailure() }
    #expect(
      await cache.result(for: "a", strategy: .fetch, load: origin.answer).kind
        == "hit memory stale")
    clock.advance(seconds: 70)
    let result = await cache.result(for: "a", load: origin.answer)
    #expect(result.kind == "hit disk stale")
    #expect(result.value == 0)
    clock.advance(seconds: 1)
    #expect(await cache.result(for: "a", load: origin.answer).kind == "failure OriginFailure")
    #expect(await cache.result(for: "b", load: origin.answer).kind == "failure OriginFailure")
    #expect(cache.readStatistics().loads.staleIfError == 2)
    #expect(cache.readStatistics().loads.failed == 4)
    // Several in one request count each.
    let keys = ["x", "y", "z"]
    for key in keys {
      try await cache.set(1, for: key, options: DiskStoreOptions(timeToLive: .seconds(1)))
    }
    clock.advance(seconds: 2)
    let results = await cache.results(for: keys) { _ in throw OriginFailure() }
    #expect(results.count { $0.value.value == 1 } == 3)
    #expect(cache.readStatistics().loads.staleIfError == 5)
    // Not asked with the option off.
    let other = try ScratchFolder()
    let strict = try await HybridCache<String, Int>(
      path: other.path, configuration: HybridTestCaches.configuration(clock: clock))
    try await strict.set(1, for: "a")
    #expect(
      await strict.result(for: "a", strategy: .fetch, load: origin.answer).kind
        == "failure OriginFailure")
    #expect(try await strict.entry(for: "a")?.value == 1)
  }

  /// A task that a loader has started and that outlives it does not work for later fetches.
  @Test func aTaskThatOutlivesItsLoaderMayAskForItsKey() async throws {
    let (cache, gate) = (try cache(), Gate())
    let late = Locked<Task<Int, any Error>?>(nil)
    _ = try await cache.value(for: "a") { _ in
      let task = Task {
        await gate.pass()
        return try await cache.value(for: "a") { _ in 2 }
      }
      late.withLock { $0 = task }
      return 1
    }
    try await cache.remove("a")
    gate.open()
    #expect(try await late.withLock { $0 }?.value == 2)
  }

  @Test func loaderReceivesVersionsAndMayConfirm() async throws {
    let cache = try cache()
    try await cache.set(
      1, for: "a", options: DiskStoreOptions(timeToLive: .seconds(5), version: "v1"))
    clock.advance(seconds: 6)
    let results = await cache.results(for: ["a", "b", "c"]) { requests in
      #expect(requests.map(\.version).compactMap { $0 } == ["v1"])
      return ["a": .notModified(maxAge: .seconds(5)), "b": .unstored(2), "c": .absent]
    }
    #expect(results["a"]?.kind.hasSuffix("revalidated") ?? false)
    #expect(results["b"]?.value == 2 && results["c"]?.kind == "absent")
    #expect(try await cache.value(for: "a") == 1)
    #expect(try await !cache.contains("b"))
  }

  @Test func slowLoadIsReplacedByAStaleValue() async throws {
    let gate = Gate()
    let cache = try cache {
      $0.loadTimeout = .milliseconds(1)
      $0.staleIfError = .seconds(60)
    }
    try await cache.set(7, for: "a", options: DiskStoreOptions(timeToLive: .seconds(5)))
    clock.advance(seconds: 6)
    let result = await cache.result(for: "a") { _ in
      await gate.pass()
      return .value(8)
    }
    #expect(result.value == 7 && result.kind.hasSuffix("stale"))
    gate.open()
  }
}
