import LarderEngine
import Synchronization
import TestSupport
import Testing

@testable import Larder

/// Many threads against a model of the values that each may see.
@Suite(.endsInTime) struct MemoryCacheConcurrencyTests {
  /// A value that contains its key and detects torn reads.
  private final class Stamped: Sendable {
    let key: Int
    let version: Int
    let check: Int

    init(key: Int, version: Int) {
      self.key = key
      self.version = version
      check = key &* 31 &+ version
    }
  }

  private final class Counters: Sendable {
    let wrong = Atomic<Int>(0)
    let hits = Atomic<Int>(0)
    let handled = Atomic<Int>(0)
  }

  @Test(arguments: ["lru", "s3-fifo", "sieve", "gdsf"])
  func getsReturnTheirKeysValueAndNeverAnOlderOne(policy: String) async throws {
    let cache = try MemoryCache<Int, Stamped>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 200, weight: 3_000), policy: CachePolicy(policy),
        shards: 4,
        hashing: .fast), weigh: { _ in 1 })
    let counters = Counters()
    let token = cache.onEvent { _ in counters.handled.wrappingAdd(1, ordering: .relaxed) }
    // Each key is set by one thread, with ascending versions, so no thread may see versions
    // decrease.
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          var random = TestRandom(seed: UInt64(thread))
          var seen = Array(repeating: 0, count: 800)
          for step in 1...8_000 {
            let key = min(random.below(800), random.below(800))
            switch random.below(100) {
            case 0: cache.removeExpired()
            case 1: cache.trim(toCount: 100)
            case 2: _ = cache.statistics
            case 3: cache.removeAll()
            case 4: cache.handle(.warning)
            case 5...10: cache.remove(key)
            case 11...45:
              let own = key / 4 * 4 + thread
              cache.set(
                Stamped(key: own, version: step), for: own, weight: random.below(30),
                timeToLive: random.below(2) == 0 ? .seconds(100) : nil)
              seen[own] = step
            default:
              guard let value = cache.value(for: key) else { continue }
              counters.hits.wrappingAdd(1, ordering: .relaxed)
              let isRight =
                value.key == key && value.check == key &* 31 &+ value.version
                && value.version >= seen[key]
              if !isRight { counters.wrong.wrappingAdd(1, ordering: .relaxed) }
              seen[key] = value.version
            }
          }
        }
      }
    }
    #expect(counters.wrong.load(ordering: .relaxed) == 0)
    #expect(counters.hits.load(ordering: .relaxed) > 100)
    #expect(counters.handled.load(ordering: .relaxed) > 0)
    #expect(cache.count <= 200)
    #expect(cache.statistics.weight <= 3_000)
    #expect(cache.statistics.hits == UInt64(counters.hits.load(ordering: .relaxed)))
    token.cancel()
    cache.removeAll()
    #expect(cache.count == 0)
  }
}
