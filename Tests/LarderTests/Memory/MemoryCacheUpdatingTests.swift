import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Atomic updates, operations on several keys, and the list of keys.
@Suite(.endsInTime) struct MemoryCacheUpdatingTests {
  private struct Failure: Error {}

  private let clock = ManualClock(seconds: 100)

  private func cache(_ count: Int = 100) throws -> MemoryCache<String, Int> {
    try MemoryCache(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: count), shards: 1, clock: clock))
  }

  @Test func updateSeesThePreviousValue() throws {
    let cache = try cache()
    for expected in 1...3 {
      let after = cache.update("visits") { count in
        count = (count ?? 0) + 1
        return count
      }
      #expect(after == expected)
    }
    #expect(cache.value(for: "visits") == 3)
    #expect(cache.statistics.sets == 3)
    #expect(cache.statistics.misses == 0)
  }

  @Test func nilRemoves() throws {
    let cache = try cache()
    cache.set(1, for: "a")
    cache.update("a") { $0 = nil }
    #expect(!cache.contains("a"))
    cache.update("never") { $0 = nil }
    #expect(cache.count == 0)
  }

  @Test func anErrorChangesNothing() throws {
    let cache = try cache()
    cache.set(1, for: "a")
    #expect(throws: Failure.self) {
      try cache.update("a") { value throws in
        value = 2
        throw Failure()
      }
    }
    #expect(cache.value(for: "a") == 1)
  }

  @Test func updateDoesNotSeeExpiredValues() throws {
    let cache = try cache()
    cache.set(1, for: "a", timeToLive: .seconds(5))
    clock.advance(seconds: 6)
    cache.update("a", timeToLive: .seconds(5)) { value in
      #expect(value == nil)
      value = 7
    }
    #expect(cache.value(for: "a") == 7)
    clock.advance(seconds: 6)
    #expect(cache.value(for: "a") == nil)
    cache.update("b", timeToLive: .zero) { $0 = 1 }
    #expect(cache.value(for: "b") == nil)
  }

  private func weighed(
    age: Duration? = nil, weigh: @escaping @Sendable (Int) -> Int
  ) throws -> MemoryCache<String, Int> {
    try MemoryCache(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(weight: 1_000, age: age), shards: 1, clock: clock),
      weigh: weigh)
  }

  private func entry(
    _ key: String, _ cache: MemoryCache<String, Int>
  ) throws -> MemoryCacheEntry<String, Int> {
    try #require(cache.entries.first { $0.key == key })
  }

  @Test func updateWeighsAnewOrAsTold() throws {
    let cache = try weighed { $0 }
    cache.set(10, for: "a")
    cache.update("a") { $0 = 70 }
    #expect(try entry("a", cache).weight == 70)
    cache.update("a", weight: 5) { $0 = 80 }
    #expect(try entry("a", cache).weight == 5)
    cache.update("new") { $0 = 30 }
    #expect(try entry("new", cache).weight == 30)
  }

  /// The cache of a hybrid or an experiment, which has no weigher.
  @Test func updateKeepsTheWeightOfACacheWithoutWeigher() throws {
    let cache = try MemoryCache<String, Int>(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(weight: 1_000), shards: 1),
      onEviction: nil)
    cache.set(10, for: "a", weight: 70)
    cache.update("a") { $0 = 20 }
    #expect(try entry("a", cache).weight == 70)
  }

  @Test func updateKeepsPermanence() throws {
    let cache = try cache()
    cache.set(1, for: "a", isPermanent: true)
    cache.update("a") { $0 = 2 }
    cache.update("a", timeToLive: .zero) { $0 = 3 }
    #expect(try entry("a", cache).isPermanent)
    #expect(cache.removeAll() == 0 && cache.value(for: "a") == 3)
  }

  @Test func updateKeepsALifetimeOfItsOwn() throws {
    for cache in [try cache(), try weighed(age: .seconds(60)) { _ in 1 }] {
      cache.set(1, for: "a", timeToLive: .seconds(10))
      clock.advance(seconds: 4)
      cache.update("a") { $0 = 2 }
      let left = try #require(cache.expiry(of: "a")).lifeLeft(at: cache.clock.time)
      #expect(left == 6_000_000)
      cache.update("a", timeToLive: .seconds(30)) { $0 = 3 }
      #expect(cache.expiry(of: "a")?.lifeLeft(at: cache.clock.time) == 30_000_000)
    }
  }

  /// The limit on age is one of the value's age, which is new.
  @Test(arguments: [0.0, 0.5]) func updateRestartsTheLimitOnAge(jitter: Double) throws {
    let cache = try MemoryCache<String, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 10, age: .seconds(60), ageJitter: jitter), shards: 1,
        clock: clock))
    cache.set(1, for: "a")
    let life = try #require(cache.expiry(of: "a")).lifeLeft(at: cache.clock.time)
    clock.advance(seconds: 20)
    cache.update("a") { $0 = 2 }
    #expect(cache.expiry(of: "a")?.lifeLeft(at: cache.clock.time) == life)
  }

  @Test func noUpdateIsLost() async throws {
    let cache = try MemoryCache<Int, Int>(count: 64, policy: "sieve")
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for step in 0..<5_000 { cache.update(step % 8) { $0 = ($0 ?? 0) + 1 } }
        }
      }
    }
    #expect((0..<8).compactMap { cache.value(for: $0) } == Array(repeating: 5_000, count: 8))
  }

  @Test func severalKeys() throws {
    let cache = try cache()
    for (key, value) in [("a", 1), ("b", 2), ("c", 3)] { cache.set(value, for: key) }
    #expect(cache.values(for: ["a", "c", "x"]) == ["a": 1, "c": 3])
    #expect(cache.statistics.hits == 2)
    #expect(cache.statistics.misses == 1)
  }

  @Test func keysAreThoseOfValidEntries() throws {
    let cache = try cache(3)
    for number in 0..<5 { cache.set(number, for: "\(number)") }
    #expect(Set(cache.keys) == ["2", "3", "4"])
    cache.set(9, for: "short", timeToLive: .seconds(1))
    clock.advance(seconds: 2)
    #expect(Set(cache.keys) == ["3", "4"])
    #expect(cache.statistics.hits == 0)
  }
}
