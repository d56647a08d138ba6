import LarderEngine
import Testing

@testable import Larder

/// Growth in small steps: no operation moves more than a small part of a shard.
@Suite struct MemoryGrowthTests {
  #if DEBUG
    /// The most work of one operation while a shard fills, and while as many keys replace those.
    /// Units are buckets, pages and ids.
    @Test(arguments: ["lru", "sieve", "s3-fifo", "w-tinylfu", "lirs", "arc", "slru", "auto"])
    func noOperationMovesMuchOfAShard(policy: String) throws {
      let entries = 100_000
      let cache = try MemoryCache<Int, Int>(
        MemoryCacheConfiguration(
          limits: MemoryCacheLimits(count: entries), policy: CachePolicy(policy), shards: 1))
      var most = 0
      for key in 0..<entries * 2 {
        let before = DebugWork.amount
        if cache.value(for: key % (entries * 3 / 2)) == nil {
          cache.set(key, for: key % (entries * 3 / 2))
        }
        most = max(most, DebugWork.amount - before)
      }
      // A block that grows to 2 MB is copied once: 512 pages.
      #expect(most > 0 && most <= 1_100, "\(most) buckets, pages and ids in one operation")
    }
  #endif

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
