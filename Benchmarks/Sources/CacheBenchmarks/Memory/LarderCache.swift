import Larder

/// Larder's memory cache.
struct LarderCache<Key: Hashable & Sendable, Value: Sendable>: BenchmarkCache {
  let cache: MemoryCache<Key, Value>

  init(capacity: Int, policy: String, shards: Int?, hashing: KeyHashing) throws {
    cache = try MemoryCache(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: capacity), policy: CachePolicy(policy), shards: shards,
        hashing: hashing))
  }

  func get(_ key: Key) -> Value? { cache.value(for: key) }

  func put(_ key: Key, _ value: Value) { cache.set(value, for: key) }
}
