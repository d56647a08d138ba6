import LarderEngine
import Testing

@testable import Larder

/// Growth in small steps: no operation moves more than a small part of a shard.
@Suite struct MemoryGrowthTests {
  #if DEBUG
    // With a million entries as with these: what is copied once is small. Calls of a debug build
    // take microseconds.
    private static let entries = ["lru": 200_000, "s3-fifo": 200_000, "w-tinylfu": 100_000]

    /// The most work of one operation, in buckets, pages and ids, while a shard fills, new keys
    /// replace those, half of them are removed, and others with a lifetime come and expire.
    @Test(arguments: Policies.executable)
    func noOperationMovesMuchOfAShard(policy: String) throws {
      let (entries, clock) = (Self.entries[policy] ?? 20_000, ManualClock())
      let cache = try MemoryCache<Int, Int>(
        MemoryCacheConfiguration(
          limits: MemoryCacheLimits(count: entries), policy: CachePolicy(policy), shards: 1,
          clock: clock))
      var (most, phase) = (0, "")
      func work(_ next: String, _ keys: Range<Int>, _ call: (Int) -> Void) {
        for key in keys {
          let before = DebugWork.amount
          call(key)
          if DebugWork.amount - before > most {
            (most, phase) = (DebugWork.amount - before, "\(next) at \(key)")
          }
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
      // A block that grows to 2 MB is copied once: 512 pages.
      #expect(most > 0 && most <= 1_100, "\(most) in one operation, \(phase)")
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
