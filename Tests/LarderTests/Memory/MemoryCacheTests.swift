import LarderEngine
import Testing

@testable import Larder

/// Behaviour of each method.
@Suite struct MemoryCacheTests {
  let clock = ManualClock(seconds: 1_000_000)

  private func cache(
    _ limits: MemoryCacheLimits, policy: String = "lru", shards: Int = 1
  ) throws -> MemoryCache<String, Int> {
    try MemoryCache(
      MemoryCacheConfiguration(
        limits: limits, policy: CachePolicy(policy), shards: shards, clock: clock),
      weigh: { _ in 1 })
  }

  @Test func getSetRemove() throws {
    let cache = try cache(MemoryCacheLimits(count: 10))
    #expect(cache.value(for: "a") == nil)
    #expect(cache.set(1, for: "a"))
    #expect(cache.value(for: "a") == 1)
    cache["a"] = 2
    #expect(cache["a"] == 2)
    #expect(cache.count == 1)
    #expect(cache.contains("a"))
    #expect(cache.remove("a") == 2)
    #expect(cache.remove("a") == nil)
    #expect(!cache.contains("a"))
    cache["b"] = 3
    cache["b"] = nil
    #expect(cache.value(for: "b") == nil)
    #expect(cache.count == 0)
  }

  @Test func leastRecentlyUsedIsEvictedFirst() throws {
    let cache = try cache(MemoryCacheLimits(count: 3))
    for (value, key) in ["a", "b", "c"].enumerated() { cache.set(value, for: key) }
    _ = cache.value(for: "a")
    // `contains` is not an access.
    #expect(cache.contains("b"))
    cache.set(3, for: "d")
    #expect(!cache.contains("b"))
    #expect(["a", "c", "d"].allSatisfy(cache.contains))
  }

  @Test func costsAreLimited() throws {
    let cache = try cache(MemoryCacheLimits(weight: 100))
    cache.set(1, for: "a", weight: 40)
    cache.set(2, for: "b", weight: 60)
    #expect(cache.statistics.weight == 100)
    cache.set(3, for: "c", weight: 1)
    #expect(cache.value(for: "a") == nil)
    #expect(cache.statistics.weight == 61)
    // A value that is too large is rejected, and the previous one is gone.
    #expect(!cache.set(4, for: "b", weight: 101))
    #expect(!cache.contains("b"))
    #expect(!cache.set(5, for: "z", weight: .max))
    #expect(cache.set(6, for: "negative", weight: -5))
    #expect(cache.statistics.weight == 2)
    #expect(cache.statistics.rejections == 2)
  }

  @Test func countAndCostAreLimitedTogether() throws {
    let cache = try cache(MemoryCacheLimits(count: 3, weight: 100))
    for key in ["a", "b", "c", "d"] { cache.set(0, for: key, weight: 1) }
    #expect(cache.count == 3)
    #expect(!cache.contains("a"))
    cache.set(0, for: "e", weight: 99)
    #expect(cache.count == 2)
    #expect(cache.contains("d") && cache.contains("e"))
    #expect(cache.statistics.evictions == 3)
    // A replacement evicts nothing more.
    cache.set(1, for: "d", weight: 1)
    #expect(cache.count == 2)
  }

  @Test func ageLimitsEveryTTL() throws {
    let cache = try cache(MemoryCacheLimits(count: 10, age: .seconds(10)))
    cache.set(1, for: "plain")
    cache.set(2, for: "short", timeToLive: .seconds(5))
    cache.set(3, for: "long", timeToLive: .seconds(500))
    clock.advance(seconds: 5)
    #expect(cache.value(for: "short") == nil)
    #expect(cache.value(for: "plain") == 1)
    clock.advance(seconds: 4)
    #expect(cache.value(for: "plain") == 1)
    clock.advance(seconds: 1)
    #expect(!cache.contains("plain"))
    #expect(cache.value(for: "plain") == nil)
    #expect(cache.remove("long") == nil)
    #expect(cache.count == 0)
    #expect(cache.statistics.expirations == 2)
  }

  @Test func setRestartsTheTTL() throws {
    let cache = try cache(MemoryCacheLimits(count: 10))
    cache.set(1, for: "a", timeToLive: .seconds(5))
    clock.advance(seconds: 4)
    cache.set(2, for: "a", timeToLive: .seconds(5))
    clock.advance(seconds: 4)
    #expect(cache.value(for: "a") == 2)
    cache.set(3, for: "a")
    clock.advance(seconds: 400)
    #expect(cache.value(for: "a") == 3)
  }

  @Test func ttlBelowAMicrosecondIsOneMicrosecond() throws {
    let cache = try cache(MemoryCacheLimits(count: 10))
    cache.set(1, for: "a", timeToLive: .nanoseconds(3))
    #expect(cache.contains("a"))
    clock.advance(seconds: 1)
    #expect(!cache.contains("a"))
  }

  @Test(arguments: [1, 4])
  func sweepsRemoveExpiredEntries(shards: Int) throws {
    let cache = try cache(MemoryCacheLimits(count: 400), shards: shards)
    for number in 0..<50 {
      let life: Duration? = number % 2 == 0 ? .seconds(3) : nil
      cache.set(number, for: "\(number)", timeToLive: life)
    }
    #expect(cache.removeExpired() == 0)
    clock.advance(seconds: 3)
    #expect(cache.removeExpired() == 25)
    #expect(cache.count == 25)
    #expect(cache.statistics.expirations == 25)
    for number in 0..<50 {
      #expect(cache.value(for: "\(number)") == (number % 2 == 0 ? nil : number))
    }
  }

  @Test(arguments: [1, 4])
  func permanentEntriesSurviveCleaning(shards: Int) throws {
    let cache = try cache(MemoryCacheLimits(count: 400, age: .seconds(60)), shards: shards)
    for number in 0..<30 { cache.set(number, for: "\(number)", isPermanent: number < 5) }
    cache.set(99, for: "timed", timeToLive: .seconds(1), isPermanent: true)
    clock.advance(seconds: 100)
    #expect(cache.removeExpired() == 25)
    #expect(cache.trim(toAge: .seconds(1)) == 0)
    cache.set(1, for: "other")
    #expect(cache.removeAll() == 1)
    for number in 0..<5 { #expect(cache.value(for: "\(number)") == number) }
    #expect(cache.value(for: "timed") == 99)
    #expect(cache.remove("3") == 3)
    #expect(cache.count == 5)
    #expect(cache.removeAll(includingPermanent: true) == 5)
    #expect(cache.count == 0)
  }

  @Test func anOrdinarySetEndsPermanence() throws {
    let cache = try cache(MemoryCacheLimits(count: 4))
    cache.set(1, for: "a", isPermanent: true)
    cache.set(2, for: "a")
    #expect(cache.removeAll() == 1)
  }

  @Test(arguments: Policies.executable)
  func trims(policy: String) throws {
    for shards in [1, 4] {
      let cache = try cache(
        MemoryCacheLimits(count: 400, weight: 4_000), policy: policy, shards: shards)
      for number in 0..<100 { cache.set(number, for: "\(number)", weight: 10) }
      let held = cache.count
      #expect(cache.trim(weight: 4_000) == 0)
      #expect(cache.trim(toCount: held) == 0)
      let went = cache.trim(weight: held * 5)
      #expect(cache.statistics.weight <= UInt64(held * 5))
      #expect(cache.statistics.weight > UInt64(held * 5 - 10 * shards - 1))
      #expect(cache.count == held - went)
      cache.trim(toCount: 20)
      #expect((17...20).contains(cache.count))
      cache.trim(toCount: 19, weight: 100)
      #expect((7...10).contains(cache.count))
      #expect(cache.statistics.trims == UInt64(held - cache.count))
      #expect(cache.trim(toCount: -1) > 0)
      #expect(cache.count == 0)
      #expect(cache.statistics.evictions == 0)
      cache.set(7, for: "again", weight: 10)
      #expect(cache.value(for: "again") == 7)
    }
  }

  @Test func trimsByAge() throws {
    let cache = try cache(MemoryCacheLimits(count: 400))
    for number in 0..<10 {
      cache.set(number, for: "\(number)")
      clock.advance(seconds: 10)
    }
    #expect(cache.trim(toAge: .seconds(1_000)) == 0)
    // Stored 100, 90, ... 10 seconds ago.
    #expect(cache.trim(toAge: .seconds(45)) == 6)
    #expect(cache.count == 4)
    #expect(cache.value(for: "6") == 6)
    #expect(cache.trim(toAge: .seconds(2_000_000)) == 0)
  }

  @Test func statisticsCanBeReset() throws {
    let cache = try cache(MemoryCacheLimits(count: 2))
    for key in ["a", "b", "c"] { cache.set(1, for: key) }
    _ = (cache.value(for: "a"), cache.value(for: "c"))
    cache.remove("c")
    var expected = TierStatistics()
    (expected.hits, expected.misses, expected.sets) = (1, 1, 3)
    (expected.admissions, expected.evictions, expected.removals) = (3, 1, 1)
    (expected.count, expected.weight) = (1, 1)
    #expect(cache.statistics == expected)
    #expect(cache.statistics.hitRatio == 0.5)
    cache.resetStatistics()
    expected = TierStatistics()
    (expected.count, expected.weight) = (1, 1)
    #expect(cache.statistics == expected)
    #expect(cache.statistics.hitRatio == nil)
  }
}
