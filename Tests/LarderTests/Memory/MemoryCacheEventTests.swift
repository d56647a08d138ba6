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
        limits: MemoryCacheLimits(count: 2, weight: 10), shards: 1, clock: clock))
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
