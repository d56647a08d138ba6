import Larder

/// Larder's memory cache with objects as values, which are counted references: what apps mostly
/// keep, and what `NSCache` always does.
struct LarderBoxCache: BenchmarkCache {
  private final class Box: Sendable {
    let value: Int

    init(_ value: Int) { self.value = value }
  }

  private let cache: MemoryCache<Int, Box>

  init(capacity: Int, policy: String, shards: Int?) throws {
    cache = try MemoryCache(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: capacity), policy: CachePolicy(policy), shards: shards,
        hashing: .fast))
  }

  func get(_ key: Int) -> Int? { cache.value(for: key)?.value }

  func put(_ key: Int, _ value: Int) { cache.set(Box(value), for: key) }
}
