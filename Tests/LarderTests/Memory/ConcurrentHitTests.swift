import LarderEngine
import Synchronization
import TestSupport
import Testing

@testable import Larder

/// Lock-free hits concurrent with writes.
@Suite(.endsInTime, .serialized) struct ConcurrentHitTests {
  private static let policies = Policies.lockless

  private final class Tally: Sendable {
    let living = Atomic<Int>(0)
    let wrong = Atomic<Int>(0)
    let hits = Atomic<Int>(0)
    let misses = Atomic<Int>(0)
    let sets = Atomic<Int>(0)
  }

  /// A value that contains its key and a checksum until it is destroyed.
  private final class Watched: @unchecked Sendable {
    let tally: Tally
    private var key: Int
    private var check: Int

    init(_ key: Int, _ tally: Tally) {
      self.tally = tally
      self.key = key
      check = ~key
      tally.living.wrappingAdd(1, ordering: .relaxed)
    }

    func isOf(_ key: Int) -> Bool { self.key == key && check == ~key }

    deinit {
      key = -1
      tally.living.wrappingSubtract(1, ordering: .relaxed)
    }
  }

  @Test(arguments: policies, [1, 4])
  func readValueBelongsToItsKeyAndIsAlive(policy: String, shards: Int) async throws {
    let tally = Tally()
    var cache: MemoryCache? = try MemoryCache<Int, Watched>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 60), policy: CachePolicy(policy), shards: shards,
        hashing: .fast))
    for thread in 0..<4 {
      try #require(cache?.blocks.slots != nil, "thread \(thread)")
    }
    await withTaskGroup(of: Void.self) { [cache] group in
      for thread in 0..<4 {
        group.addTask {
          guard let cache else { return }
          var random = TestRandom(seed: UInt64(thread))
          for _ in 0..<4_000 {
            let key = min(random.below(150), random.below(150))
            if let value = cache.value(for: key) {
              tally.hits.wrappingAdd(1, ordering: .relaxed)
              if !value.isOf(key) { tally.wrong.wrappingAdd(1, ordering: .relaxed) }
              if random.below(20) == 0 { cache.remove(key) }
            } else {
              tally.misses.wrappingAdd(1, ordering: .relaxed)
              tally.sets.wrappingAdd(1, ordering: .relaxed)
              cache.set(Watched(key, tally), for: key)
            }
            if random.below(500) == 0 { cache.trim(toCount: 30) }
          }
        }
      }
    }
    #expect(tally.wrong.load(ordering: .relaxed) == 0)
    let statistics = try #require(cache?.statistics)
    #expect(statistics.hits == UInt64(tally.hits.load(ordering: .relaxed)))
    #expect(statistics.misses == UInt64(tally.misses.load(ordering: .relaxed)))
    #expect(statistics.sets == UInt64(tally.sets.load(ordering: .relaxed)))
    #expect(statistics.requests == 16_000)
    #expect(statistics.count <= 60)
    #expect(tally.living.load(ordering: .relaxed) == statistics.count)
    cache?.resetStatistics()
    #expect(cache?.statistics.requests == 0)
    cache = nil
    #expect(tally.living.load(ordering: .relaxed) == 0)
  }

  @Test func expiryAndListenersAreServedUnderTheLock() throws {
    let clock = ManualClock(seconds: 1)
    let cache = try MemoryCache<String, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 10), policy: "sieve", shards: 1, clock: clock))
    cache.set(1, for: "a", timeToLive: .seconds(5))
    #expect(cache.value(for: "a") == 1)
    clock.advance(seconds: 5)
    #expect(cache.value(for: "a") == nil)
    #expect(cache.count == 0)
    #expect(cache.statistics.expirations == 1)
    let seen = Locked<[CacheEventKind]>([])
    let token = cache.onEvent { event in seen.withLock { $0.append(event.kind) } }
    cache.set(2, for: "b")
    #expect(cache.value(for: "b") == 2)
    #expect(cache.value(for: "c") == nil)
    token.cancel()
    #expect(seen.withLock { $0 } == [.set, .hit, .miss])
    #expect(cache.statistics.hits == 2)
    #expect(cache.statistics.misses == 2)
  }

  @Test func onlyLockFreePoliciesHaveReaderSlots() throws {
    #expect(try MemoryCache<Int, Int>(count: 10, policy: "lru").blocks.slots == nil)
    #expect(try MemoryCache<Int, Int>(count: 10, policy: "clock").blocks.slots != nil)
  }
}
