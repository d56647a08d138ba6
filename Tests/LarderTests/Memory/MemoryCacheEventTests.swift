import LarderEngine
import TestSupport
import Testing

@testable import Larder

@Suite(.endsInTime) struct MemoryCacheEventTests {
  private final class Log: Sendable {
    let events = Locked<[CacheEvent<String>]>([])
    var all: [CacheEvent<String>] { events.withLock { $0 } }
  }

  @Test func everyEventIsReported() throws {
    let clock = ManualClock()
    let cache = try MemoryCache<String, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 2, weight: 10), shards: 1, clock: clock), weigh: { _ in 1 }
    )
    let log = Log()
    cache.set(0, for: "unheard")
    let token = cache.onEvent { event in
      // No lock is held, so a handler may use the cache.
      _ = cache.count
      log.events.withLock { $0.append(event) }
    }
    _ = cache.value(for: "a")
    cache.set(1, for: "a", timeToLive: .seconds(1))
    _ = cache.value(for: "a")
    clock.advance(seconds: 1)
    _ = cache.value(for: "a")
    cache.set(2, for: "b")
    cache.set(3, for: "c")
    cache.set(4, for: "big", weight: 11)
    cache.remove("b")
    cache.trim(toCount: 0)
    cache.set(5, for: "d")
    cache.handle(.critical)
    cache.set(6, for: "e", timeToLive: .seconds(1))
    clock.advance(seconds: 1)
    cache.removeExpired()
    cache.set(7, for: "f")
    cache.removeAll()
    token.cancel()
    cache.set(8, for: "unheard")
    let expected: [CacheEvent<String>] = [
      CacheEvent(.miss, "a"), CacheEvent(.set, "a"), CacheEvent(.hit, "a"),
      CacheEvent(.expire, "a"), CacheEvent(.miss, "a"), CacheEvent(.set, "b"),
      CacheEvent(.evict(.capacity), "unheard"), CacheEvent(.set, "c"),
      CacheEvent(.reject, "big"), CacheEvent(.remove, "b"), CacheEvent(.evict(.trim), "c"),
      CacheEvent(.set, "d"), CacheEvent(.evict(.pressure), "d"), CacheEvent(.set, "e"),
      CacheEvent(.expire, "e"), CacheEvent(.set, "f"), CacheEvent(.remove, "f"),
    ]
    #expect(log.all == expected)
    #expect(!cache.events.isActive)
  }

  private func loop(_ cache: MemoryCache<Int, Int>, requests: Int, from first: Int = 0) {
    for index in 0..<requests {
      let key = first + index % 120
      if cache.value(for: key) == nil { cache.set(key, for: key) }
    }
  }

  private func choosing(shards: Int, count: Int = 100) throws -> MemoryCache<Int, Int> {
    try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: count), policy: "auto:policies=lru/mru", shards: shards))
  }

  /// A loop, in which LRU has no hits.
  @Test func changesOfThePolicyAreReported() throws {
    let cache = try choosing(shards: 1)
    let heard = Locked<[CacheEvent<Int>]>([])
    let token = cache.onEvent { event in
      // No lock is held, so a handler may use the cache.
      _ = cache.policyChoice
      heard.withLock { $0.append(event) }
    }
    loop(cache, requests: 12_000)
    #expect(cache.policyChoice?.leader == "mru")
    let events = heard.withLock { $0 }
    let place = try #require(
      events.firstIndex { $0.kind == .switchPolicy(from: 0, to: 1) })
    // After the events of the request that changed it.
    #expect(place > 0 && events[place - 1].key == events[place].key)
    let switches = events.filter { if case .switchPolicy = $0.kind { true } else { false } }
    #expect(switches.count == 1 && cache.policyChoice?.switches == 1)
    token.cancel()
  }

  @Test func changesBeforeThereAreListenersAreNotReported() throws {
    let cache = try choosing(shards: 1)
    loop(cache, requests: 12_000)
    #expect(cache.policyChoice?.leader == "mru")
    for _ in 0..<2 {
      let heard = Locked<[CacheEvent<Int>]>([])
      let token = cache.onEvent { event in heard.withLock { $0.append(event) } }
      loop(cache, requests: 100)
      #expect(
        heard.withLock { $0 }.allSatisfy {
          if case .switchPolicy = $0.kind { false } else { true }
        })
      token.cancel()
      try cache.setLimits(MemoryCacheLimits(count: 90))
    }
  }

  /// While two threads use the cache, every change is reported once.
  @Test func eachChangeOfAShardIsReportedOnce() async throws {
    let cache = try choosing(shards: 4, count: 400)
    let changes = Locked(0)
    let token = cache.onEvent { event in
      if case .switchPolicy = event.kind { changes.withLock { $0 += 1 } }
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          for index in 0..<40_000 {
            let key = index % 480
            if cache.value(for: key) == nil { cache.set(key, for: key) }
          }
        }
      }
    }
    // What is still to be reported follows with the next requests.
    for key in 0..<480 { _ = cache.value(for: key) }
    let switches = cache.policyChoice?.switches ?? 0
    #expect(switches > 0 && changes.withLock { $0 } == switches)
    token.cancel()
  }

  @Test func aStreamEndsWithItsCacheAndKeepsTheNewest() async throws {
    var cache: MemoryCache<Int, Int>? = MemoryCache(count: 10)
    let stream = try #require(cache?.eventStream(buffered: 3))
    for key in 0..<5 { cache?.set(key, for: key) }
    cache = nil
    var keys: [Int] = []
    for await event in stream { keys.append(event.key) }
    #expect(keys == [2, 3, 4])
  }

  /// Destroying a handler may destroy another listener's token.
  @Test func aHandlerMayOwnAnotherListenersToken() throws {
    let cache = MemoryCache<String, Int>(count: 2)
    var inner: CacheEventToken? = cache.onEvent { _ in }
    let outer = cache.onEvent { [inner] _ in withExtendedLifetime(inner) {} }
    inner = nil
    outer.cancel()
    #expect(!cache.events.isActive)
  }
}
