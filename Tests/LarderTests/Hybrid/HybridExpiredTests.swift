import Foundation
import LarderEngine
import Testing

@testable import Larder

/// Expired entries that are still useful are kept.
@Suite struct HybridExpiredTests {
  /// Tiers in which an entry may be.
  enum Arrangement: CaseIterable {
    case both, memory, disk, exclusive, placed

    func configuration(_ clock: ManualClock) -> HybridCacheConfiguration {
      switch self {
      case .both: HybridTestCaches.configuration(clock: clock)
      case .memory: HybridTestCaches.configuration(disk: nil, clock: clock)
      case .disk: HybridTestCaches.configuration(memory: nil, clock: clock)
      case .exclusive:
        HybridTestCaches.configuration(rules: HybridRules(inclusion: .exclusive), clock: clock)
      case .placed:
        HybridTestCaches.configuration(
          rules: HybridRules(placement: HybridRules.Placement()), clock: clock)
      }
    }
  }

  let folder: ScratchFolder
  let clock = ManualClock(seconds: 1000)
  init() throws { folder = try ScratchFolder() }

  private func cache(
    _ arrangement: Arrangement, _ change: (inout HybridCacheConfiguration) -> Void = { _ in }
  ) throws -> HybridCache<String, Int> {
    var configuration = arrangement.configuration(clock)
    change(&configuration)
    return try HybridCache(path: folder.path, configuration: configuration)
  }

  private func storeAndExpire(_ cache: HybridCache<String, Int>, version: String?) throws {
    try cache.set(
      7, for: "a", options: DiskStoreOptions(timeToLive: .seconds(10), version: version))
    clock.advance(seconds: 10)
  }

  /// Finds an entry expired in several ways, without using it.
  private func look(_ cache: HybridCache<String, Int>) async throws {
    #expect(try await cache.entry(for: "a") == nil)
    #expect(
      await cache.result(for: "a", strategy: .cacheOnly) { _ in .value(1) }.kind == "absent")
    try await cache.removeExpired()
    #expect(try await cache.entry(for: "a") == nil)
    #expect(try await !cache.contains("a"))
  }

  @Test(arguments: Arrangement.allCases)
  func expiredEntryIsRevalidated(arrangement: Arrangement) async throws {
    let cache = try cache(arrangement)
    try storeAndExpire(cache, version: "v7")
    try await look(cache)
    let asked = Locked<String?>(nil)
    let result = await cache.result(for: "a") { request in
      asked.withLock { $0 = request.version }
      return .notModified(maxAge: .seconds(20))
    }
    #expect(asked.withLock { $0 } == "v7")
    #expect(result.value == 7)
    clock.advance(seconds: 19)
    #expect(try await cache.entry(for: "a")?.value == 7)
    clock.advance(seconds: 1)
    #expect(try await cache.entry(for: "a") == nil)
  }

  @Test(arguments: Arrangement.allCases)
  func expiredValueReplacesAFailingOrigin(arrangement: Arrangement) async throws {
    let cache = try cache(arrangement) { $0.staleIfError = .seconds(60) }
    try storeAndExpire(cache, version: nil)
    try await look(cache)
    clock.advance(seconds: 60)
    let result = await cache.result(for: "a") { _ in throw OriginFailure() }
    #expect(result.value == 7)
    clock.advance(seconds: 1)
    #expect(try await cache.entry(for: "a") == nil)
    // Too old for any use, it is removed.
    #expect(cache.memoryCount == 0)
    #expect(cache.diskCount == 0)
  }

  @Test(arguments: Arrangement.allCases)
  func keptEntryIsRemovedByKeyAndRenewedWithItsCost(arrangement: Arrangement) async throws {
    let cache = try cache(arrangement) {
      $0.memory?.policy = "gdsf"
      $0.staleIfError = .seconds(60)
    }
    _ = await cache.result(for: "a") { _ in
      .value(7, version: "v", maxAge: .seconds(10), fetchCost: 50)
    }
    clock.advance(seconds: 11)
    _ = await cache.result(for: "a") { _ in .notModified(maxAge: .seconds(10)) }
    #expect(cache.memory?.fetchCost(of: "a") ?? 50 == 50)
    clock.advance(seconds: 11)
    #expect(try await cache.remove("a"))
    #expect(try await !cache.remove("a"))
  }

  @Test(arguments: Arrangement.allCases)
  func uselessExpiredEntryIsRemoved(arrangement: Arrangement) async throws {
    let cache = try cache(arrangement)
    try storeAndExpire(cache, version: nil)
    #expect(try await cache.entry(for: "a") == nil)
    #expect(cache.memoryCount == 0)
    #expect(cache.diskCount == 0)
    try storeAndExpire(cache, version: nil)
    try await cache.removeExpired()
    #expect(cache.memoryCount == 0)
    #expect(cache.diskCount == 0)
  }

  /// A miss and an expiration; the next stored value replaces it in both tiers.
  @Test(arguments: Arrangement.allCases)
  func fillReplacesAKeptEntry(arrangement: Arrangement) throws {
    let cache = try cache(arrangement)
    try storeAndExpire(cache, version: "v7")
    let count = cache.memoryCount + cache.diskCount
    #expect(try cache.entry(for: "a") == nil)
    #expect(cache.counts.memory.expirations + cache.counts.disk.expirations == count)
    #expect(cache.memoryCount + cache.diskCount == count)
    try cache.fill(8, for: "a")
    #expect(try cache.entry(for: "a")?.value == 8)
    cache.handle(.critical)
    if arrangement != .memory, arrangement != .exclusive {
      #expect(try cache.entry(for: "a")?.value == 8)
    } else {
      #expect(try cache.entry(for: "a") == nil)
    }
  }

  /// A value that only memory holds can be revalidated and returned when the origin fails.
  @Test(arguments: [Arrangement.memory, .exclusive, .placed])
  func memoryAloneRevalidates(arrangement: Arrangement) async throws {
    let (cache, origin) = (try cache(arrangement), TestOrigin())
    origin.set { $0.maxAge = .seconds(10) }
    #expect(await cache.result(for: "a", load: origin.answer).kind == "miss")
    clock.advance(seconds: 10)
    #expect(
      await cache.result(for: "a", load: origin.answer).kind == "hit memory revalidated")
    #expect(origin.state.withLock { $0.versions } == [nil, "v0"])
  }
}
