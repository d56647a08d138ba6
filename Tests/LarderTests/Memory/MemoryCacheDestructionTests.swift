import Synchronization
import TestSupport
import Testing

@testable import Larder

/// A value that uses the cache when it is destroyed, and a count of live instances.
private final class Caller: Sendable {
  static let living = Atomic<Int>(0)
  let cache: MemoryCache<Int, Caller>

  init(_ cache: MemoryCache<Int, Caller>) {
    self.cache = cache
    Caller.living.wrappingAdd(1, ordering: .relaxed)
  }

  deinit {
    // With the shard's lock held this would wait forever.
    _ = cache.contains(1)
    _ = cache.value(for: 2)
    Caller.living.wrappingSubtract(1, ordering: .relaxed)
  }
}

@Suite(.endsInTime, .serialized) struct MemoryCacheDestructionTests {
  @Test(arguments: ["lru", "s3-fifo", "ttl"])
  func valuesAreDestroyedOutsideTheLock(policy: String) throws {
    let clock = ManualClock()
    let cache = try MemoryCache<Int, Caller>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 8, weight: 100), policy: CachePolicy(policy), shards: 1,
        clock: clock),
      weigh: { _ in 1 })
    for key in 0..<50 { cache.set(Caller(cache), for: key, weight: 1) }
    cache.set(Caller(cache), for: 49, weight: 1)
    cache.set(Caller(cache), for: 50, weight: 90)
    cache.set(Caller(cache), for: 51, weight: 1_000)
    cache.set(Caller(cache), for: 52, timeToLive: .seconds(1))
    clock.advance(seconds: 2)
    _ = cache.value(for: 52)
    cache.set(Caller(cache), for: 53, timeToLive: .seconds(1))
    clock.advance(seconds: 2)
    cache.removeExpired()
    cache.remove(50)
    for key in 0..<8 { cache.set(Caller(cache), for: key, weight: 1) }
    cache.trim(toCount: 4)
    cache.handle(.warning)
    #expect(cache.count == 2)
    cache.removeAll()
    #expect(Caller.living.load(ordering: .relaxed) == 0)
  }

  @Test(arguments: ["lru", "s3-fifo", "s3-fifo:ghost=0.05", "s3-fifo:ghost=3"])
  func everyValueIsDestroyedOnce(policy: String) throws {
    final class Counted: Sendable, Hashable {
      let number: Int
      let living: Living

      init(_ number: Int, _ living: Living) {
        self.number = number
        self.living = living
        living.count.wrappingAdd(1, ordering: .relaxed)
      }

      deinit { living.count.wrappingSubtract(1, ordering: .relaxed) }

      static func == (one: Counted, other: Counted) -> Bool { one.number == other.number }

      func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }
    final class Living: Sendable {
      let count = Atomic<Int>(0)
    }
    let living = Living()
    var cache: MemoryCache? = try MemoryCache<Counted, Counted>(
      count: 100, policy: CachePolicy(policy))
    var random = TestRandom(seed: 1)
    for number in 0..<20_000 {
      let key = Counted(random.below(500), living)
      if cache?.value(for: key) == nil { cache?.set(Counted(number, living), for: key) }
      if number % 7 == 0 { cache?.remove(Counted(random.below(500), living)) }
    }
    #expect(cache?.count == 100 || cache?.count == 99)
    // Keys and values of residents, and keys of ghosts, at most one per id.
    let held = living.count.load(ordering: .relaxed)
    #expect(held >= 198 && held <= 900)
    cache = nil
    #expect(living.count.load(ordering: .relaxed) == 0)
  }
}
