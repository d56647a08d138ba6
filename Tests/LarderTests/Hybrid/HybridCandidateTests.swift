import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// The version with which the origin is asked after a request found a value in memory and had to
/// wait for the lock: the present one, not the one found before.
@Suite(.endsInTime) struct HybridCandidateTests {
  private let clock = HeldClock()

  private func cache() throws -> HybridCache<Int, Int> {
    var configuration = HybridTestCaches.configuration(disk: nil, clock: clock)
    configuration.staleWhileRevalidate = .seconds(100)
    return try HybridCache(configuration: configuration)
  }

  /// Another key whose requests run on the same thread of the cache, under another lock.
  private func other(_ key: Int, _ cache: HybridCache<Int, Int>) -> Int {
    let number = cache.stripes.number(key)
    return (1...).first { other in
      let candidate = cache.stripes.number(other)
      return candidate != number && cache.lanes.index(candidate) == cache.lanes.index(number)
    } ?? 0
  }

  /// The version with which the origin is asked if `change` runs between a request's lookup of key
  /// 0 in memory and its lock.
  private func versionAsked(
    _ cache: HybridCache<Int, Int>, _ change: (HybridCache<Int, Int>) throws -> Void
  ) async throws -> String? {
    let asked = Locked<String?>("none")
    let gate = Gate()
    let blocker = other(0, cache)
    // Memory reads the clock first, with the lock of its only shard, and then the operation, under
    // the lock of its stripe alone.
    await clock.hold(read: 2) {
      Task { await cache.result(for: blocker, strategy: .cacheOnly) { _ in .absent } }
    }
    let looks = cache.memory?.statistics.requests ?? 0
    let request = Task {
      await cache.result(for: 0, strategy: .cacheThenFetch) { request in
        asked.withLock { $0 = request.version }
        await gate.pass()
        return .absent
      }
    }
    while cache.memory?.statistics.requests == looks { await Task.yield() }
    try change(cache)
    clock.release()
    await gate.hasArrivals(1)
    gate.open()
    #expect(await request.value.value == 1)
    return asked.withLock { $0 }
  }

  @Test func removedValueIsNotRevalidated() async throws {
    let cache = try cache()
    try await cache.set(1, for: 0, options: DiskStoreOptions(version: "one"))
    #expect(try await versionAsked(cache) { try $0.remove(0) } == nil)
  }

  @Test func replacedValueIsNotRevalidated() async throws {
    let cache = try cache()
    try await cache.set(1, for: 0, options: DiskStoreOptions(version: "one"))
    let asked = try await versionAsked(cache) {
      try $0.set(2, for: 0, options: DiskStoreOptions(version: "two"))
    }
    #expect(asked == "two")
  }

  @Test func removedExpiredValueIsNotRevalidated() async throws {
    let cache = try cache()
    try await cache.set(
      1, for: 0, options: DiskStoreOptions(timeToLive: .seconds(10), version: "one"))
    clock.advance(seconds: 20)
    #expect(try await versionAsked(cache) { try $0.remove(0) } == nil)
  }

  @Test func residentValueIsRevalidated() async throws {
    let cache = try cache()
    try await cache.set(1, for: 0, options: DiskStoreOptions(version: "one"))
    #expect(try await versionAsked(cache) { _ in } == "one")
  }
}
