import Larder

/// Larder's memory cache.
struct LarderCache: BenchmarkCache {
  let cache: MemoryCache<Int, Int>

  init(capacity: Int, policy: String, shards: Int?, hashing: KeyHashing) throws {
    cache = try MemoryCache(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: capacity), policy: policy, shards: shards,
        hashing: hashing))
  }

  func get(_ key: Int) -> Int? { cache.value(for: key) }

  func put(_ key: Int, _ value: Int) { cache.set(value, for: key) }
}
