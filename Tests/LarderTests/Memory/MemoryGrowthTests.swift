import LarderEngine
import Testing

@testable import Larder

/// Growth in small steps: no operation moves more than a small part of a shard.
@Suite struct MemoryGrowthTests {
  #if DEBUG
    // With a million entries as with these: what is copied once is small. Calls of a debug build
    // take microseconds.
    private static let entries = ["lru": 200_000, "s3-fifo": 200_000, "w-tinylfu": 100_000]

    /// The most work under the lock, in buckets, pages and ids, while a shard fills, new keys
    /// replace those, half of them are removed, others with a lifetime come and expire, and the
    /// policy changes with the limits.
    @Test(arguments: Policies.executable)
    func noOperationMovesMuchOfAShard(policy: String) throws {
      let (entries, clock) = (Self.entries[policy] ?? 20_000, ManualClock())
      let cache = try MemoryCache<Int, Int>(
        MemoryCacheConfiguration(
          limits: MemoryCacheLimits(count: entries), policy: CachePolicy(policy), shards: 1,
          clock: clock))
      _ = DebugWork.takeMost()
      var (most, phase) = (0, "")
      func work(_ next: String, _ keys: Range<Int>, _ call: (Int) -> Void) {
        for key in keys {
          call(key)
          let work = DebugWork.takeMost()
          if work > most { (most, phase) = (work, "\(next) at \(key)") }
        }
      }
      func request(_ key: Int, _ life: Duration?) {
        if cache.value(for: key) == nil { cache.set(key, for: key, timeToLive: life) }
      }
      work("growing", 0..<entries * 2) { request($0 % (entries * 3 / 2), nil) }
      work("removing", 0..<entries * 3 / 2) { if $0 % 2 == 0 { cache.remove($0) } }
      work("refilling", 0..<entries * 2) { request(-$0 % (entries * 3 / 2), nil) }
      work("ageing", 0..<entries) { request($0 * 2, .seconds(10 + $0 % 20)) }
      clock.advance(seconds: 20)
      work("expiring", 0..<entries) { request($0 * 2, .seconds(10)) }
      work("changing", 1..<4) { _ = try? cache.setLimits(MemoryCacheLimits(count: entries / $0)) }
      #expect(cache.limits.count == entries / 3)
      work("raising", 1..<2) { _ in _ = try? cache.setLimits(MemoryCacheLimits(count: 3_000_000)) }
      // A block that grows to 2 MB is copied once: 512 pages.
      #expect(most > 0 && most <= 1_100, "\(most) in one operation, \(phase)")
    }
  #endif

  /// Requests in the middle of a change see the entries of both policies.
  @Test(arguments: Policies.executable)
  func entriesAreUsedWhileThePolicyChanges(policy: String) throws {
    var configuration = MemoryCacheConfiguration(
      limits: MemoryCacheLimits(weight: 2_000), policy: CachePolicy(policy), shards: 1)
    let cache = try MemoryCache<Int, Int>(configuration, weigh: { _ in 1 })
    func request(_ key: Int) {
      if let value = cache.value(for: key) {
        #expect(value == key)
      } else {
        cache.set(key, for: key)
      }
    }
    for key in 0..<9_000 { request(key % 3_000) }
    var (random, steps) = (TestRandom(seed: 3), 0)
    for (number, limit) in [1_000, 3_000, 500, 600].enumerated() {
      cache.trim(weight: limit)
      configuration.limits.weight = limit
      let setup = try configuration.tierSetup(
        shard: 0, of: 1, room: 1, group: PolicyGroup(parts: 1))
      let before = cache.count
      var begun: Int?
      while begun == nil {
        begun = try cache.withShard(0) { shard, gone in
          let ghosts = shard.tier.ghostCount
          defer { #expect(ghosts - shard.tier.ghostCount <= ShardWalk.step) }
          return try shard.resize(setup, jitter: 0, number: UInt64(number + 1), &gone)
        }
      }
      let part = cache.withShard(0) { shard, gone in shard.continueChange(&gone) }
      #expect(cache.count == before - (begun ?? 0) - (part ?? 0) && begun != nil)
      while cache.withShard(0, { shard, gone in shard.continueChange(&gone) }) != nil {
        steps += 1
        for _ in 0..<30 { request(random.below(3_000)) }
        let key = random.below(3_000)
        cache.set(key, for: key, weight: 1 + random.below(limit / 2), timeToLive: .seconds(100))
        let removed = random.below(3_000)
        #expect(cache.remove(removed) ?? removed == removed && !cache.contains(removed))
        cache.trim(toCount: cache.count - 1)
        #expect(cache.keys.count == cache.count && cache.statistics.weight <= limit)
      }
      for _ in 0..<3_000 { request(random.below(3_000)) }
      #expect(cache.keys.count == cache.count && cache.statistics.weight <= limit)
    }
    #expect(steps > 10)
  }

  /// Every key is found and removed at every moment of a growth, by gets with the lock and without.
  @Test(arguments: ["lru", "clock", "s3-fifo"], [false, true])
  func keysAreFoundWhileTheDirectoryDrains(policy: String, removes: Bool) throws {
    try check(policy, removes) { $0 }
    try check(policy, removes) { "\($0)" }
  }

  private func check<Key: Hashable & Sendable>(
    _ policy: String, _ removes: Bool, _ key: (Int) -> Key
  ) throws {
    let cache = try MemoryCache<Key, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 20_000), policy: CachePolicy(policy), shards: 1))
    var drains = 0
    for number in 0..<10_000 {
      cache.set(number, for: key(number))
      if cache.blocks.shard(0).pointee.directory.isDraining { drains += 1 }
      let other = number * 7 % (number + 1)
      let isHeld = !removes || other % 2 == 0
      #expect((cache.value(for: key(other)) == other) == isHeld || other == number)
      if removes, number % 2 == 1 { #expect(cache.remove(key(number)) == number) }
    }
    #expect(drains > 0)
    #expect(cache.count == (removes ? 5_000 : 10_000))
  }

  /// Values with weak references cannot be moved as bytes.
  @Test func weakReferencesSurviveGrowth() throws {
    final class Object: Sendable {}
    struct Holder: @unchecked Sendable { weak var object: Object? }
    let objects = (0..<3_000).map { _ in Object() }
    let cache = try MemoryCache<Int, Holder>(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 5_000), shards: 1))
    for (key, object) in objects.enumerated() { cache.set(Holder(object: object), for: key) }
    for (key, object) in objects.enumerated() {
      #expect(cache.value(for: key)?.object === object)
    }
  }
}
