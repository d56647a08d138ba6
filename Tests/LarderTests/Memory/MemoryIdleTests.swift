import LarderEngine
import Testing

@testable import Larder

/// Idle expiry: `expireAfterAccess`.
@Suite struct MemoryIdleTests {
  /// LRU takes the lock for a hit, SIEVE does not.
  static let policies = ["lru", "sieve", "s3-fifo", "w-tinylfu"]

  private let clock = ManualClock(seconds: 1_000)

  private func cache<Value>(
    _ policy: String = "lru", after idle: Duration? = .seconds(16), age: Duration? = nil,
    stale: Duration? = nil, _: Value.Type = Int.self
  ) throws -> MemoryCache<Int, Value> {
    try MemoryCache(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 50, age: age), policy: CachePolicy(policy), shards: 1,
        clock: clock,
        staleWhileRevalidate: stale, expireAfterAccess: idle))
  }

  @Test(arguments: policies)
  func aGetProlongsAnEntry(policy: String) throws {
    try aGetProlongs(policy) { $0 }
    try aGetProlongs(policy) { "value \($0)" }
  }

  private func aGetProlongs<Value: Equatable & Sendable>(
    _ policy: String, _ value: (Int) -> Value
  ) throws {
    let cache = try cache(policy, Value.self)
    cache.set(value(1), for: 1)
    cache.set(value(2), for: 2)
    for _ in 0..<5 {
      clock.advance(seconds: 12)
      #expect(cache.value(for: 1) == value(1))
    }
    #expect(!cache.contains(2) && cache.value(for: 2) == nil)
    // A granule is 2^19 microseconds here.
    clock.advance(seconds: 15)
    #expect(cache.contains(1))
    clock.advance(seconds: 2)
    #expect(!cache.contains(1) && cache.keys.isEmpty && cache.value(for: 1) == nil)
    #expect(cache.count == 0 && cache.statistics.expirations == 2)
    #expect(cache.statistics.hits == 5 && cache.statistics.misses == 2)
    // A second get is not another expiration.
    #expect(cache.value(for: 1) == nil && cache.statistics.expirations == 2)
    cache.set(value(3), for: 1)
    #expect(cache.value(for: 1) == value(3))
  }

  @Test(arguments: policies)
  func setProlongsAnEntryAndContainsDoesNot(policy: String) throws {
    let cache = try cache(policy)
    cache.set(1, for: 1)
    cache.set(2, for: 2)
    clock.advance(seconds: 10)
    cache.set(3, for: 1)
    #expect(cache.contains(2) && cache.keys.contains(2) && cache.peek(2) == 2)
    clock.advance(seconds: 8)
    #expect(cache.contains(1) && !cache.contains(2))
    #expect(cache.removeExpired() == 1 && cache.count == 1)
    cache.update(2) { #expect($0 == nil) }
    #expect(cache.value(for: 1) == 3)
  }

  @Test(arguments: policies)
  func theEarlierLimitCounts(policy: String) throws {
    let cache = try cache(policy, age: .seconds(30))
    cache.set(1, for: 1)
    cache.set(2, for: 2, timeToLive: .seconds(5))
    clock.advance(seconds: 6)
    #expect(cache.value(for: 2) == nil && cache.value(for: 1) == 1)
    clock.advance(seconds: 12)
    #expect(cache.value(for: 1) == 1)
    // Accessed 11 seconds ago, stored 31 seconds ago.
    clock.advance(seconds: 13)
    #expect(cache.value(for: 1) == nil && cache.statistics.expirations == 2)
  }

  @Test(arguments: policies)
  func permanentEntriesStay(policy: String) throws {
    let cache = try cache(policy)
    cache.set(1, for: 1, isPermanent: true)
    cache.set(2, for: 2)
    clock.advance(seconds: 1_000_000)
    #expect(cache.value(for: 1) == 1 && cache.value(for: 2) == nil)
    cache.set(3, for: 1)
    clock.advance(seconds: 20)
    #expect(cache.value(for: 1) == nil)
  }

  /// The cache grows while entries are accessed; their times are moved.
  @Test(arguments: policies)
  func timesStayWhenACacheGrows(policy: String) throws {
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 20_000), policy: CachePolicy(policy), shards: 1,
        clock: clock,
        expireAfterAccess: .seconds(16)))
    for key in 0..<1_000 { cache.set(key, for: key) }
    clock.advance(seconds: 10)
    for key in 1_000..<9_000 { cache.set(key, for: key) }
    for key in 0..<10 { #expect(cache.value(for: key) == key) }
    clock.advance(seconds: 8)
    #expect((0..<10).allSatisfy { cache.contains($0) })
    #expect((10..<1_000).allSatisfy { !cache.contains($0) })
    #expect((1_000..<9_000).allSatisfy { cache.contains($0) })
    #expect(cache.residentBytes > 9_000 * 16)
  }

  @Test func listenersLearnThatAnEntryExpired() throws {
    let told = Locked<[String]>([])
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 9), clock: clock, expireAfterAccess: .seconds(1)),
      onRemoval: { key, _, reason in told.withLock { $0.append("\(key) \(reason)") } })
    cache.set(1, for: 1)
    cache.set(2, for: 2)
    cache.set(3, for: 3)
    clock.advance(seconds: 2)
    #expect(cache.value(for: 1) == nil)
    cache.set(4, for: 2)
    #expect(cache.remove(3) == nil)
    #expect(told.withLock { $0 } == ["1 expired", "2 replaced", "3 removed"])
  }

  /// Kept for `value(for:load:)`; a get is a miss.
  @Test func idleValueMayBeReturnedDuringAReload() async throws {
    let cache = try cache(stale: .seconds(100))
    cache.set(1, for: 1)
    clock.advance(seconds: 20)
    #expect(cache.value(for: 1) == nil && cache.count == 1)
    #expect(try await cache.value(for: 1) { _ in 2 } == 1)
    clock.advance(seconds: 200)
    #expect(cache.value(for: 1) == nil || cache.value(for: 1) == 2)
  }

  /// Memory has the only copy, which would be lost.
  @Test func exclusiveHybridRejectsIdleExpiry() throws {
    var configuration = HybridCacheConfiguration(rules: HybridRules(inclusion: .exclusive))
    configuration.memory?.expireAfterAccess = .seconds(1)
    #expect(throws: HybridCacheError.self) { try configuration.check() }
    configuration.rules = HybridRules()
    try configuration.check()
  }

  /// A granule is a 16th, as a power of two, within its bounds.
  @Test(arguments: [
    (1, 0), (15, 0), (16, 0), (32, 1), (1_000_000, 15), (16_000_000, 19), (17_000_000, 20),
    (1 << 62, 20),
  ])
  func granules(life: UInt64, shift: UInt64) {
    #expect(IdleTimes.shift(life: life) == shift)
  }

  /// Never earlier, and at most a granule later, for all times.
  @Test func expiriesAreWithinAGranule() {
    var random = TestRandom(seed: 3)
    for _ in 0..<2_000 {
      let life = UInt64(1 + random.below(1 << 30))
      let idle = IdleTimes(room: 1, life: life)
      defer { idle.deallocate() }
      let now = UInt64(random.below(1 << 50))
      idle.begin(1, now, isPermanent: false)
      #expect(idle[1] > now + life && idle[1] <= now + life + (1 << idle.shift))
      #expect(idle.touch(1, idle[1] - 1))
      #expect(!idle.touch(1, .max))
    }
    let endless = IdleTimes(room: 1, life: 1 << 63)
    defer { endless.deallocate() }
    endless.begin(1, 1 << 63, isPermanent: false)
    #expect(endless[1] == IdleTimes.never)
  }

  /// Two gets have seen the same time; the one that read the clock later determines the expiry.
  @Test func anAccessIsNotLostToAnEarlierOne() {
    let idle = IdleTimes(room: 2, life: 4_000_000)
    defer { idle.deallocate() }
    idle.begin(1, 0, isPermanent: false)
    let seen = idle[1]
    #expect(idle.touch(1, 1_000_000))
    idle.move(1, seen, idle.instant(3_000_000))
    #expect(idle[1] == idle.instant(3_000_000))
    // The earlier one comes last.
    idle.move(1, seen, idle.instant(2_000_000))
    #expect(idle[1] == idle.instant(3_000_000))
    idle.begin(1, 0, isPermanent: true)
    idle.move(1, seen, idle.instant(3_000_000))
    #expect(idle[1] == IdleTimes.never)
  }

  /// Concurrent lock-free gets, sets and sweeps: no entry expires early, and none is returned late.
  @Test(.endsInTime, arguments: ["sieve", "s3-fifo", "lru"])
  func threadsAgree(policy: String) async throws {
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 200), policy: CachePolicy(policy), shards: 1, clock: clock,
        expireAfterAccess: .seconds(4)))
    for key in 0..<100 { cache.set(key, for: key, isPermanent: key < 10) }
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<3 {
        group.addTask {
          for round in 0..<2_000 {
            let key = (round * 7 + worker) % 100
            if let value = cache.value(for: key) { #expect(value % 100 == key) }
            if round % 5 == worker, key >= 10 { cache.set(key + 100, for: key) }
            if key < 10 { #expect(cache.value(for: key) == key) }
          }
        }
      }
      group.addTask { [clock] in
        for _ in 0..<200 {
          clock.advance(seconds: 1)
          cache.removeExpired()
        }
      }
    }
    #expect((0..<10).allSatisfy { cache.value(for: $0) == $0 })
    clock.advance(seconds: 100)
    #expect((10..<100).allSatisfy { cache.value(for: $0) == nil })
    #expect(cache.count == 10)
  }
}
