import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Lifetimes in a hybrid cache: no tier exceeds the lifetime that disk gives a value, and a closed
/// cache returns nothing.
@Suite(.endsInTime) struct HybridLifeTests {
  private let folder: ScratchFolder
  private let clock = ManualClock(seconds: 1_700_000_000)
  init() throws { folder = try ScratchFolder() }

  private func cache(
    age: Int? = 60, _ change: (inout HybridCacheConfiguration) -> Void = { _ in }
  ) throws -> HybridCache<String, Int> {
    var configuration = HybridTestCaches.configuration(clock: clock)
    configuration.disk?.limits.age = age.map { .seconds($0) }
    change(&configuration)
    return try HybridCache(path: folder.path, configuration: configuration)
  }

  // MARK: Limits on age

  @Test(arguments: [HybridRules.Inclusion.inclusive, .exclusive], ["lru", "sieve"])
  func valueOlderThanTheDiskLimitIsMissing(
    inclusion: HybridRules.Inclusion, policy: String
  ) async throws {
    let cache = try cache {
      $0.rules.inclusion = inclusion
      $0.memory?.policy = CachePolicy(policy)
    }
    try await cache.set(1, for: "set")
    _ = await cache.result(for: "fetched") { _ in .value(2, version: "1", maxAge: .seconds(3_600)) }
    try await cache.set(3, for: "short", options: DiskStoreOptions(timeToLive: .seconds(10)))
    clock.advance(seconds: 59)
    #expect(try await cache.entry(for: "set")?.value == 1)
    #expect(try await cache.entry(for: "fetched")?.value == 2)
    #expect(try await cache.entry(for: "short") == nil)
    clock.advance(seconds: 1)
    #expect(try await cache.entry(for: "set") == nil)
    #expect(try await !cache.contains("set"))
    #expect(try await cache.entry(for: "fetched") == nil)
    let loads = Locked(0)
    let value = try await cache.value(for: "set") { _ in
      loads.withLock { $0 += 1 }
      return 7
    }
    #expect(value == 7 && loads.withLock { $0 } == 1)
  }

  @Test func lifetimesOfPromotedAndConfirmedValuesAreThoseOfDisk() async throws {
    let cache = try cache()
    _ = await cache.result(for: "a") { _ in .value(1, version: "1") }
    cache.trimMemory(toCount: 0)
    clock.advance(seconds: 30)
    #expect(try await cache.entry(for: "a")?.tier == .disk)
    #expect(try await cache.entry(for: "a")?.tier == .memory)
    clock.advance(seconds: 30)
    #expect(try await cache.entry(for: "a") == nil)
    _ = await cache.result(for: "a") { _ in .notModified(maxAge: .seconds(86_400)) }
    #expect(try await cache.entry(for: "a")?.tier == .memory)
    clock.advance(seconds: 60)
    #expect(try await cache.entry(for: "a") == nil)
  }

  @Test func lowerDiskAgeHoldsForMemory() throws {
    let cache = try cache(age: nil)
    try cache.set(1, for: "a")
    try cache.set(2, for: "b", options: DiskStoreOptions(isPermanent: true))
    clock.advance(seconds: 50)
    try cache.setDiskLimits(DiskLimits(bytes: nil, count: 40, age: .seconds(60), freeBytes: 0))
    #expect(try cache.entry(for: "a")?.tier == .memory)
    clock.advance(seconds: 10)
    #expect(try cache.entry(for: "a")?.tier != .memory)
    #expect(try cache.entry(for: "b")?.value == 2)
  }

  // MARK: must-revalidate

  @Test(arguments: ["no-cache", "max-age=1, must-revalidate", "Must-Revalidate, max-age=\"1\""])
  func mustRevalidateValueIsNotReturnedStale(header: String) async throws {
    for isMemoryEmptied in [false, true] {
      let cache = try cache(age: 86_400) {
        $0.staleIfError = .seconds(3_600)
        $0.suite = "\(isMemoryEmptied)"
      }
      _ = await cache.result(for: "a") { _ in .value(1, cacheControl: header, version: "v") }
      clock.advance(seconds: 60)
      if isMemoryEmptied { cache.trimMemory(toCount: 0) }
      for strategy in [CacheStrategy.cacheElseFetch, .cacheThenFetch, .fetch] {
        let result = await cache.result(for: "a", strategy: strategy) { _ in throw OriginFailure() }
        #expect(result.kind == "failure OriginFailure", "\(strategy)")
      }
      // A confirmation does not change the need to revalidate.
      let confirmed = await cache.result(for: "a") { _ in .notModified(maxAge: .seconds(5)) }
      #expect(confirmed.kind.hasSuffix("revalidated"))
      let fresh = await cache.result(for: "a", strategy: .fetch) { _ in throw OriginFailure() }
      #expect(fresh.value == 1)
      clock.advance(seconds: 6)
      let result = await cache.result(for: "a") { _ in throw OriginFailure() }
      #expect(result.kind == "failure OriginFailure")
      try await cache.close()
    }
  }

  @Test func mustRevalidateSurvivesARestart() async throws {
    for isEncrypted in [false, true] {
      let folder = try ScratchFolder()
      func open() throws -> HybridCache<String, Int> {
        var configuration = HybridTestCaches.configuration(clock: clock)
        configuration.staleIfError = .seconds(3_600)
        if isEncrypted {
          configuration.disk?.encryption = try DiskEncryption(key: Data(repeating: 3, count: 32))
        }
        return try HybridCache(path: folder.path, configuration: configuration)
      }
      let first = try open()
      for (key, header) in [("strict", "max-age=1, must-revalidate"), ("lax", "max-age=1")] {
        _ = await first.result(for: key) { _ in .value(1, cacheControl: header, version: "v") }
      }
      try await first.close()
      clock.advance(seconds: 60)
      let second = try open()
      let strict = await second.result(for: "strict") { _ in throw OriginFailure() }
      #expect(strict.kind == "failure OriginFailure")
      let lax = await second.result(for: "lax") { _ in throw OriginFailure() }
      #expect(lax.value == 1)
      #expect(try await second.entry(for: "lax")?.isPermanent != true)
    }
  }

  // MARK: Lifetimes of the origin

  /// A lifetime that reaches the cache's limit is still the origin's.
  @Test(arguments: [60, 3_600, 59])
  func cacheThenFetchDoesNotAskWhileTheOriginsLifetimeLasts(maxAge: Int) async throws {
    let cache = try cache { $0.strategy = .cacheThenFetch }
    let loads = Locked(0)
    func request() async -> CacheResult<Int> {
      await cache.result(for: "a") { _ in
        loads.withLock { $0 += 1 }
        return .value(1, maxAge: .seconds(maxAge))
      }
    }
    for _ in 0..<4 { #expect(await request().value == 1) }
    cache.trimMemory(toCount: 0)
    #expect(await request().value == 1)
    #expect(loads.withLock { $0 } == 1 && cache.readStatistics().loads.started == 1)
    // A lifetime by the cache's limit, not the origin's, is refreshed.
    try await cache.set(5, for: "b")
    #expect(await cache.result(for: "b") { _ in .value(6) }.value == 5)
    #expect(cache.readStatistics().loads.started == 2)
  }

  @Test func nilStaleWhileRevalidateIsNever() async throws {
    let cache = try cache {
      $0.strategy = .cacheThenFetch
      $0.staleWhileRevalidate = nil
    }
    try await cache.set(
      1, for: "a", options: DiskStoreOptions(timeToLive: .seconds(10), version: "v"))
    clock.advance(seconds: 15)
    #expect(await cache.result(for: "a") { _ in .value(2) }.kind == "miss")
    #expect(cache.readStatistics().loads.staleWhileRevalidate == 0)
    #expect(HybridCacheConfiguration().staleWhileRevalidate == HybridCacheConfiguration.whileKept)
    #expect(HybridCacheConfiguration().grace.others == 0)
  }

  // MARK: Refreshes

  @Test func unreadUpdatesDoNotLoad() async throws {
    let cache = try cache()
    let loads = Locked(0)
    let load: HybridCache<String, Int>.Loader = { _ in
      loads.withLock { $0 += 1 }
      return .value(2)
    }
    let unread = cache.updates(for: "a", load: load)
    // Two round trips through the threads that a request would use.
    _ = await cache.result(for: "b", strategy: .cacheOnly, load: load)
    _ = await cache.result(for: "a", strategy: .cacheOnly, load: load)
    #expect(loads.withLock { $0 } == 0 && cache.readStatistics().loads.started == 0)
    var values: [Int?] = []
    for await result in unread { values.append(result.value) }
    #expect(values == [2] && loads.withLock { $0 } == 1)
    values = []
    for await result in cache.updates(for: "a", load: load) { values.append(result.value) }
    #expect(values == [2, 2] && loads.withLock { $0 } == 2)
  }

  // MARK: Closing

  @Test(arguments: [true, false])
  func closedCacheReturnsNothing(hasDisk: Bool) async throws {
    let cache = try cache { if !hasDisk { $0.disk = nil } }
    try await cache.set(1, for: "a")
    try await cache.set(2, for: "b", options: DiskStoreOptions(isPermanent: true))
    try await cache.close()
    #expect(cache.memoryCount == 0)
    for key in ["a", "b"] {
      #expect(throws: HybridCacheError.self) { try cache.entry(for: key) }
      #expect(throws: HybridCacheError.self) { try cache.contains(key) }
      let cached = await cache.result(for: key, strategy: .cacheOnly) { _ in .absent }
      #expect(cached.value == nil)
    }
    #expect(throws: HybridCacheError.self) { try cache.set(3, for: "c") }
    for call in [
      { try $0.removeAll() }, { try $0.removeExpired() }, { try $0.trim(toAge: .zero) },
      { try $0.trimDisk() }, { try $0.setDiskLimits(DiskLimits()) }, { try $0.flush() },
      { try $0.suspend() }, { try $0.resume() },
    ] as [(HybridCache<String, Int>) throws -> Void] {
      #expect(throws: HybridCacheError.self) { try call(cache) }
    }
    #expect(await cache.result(for: "a") { _ in .value(4) }.kind == "miss")
    #expect(cache.memoryCount == 0)
    try await cache.close()
  }

  @Test func closedCacheLeavesASharedDiskAlone() async throws {
    let disk = try await DiskCache(path: folder.path)
    let cache = try await HybridCache<String, Int>(disk: disk)
    try await cache.close()
    await #expect(throws: HybridCacheError.self) { try await cache.suspend() }
    try await disk.set(Data(), for: "a")
  }

  @Test func suspendedCacheIsSuspendedAgainAndClosed() async throws {
    let disk = try await DiskCache(path: folder.path + "/shared")
    for cache in [try await HybridCache<String, Int>(disk: disk), try cache()] {
      try await cache.set(1, for: "a")
      try await cache.suspend()
      try await cache.suspend()
      try await cache.close()
    }
  }

  @Test(arguments: [false, true])
  func fetchThatLandsAfterTheEndIsNotStored(isDestroyed: Bool) async throws {
    let cache = try cache()
    let gate = Gate()
    async let result = cache.result(for: "a") { _ in
      await gate.pass()
      return .value(1)
    }
    await gate.hasArrivals(1)
    if isDestroyed { try await cache.destroy() } else { try await cache.close() }
    gate.open()
    #expect(await result.value == 1)
    #expect(cache.memoryCount == 0)
    #expect(FileManager.default.fileExists(atPath: folder.path + "/index.sqlite") != isDestroyed)
  }
}
