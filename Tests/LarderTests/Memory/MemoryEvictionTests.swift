import LarderEngine
import Testing

@testable import Larder

/// Evictions reported by a cache in front of another, and entries with a given expiry.
@Suite struct MemoryEvictionTests {
  private final class Log: Sendable {
    let evictions = Locked<[MemoryEviction<String, Int>]>([])
    var all: [MemoryEviction<String, Int>] { evictions.withLock { $0 } }
    var keys: [String] { all.map(\.key) }
  }

  private let log = Log()
  private let clock = ManualClock(seconds: 100)

  private func cache(
    _ limits: MemoryCacheLimits, policy: String = "lru"
  ) throws -> MemoryCache<String, Int> {
    try MemoryCache(
      MemoryCacheConfiguration(limits: limits, policy: CachePolicy(policy), shards: 1, clock: clock)
    ) { [log] eviction in log.evictions.withLock { $0.append(eviction) } }
  }

  @Test func evictionsOfASetAreReportedInOrder() throws {
    let cache = try cache(MemoryCacheLimits(weight: 10))
    cache.set(1, for: "a", weight: 4, timeToLive: .seconds(5))
    cache.set(2, for: "b", weight: 3, timeToLive: .seconds(5), isPermanent: true)
    cache.set(3, for: "c", weight: 3)
    #expect(log.all.isEmpty)
    #expect(cache.set(4, for: "d", weight: 9, expiry: .never) == .stored)
    #expect(log.keys == ["a", "b", "c"])
    #expect(log.all.map(\.value) == [1, 2, 3])
    #expect(log.all.map(\.cost) == [4, 3, 3])
    #expect(log.all.map(\.expiry.microseconds) == [105_000_000, .max, .max])
    #expect(log.all.map(\.isPermanent) == [false, true, false])
  }

  @Test func trimsRemovalsAndExpiriesAreNotReported() throws {
    let cache = try cache(MemoryCacheLimits(count: 3))
    for (value, key) in ["a", "b", "c"].enumerated() { cache.set(value, for: key) }
    cache.set(9, for: "a")
    cache.trim(toCount: 2)
    cache.remove("a")
    cache.handle(.critical)
    cache.set(1, for: "short", timeToLive: .seconds(1))
    clock.advance(seconds: 2)
    #expect(cache.value(for: "short") == nil)
    #expect(cache.set(1, for: "large", weight: 5, expiry: .never) == .stored)
    cache.removeAll()
    #expect(log.all.isEmpty)
  }

  @Test func oversizedValueIsRejectedAndNotReported() throws {
    let cache = try cache(MemoryCacheLimits(weight: 10))
    cache.set(1, for: "a", weight: 1)
    #expect(cache.set(2, for: "a", weight: 11, expiry: .never) == .rejected)
    #expect(!cache.contains("a"))
    #expect(log.all.isEmpty)
  }

  /// GDSF may evict the very entry whose value has just grown: its new value is reported.
  @Test func entryEvictedByItsOwnSetIsReportedWithTheNewValue() throws {
    let cache = try cache(MemoryCacheLimits(weight: 10), policy: "gdsf")
    cache.set(1, for: "small", weight: 1)
    for _ in 0..<20 { _ = cache.value(for: "small") }
    cache.set(2, for: "grows", weight: 1)
    #expect(cache.set(3, for: "grows", weight: 10, expiry: .never) == .evicted)
    #expect(log.keys == ["grows"])
    #expect(log.all.map(\.value) == [3])
    #expect(log.all.map(\.cost) == [10])
    #expect(cache.value(for: "small") == 1)
  }

  @Test func theReceiverMayUseTheCache() throws {
    final class Holder: Sendable {
      let cache = Locked<MemoryCache<String, Int>?>(nil)
    }
    let holder = Holder()
    let cache = try MemoryCache<String, Int>(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 1), shards: 1)
    ) { [log] eviction in
      log.evictions.withLock { $0.append(eviction) }
      #expect(holder.cache.withLock { $0 }?.contains(eviction.key) == false)
    }
    holder.cache.withLock { $0 = cache }
    cache.set(1, for: "a")
    cache.set(2, for: "b")
    #expect(log.keys == ["a"])
    holder.cache.withLock { $0 = nil }
  }

  @Test func givenExpiryIsKeptUnlessTheAgeLimitIsEarlier() throws {
    let cache = try cache(MemoryCacheLimits(count: 10, age: .seconds(60)))
    #expect(cache.expiry(of: "a") == nil)
    cache.set(1, for: "a", expiry: Expiry(130_000_000))
    cache.set(1, for: "b", expiry: Expiry(190_000_000))
    cache.set(1, for: "c", expiry: .never)
    cache.set(1, for: "d", expiry: Expiry(130_000_000), isPermanent: true)
    #expect(cache.expiry(of: "a") == Expiry(130_000_000))
    #expect(cache.expiry(of: "b") == Expiry(160_000_000))
    #expect(cache.expiry(of: "c") == Expiry(160_000_000))
    #expect(cache.expiry(of: "d") == .never)
    clock.advance(seconds: 30)
    #expect(cache.expiry(of: "a") == nil)
    #expect(cache.value(for: "a") == nil)
    #expect(cache.value(for: "b") == 1)
    let unlimited = try self.cache(MemoryCacheLimits(count: 10))
    unlimited.set(1, for: "a")
    #expect(unlimited.expiry(of: "a") == .never)
  }
}
