import Foundation
import Testing

@testable import Larder

/// Limits on the use of expired values.
@Suite struct HybridStaleLimitTests {
  let folder: ScratchFolder
  let clock = ManualClock(seconds: 1000)
  init() throws { folder = try ScratchFolder() }

  private func cache(
    _ change: (inout HybridCacheConfiguration) -> Void
  ) throws -> HybridCache<String, Int> {
    var configuration = HybridTestCaches.configuration(clock: clock)
    change(&configuration)
    return try HybridCache(path: folder.path, configuration: configuration)
  }

  @Test(.timeLimit(.minutes(30))) func staleWhileRevalidateEnds() async throws {
    let cache = try cache {
      $0.strategy = .cacheThenFetch
      $0.staleWhileRevalidate = .seconds(5)
    }
    try await cache.set(7, for: "a", options: DiskStoreOptions(timeToLive: .seconds(10)))
    clock.advance(seconds: 15)
    #expect(try await cache.entry(for: "a") == nil)
    let stale = await cache.result(for: "a") { _ in throw OriginFailure() }
    #expect(stale.kind == "hit disk stale")
    #expect(cache.readStatistics().loads.staleWhileRevalidate == 1)
    while cache.readStatistics().loads.failedRefreshes == 0 { await Task.yield() }
    clock.advance(seconds: 1)
    #expect(await cache.result(for: "a") { _ in .value(8) }.value == 8)
    let never = HybridCacheConfiguration(memory: nil, staleWhileRevalidate: .zero)
    #expect(never.grace.others == 0)
  }

  @Test func versionsAreKeptForRevalidateWithin() throws {
    let cache = try cache { $0.revalidateWithin = .seconds(100) }
    try cache.set(7, for: "a", options: DiskStoreOptions(timeToLive: .seconds(10), version: "v"))
    clock.advance(seconds: 110)
    try cache.removeExpired()
    #expect(cache.diskCount == 1)
    #expect(cache.memoryCount == 1)
    clock.advance(seconds: 1)
    let freed = try cache.removeExpired()
    #expect(freed.count == 1)
    #expect(freed.memoryCount == 1)
  }

  @Test func negativeDurationsAreRejected() throws {
    let error = #expect(throws: HybridCacheError.self) {
      try cache { $0.staleWhileRevalidate = .seconds(-1) }
    }
    #expect("\(try #require(error))".contains("staleWhileRevalidate"))
  }

  @Test(arguments: [false, true], [0, 1 << 20])
  func versionsAreFoundInEveryKindOfRow(isEncrypted: Bool, inlineBytesMax: Int) throws {
    let cache = try cache {
      $0.memory = nil
      $0.disk?.inlineBytesMax = inlineBytesMax
      if isEncrypted {
        $0.disk?.encryption = try? DiskEncryption(key: Data(repeating: 3, count: 32))
      }
    }
    try cache.set(1, for: "a", options: DiskStoreOptions(timeToLive: .seconds(10), version: "v"))
    try cache.set(2, for: "b", options: DiskStoreOptions(timeToLive: .seconds(10)))
    try cache.set(
      3, for: "c", options: DiskStoreOptions(timeToLive: .seconds(10), contentType: "t"))
    clock.advance(seconds: 10)
    #expect(try cache.removeExpired().count == 2)
    #expect(cache.diskCount == 1)
  }
}
