import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Code of the app that a cache calls, and that calls the cache.
@Suite(.endsInTime) struct MemoryReentrancyTests {
  #if DEBUG
    @Test func updateThatGetsTrapsInDebugBuilds() async {
      await #expect(processExitsWith: .failure) {
        let cache = MemoryCache<String, String>(count: 10)
        cache.update("a") { value in value = cache.value(for: "b") }
      }
      await #expect(processExitsWith: .failure) {
        let cache = try MemoryCache<Int, Int>(count: 10, policy: .s3FIFO)
        cache.update(1) { value in value = cache.value(for: 2) }
      }
    }
  #else
    @Test(arguments: ["lru", "s3-fifo"])
    func updateThatCallsTheCacheIsServedInReleaseBuilds(policy: String) async throws {
      let cache = try MemoryCache<String, Int>(
        MemoryCacheConfiguration(
          limits: MemoryCacheLimits(count: 1_000), policy: CachePolicy(policy), shards: 4))
      await withTaskGroup(of: Void.self) { group in
        for worker in 0..<4 {
          group.addTask {
            for round in 0..<2_000 {
              cache.update("\(round % 16)") { value in
                cache.set(worker, for: "\((round + worker) % 16)")
                value = (cache.value(for: "\((round * 7) % 16)") ?? 0) + 1
              }
            }
          }
        }
      }
      #expect(cache.count == 16)
    }
  #endif

  /// An update may call another cache, whose update calls the first one's neighbour.
  @Test func updateMayCallAnotherCache() throws {
    let (one, other) = (
      MemoryCache<Int, Int>(count: 10), MemoryCache<Int, Int>(count: 10)
    )
    other.set(5, for: 1)
    one.update(1) { value in value = other.update(1) { $0 } }
    #expect(one.value(for: 1) == 5)
  }

  /// Otherwise each event would cause the next.
  @Test(arguments: ["lru", "sieve"])
  func listenerThatGetsIsCalledOnce(policy: String) throws {
    let cache = try MemoryCache<String, Int>(count: 10, policy: CachePolicy(policy))
    let told = Locked<[CacheEventKind]>([])
    let stream = cache.eventStream()
    let token = cache.onEvent { [unowned cache] event in
      told.withLock { $0.append(event.kind) }
      _ = cache.value(for: event.key)
      cache.set(1, for: "other")
    }
    #expect(cache.value(for: "a") == nil)
    #expect(told.withLock { $0 } == [.miss])
    #expect(cache.value(for: "other") == 1)
    #expect(told.withLock { $0 } == [.miss, .hit])
    token.cancel()
    withExtendedLifetime(stream) {}
  }
}
