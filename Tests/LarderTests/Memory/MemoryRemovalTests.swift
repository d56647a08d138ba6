import LarderEngine
import Testing

@testable import Larder

/// Removals reported to a listener, with value and reason.
@Suite struct MemoryRemovalTests {
  private final class Told<Value: Sendable & CustomStringConvertible>: Sendable {
    private let lines = Locked<[String]>([])

    func note(_ key: String, _ value: Value, _ reason: MemoryRemovalReason) {
      lines.withLock { $0.append("\(key) \(value) \(reason)") }
    }

    /// Removals reported since the last call.
    func next() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  private let clock = ManualClock(seconds: 100)

  private func cache(
    _ told: Told<String>, _ limits: MemoryCacheLimits = MemoryCacheLimits(count: 2),
    policy: String = "lru", admission: String? = nil
  ) throws -> MemoryCache<String, String> {
    try MemoryCache(
      MemoryCacheConfiguration(
        limits: limits, policy: CachePolicy(policy), admission: admission, shards: 1, clock: clock),
      weigh: { _ in 1 }, onRemoval: { told.note($0, $1, $2) })
  }

  @Test(arguments: ["lru", "sieve", "s3-fifo"])
  func everyReasonIsReportedWithTheValue(policy: String) throws {
    let told = Told<String>()
    let cache = try cache(told, policy: policy)
    cache.set("1", for: "a")
    #expect(told.next() == [])
    cache.set("2", for: "a")
    #expect(told.next() == ["a 1 replaced"])
    #expect(cache.remove("a") == "2")
    #expect(told.next() == ["a 2 removed"])
    cache.remove("a")
    #expect(told.next() == [])
    cache.set("3", for: "b", timeToLive: .seconds(1))
    clock.advance(seconds: 2)
    #expect(cache.value(for: "b") == nil)
    #expect(told.next() == ["b 3 expired"])
    cache.set("4", for: "c", timeToLive: .zero)
    #expect(told.next() == ["c 4 refused"])
    #expect(cache.statistics.rejections == 1)
    cache.set("5", for: "d")
    cache.removeAll()
    #expect(told.next() == ["d 5 removed"])
  }

  @Test func evictionsTrimsAndSweepsAreReported() throws {
    let told = Told<String>()
    let cache = try cache(told)
    for key in ["a", "b", "c"] { cache.set("of \(key)", for: key) }
    #expect(told.next() == ["a of a evicted"])
    cache.trim(toCount: 1)
    #expect(told.next() == ["b of b evicted"])
    cache.handle(.critical)
    #expect(told.next() == ["c of c evicted"])
    cache.set("1", for: "d", timeToLive: .seconds(1))
    clock.advance(seconds: 2)
    cache.removeExpired()
    #expect(told.next() == ["d 1 expired"])
  }

  @Test func rejectedValueIsReportedAfterTheOneItReplaces() throws {
    let told = Told<String>()
    let cache = try cache(told, MemoryCacheLimits(weight: 10))
    cache.set("small", for: "a", weight: 5)
    #expect(!cache.set("large", for: "a", weight: 11))
    #expect(told.next() == ["a small replaced", "a large refused"])
    #expect(cache.count == 0)
  }

  @Test func updatesAreReported() throws {
    let told = Told<String>()
    let cache = try cache(told)
    cache.update("a") { $0 = "1" }
    cache.update("a") { $0 = "2" }
    cache.update("a") { $0 = nil }
    #expect(told.next() == ["a 1 replaced", "a 2 removed"])
  }

  /// No lock is held.
  @Test func aListenerMayCallTheCache() throws {
    let kept = Locked<MemoryCache<Int, Int>?>(nil)
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 2), policy: "sieve", shards: 1),
      onRemoval: { _, value, reason in
        guard reason == .evicted, value < 100 else { return }
        kept.withLock { $0 }?.set(value + 100, for: -1)
      })
    kept.withLock { $0 = cache }
    for key in 0..<3 { cache.set(key, for: key) }
    #expect(cache.value(for: -1) == 100 || cache.value(for: -1) == 101)
    kept.withLock { $0 = nil }
  }

  @Test func updateWithoutTimeToLiveIsARejectedSet() throws {
    let told = Told<String>()
    let cache = try cache(told)
    cache.set("1", for: "a")
    cache.update("a", timeToLive: .zero) { $0 = "2" }
    #expect(told.next() == ["a 2 refused", "a 1 removed"])
    #expect(cache.statistics.sets == 2 && cache.statistics.rejections == 1)
    cache.update("a", timeToLive: .zero) { $0 = nil }
    #expect(told.next() == [])
    #expect(cache.statistics.sets == 2)
  }

  /// The listener is called whenever the lock was released.
  @Test(arguments: ["lru", "s3-fifo", "lirs"], 0..<6)
  func bulkRemovalReleasesTheLockOnTheWay(policy: String, way: Int) throws {
    let (clock, counts) = (clock, Locked<[Int]>([]))
    let held = Locked<MemoryCache<Int, Int>?>(nil)
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 2000), policy: CachePolicy(policy), shards: 1,
        clock: clock),
      onRemoval: { _, _, _ in
        if let count = held.withLock({ $0?.count }) { counts.withLock { $0.append(count) } }
      })
    for key in 0..<3000 { cache.set(key, for: key, timeToLive: .seconds(10)) }
    held.withLock { $0 = cache }
    defer { held.withLock { $0 = nil } }
    let before = cache.count
    clock.advance(seconds: 20)
    let removed =
      switch way {
      case 0: cache.removeAll()
      case 1: cache.removeExpired()
      case 2: cache.trim(toAge: .seconds(5))
      case 3: cache.trim(toCount: 0)
      case 4: cache.remove { _, _ in true }
      default: cache.handle(.critical)
      }
    let after = counts.withLock { $0 }
    let most = zip([before] + after, after).map { $0 - $1 }.max() ?? 0
    #expect(removed == before - cache.count && removed > 1000)
    #expect(most > 0 && most <= 256)
  }

  @Test func entriesAreCopiedInParts() throws {
    let cache = MemoryCache<Int, Int>(count: 5000)
    for key in 0..<5000 { cache.set(key, for: key) }
    let size = cache.count
    var entries = cache.entries.makeIterator()
    let first = entries.next()
    #expect(first != nil)
    cache.removeAll()
    let others = IteratorSequence(entries).count { _ in true }
    #expect(others < 256 && size > 4000)
    for key in 0..<300 { cache.set(key, for: key) }
    var found = 0
    for entry in cache.entries {
      cache.set(0, for: 10_000 + entry.key)
      found += 1
    }
    #expect(found <= 600)
  }
}
