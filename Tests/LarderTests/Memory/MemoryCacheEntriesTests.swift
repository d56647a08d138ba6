import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Entries with their metadata, and removal by key and value.
@Suite(.endsInTime) struct MemoryCacheEntriesTests {
  private struct Failure: Error, Equatable {}

  private let clock = ManualClock(seconds: 100_000)
  private let gate = Gate()

  private func cache(
    _ limits: MemoryCacheLimits = MemoryCacheLimits(count: 5_000), policy: String = "lru",
    shards: Int = 4, stale: Duration? = nil
  ) throws -> MemoryCache<String, Int> {
    try MemoryCache(
      MemoryCacheConfiguration(
        limits: limits, policy: CachePolicy(policy), shards: shards, clock: clock,
        staleWhileRevalidate: stale),
      weigh: { _ in 1 })
  }

  @Test(arguments: Policies.executable) func entriesHaveTheirMetadata(policy: String) throws {
    let cache = try cache(MemoryCacheLimits(weight: 1 << 20), policy: policy, shards: 1)
    cache.set(1, for: "plain")
    clock.advance(seconds: 50)
    cache.set(2, for: "timed", weight: 20, timeToLive: .seconds(10))
    cache.set(3, for: "permanent", weight: 3, timeToLive: .seconds(10), isPermanent: true)
    cache.set(4, for: "gone", timeToLive: .seconds(1))
    clock.advance(seconds: 2)
    let before = cache.statistics
    let entries = Dictionary(uniqueKeysWithValues: cache.entries.map { ($0.key, $0) })
    #expect(cache.statistics == before)
    #expect(entries.keys.sorted() == ["permanent", "plain", "timed"])
    let (plain, timed) = (try #require(entries["plain"]), try #require(entries["timed"]))
    let permanent = try #require(entries["permanent"])
    #expect(plain.value == 1 && plain.weight == 1 && plain.expires == nil && !plain.isPermanent)
    #expect(timed.value == 2 && timed.weight == 20 && !timed.isPermanent)
    #expect(timed.expires == CacheInstant(.seconds(100_060)))
    #expect(permanent.weight == 3 && permanent.expires == nil && permanent.isPermanent)
    for (entry, seconds) in [(plain, 100_000.0), (timed, 100_050), (permanent, 100_050)] {
      let created = try #require(entry.created)
      let age = created.duration(to: CacheInstant(.seconds(seconds)))
      #expect(age >= .zero && age < .microseconds(1 << 20))
    }
  }

  @Test func everyEntryIsFoundOnceWhileTheLoopChangesTheCache() throws {
    let cache = try cache()
    for number in 0..<1_000 { cache.set(number, for: "\(number)") }
    var seen: Set<String> = []
    for entry in cache.entries {
      #expect(seen.insert(entry.key).inserted)
      cache.remove(entry.key)
    }
    #expect(seen.count == 1_000 && cache.count == 0)
    #expect(Array(cache.entries).isEmpty)
  }

  @Test func entryThatIsBeingReloadedHasNoStorageTime() async throws {
    let cache = try cache()
    let gate = gate
    cache.set(1, for: "a")
    cache.refresh("a") { _ in
      await gate.pass()
      return 2
    }
    #expect(cache.entries.map(\.created) == [nil])
    gate.open()
    while cache.peek("a") != 2 { await Task.yield() }
    #expect(cache.entries.allSatisfy { $0.created != nil })
  }

  // MARK: Removal

  @Test(arguments: ["lru", "sieve", "s3-fifo"]) func matchingEntriesAreRemoved(
    policy: String
  ) throws {
    let cache = try cache(policy: policy)
    for number in 0..<1_000 { cache.set(number, for: "\(number)", isPermanent: number % 100 == 0) }
    let removed = cache.remove { key, value in
      #expect(key == "\(value)")
      return value % 2 == 0
    }
    #expect(removed == 490 && cache.count == 510)
    #expect(cache.statistics.removals == 490)
    #expect(cache.value(for: "2") == nil && cache.value(for: "3") == 3)
    #expect(cache.remove(includingPermanent: true) { key, _ in key.hasSuffix("00") } == 9)
    #expect(cache.remove { _, _ in false } == 0)
    for number in 0..<1_000 { cache.set(-number, for: "\(number)") }
    #expect(cache.remove { _, _ in true } == 1_000)
  }

  @Test func expiredEntriesAreRemovedToo() throws {
    let cache = try cache(stale: .seconds(1_000))
    cache.set(1, for: "a", timeToLive: .seconds(1))
    clock.advance(seconds: 2)
    #expect(cache.remove { _, value in value == 1 } == 1)
    #expect(cache.count == 0)
  }

  @Test func removedEntriesAreReported() throws {
    let told = Locked<[String]>([])
    let cache = try MemoryCache<String, Int>(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 100), clock: clock),
      onRemoval: { key, value, reason in
        told.withLock { $0.append("\(key) \(value) \(reason)") }
      })
    let events = Locked<[CacheEvent<String>]>([])
    let token = cache.onEvent { event in events.withLock { $0.append(event) } }
    cache.set(1, for: "a")
    cache.set(2, for: "b")
    cache.remove { key, _ in key == "a" }
    #expect(told.withLock { $0 } == ["a 1 removed"])
    #expect(events.withLock { $0.last } == CacheEvent(.remove, "a"))
    withExtendedLifetime(token) {}
  }

  @Test func errorOfThePredicateEndsTheRemoval() throws {
    let cache = try cache(shards: 1)
    for number in 0..<10 { cache.set(number, for: "\(number)") }
    var calls = 0
    #expect(throws: Failure()) {
      try cache.remove { _, _ throws(Failure) in
        calls += 1
        if calls == 4 { throw Failure() }
        return true
      }
    }
    #expect(cache.count == 7)
    // No lock is held any more.
    cache.set(1, for: "new")
    #expect(cache.value(for: "new") == 1)
  }

  @Test func loadsUnderWayAreNotStored() async throws {
    let cache = try cache()
    let gate = gate
    let none = try await cache.value(for: "none", negativeLife: .seconds(100)) { _ in nil }
    #expect(none == nil && cache.loads.isAbsent("none"))
    async let loaded = cache.value(for: "a") { _ in
      await gate.pass()
      return 1
    }
    while cache.loadStatistics.started < 2 { await Task.yield() }
    cache.set(2, for: "b")
    #expect(cache.remove { key, _ in key == "b" } == 1)
    #expect(!cache.loads.isAbsent("none"))
    gate.open()
    #expect(try await loaded == 1)
    #expect(cache.peek("a") == nil)
  }

  @Test func predicateMayCallAnotherCache() throws {
    let (cache, other) = (try cache(), try cache())
    cache.set(1, for: "a")
    other.set(2, for: "a")
    #expect(cache.remove { key, value in other.remove(key) == value + 1 } == 1)
    #expect(cache.count == 0 && other.count == 0)
  }

  #if DEBUG
    @Test func predicateThatCallsTheCacheTrapsInDebugBuilds() async {
      await #expect(processExitsWith: .failure) {
        let cache = MemoryCache<String, Int>(count: 10)
        cache.set(1, for: "a")
        cache.remove { key, _ in cache.contains(key) }
      }
    }
  #else
    @Test(arguments: ["lru", "s3-fifo"])
    func predicateThatCallsTheCacheIsServedInReleaseBuilds(policy: String) async throws {
      let cache = try cache(policy: policy)
      await withTaskGroup(of: Void.self) { group in
        for worker in 0..<4 {
          group.addTask {
            for round in 0..<200 {
              for number in 0..<16 { cache.set(worker, for: "\(number)") }
              cache.remove { key, _ in
                cache.set(round, for: key)
                return cache.value(for: "\(round % 16)") != nil
              }
            }
          }
        }
      }
      cache.removeAll()
      #expect(cache.count == 0)
    }
  #endif

  @Test func manyThreadsRemoveAndSet() async throws {
    for policy in ["lru", "s3-fifo"] {
      let cache = try MemoryCache<Int, Int>(
        MemoryCacheConfiguration(
          limits: MemoryCacheLimits(count: 500), policy: CachePolicy(policy), shards: 2,
          clock: clock))
      await withTaskGroup(of: Void.self) { group in
        for worker in 0..<4 {
          group.addTask {
            for round in 0..<300 {
              let key = (round &* 13 &+ worker) % 700
              cache.set(key, for: key)
              if round % 50 == worker {
                cache.remove { key, value in key == value && key % 3 == 0 }
              }
              if round % 60 == worker { #expect(cache.entries.allSatisfy { $0.key == $0.value }) }
            }
          }
        }
      }
      cache.remove { key, _ in key % 3 == 0 }
      #expect(cache.keys.allSatisfy { $0 % 3 != 0 })
    }
  }
}
