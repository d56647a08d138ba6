import Larder

/// A cache that many threads share, with the calls that this program makes.
protocol SharedCache<Value>: Sendable {
  associatedtype Value: Canary

  func get(_ key: Int) -> Value?
  func set(_ value: Value, for key: Int)
  func remove(_ key: Int)
  func record(to path: String, sampling: Double) throws -> CacheRecording
}

/// A memory cache, called directly so that its gets are specialised for the value.
struct InMemory<Value: Canary>: SharedCache {
  let cache: MemoryCache<Int, Value>

  init(policy: String, limit: Int, shards: Int?) throws {
    cache = try MemoryCache(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: limit), policy: policy, shards: shards))
  }

  func get(_ key: Int) -> Value? { cache.value(for: key) }
  func set(_ value: Value, for key: Int) { cache.set(value, for: key) }
  func remove(_ key: Int) { cache.remove(key) }
  func record(to path: String, sampling: Double) throws -> CacheRecording {
    try cache.record(to: path, sampling: sampling)
  }
}

/// The memory tier of a hybrid cache.
struct InHybrid<Value: Canary>: SharedCache {
  let cache: HybridCache<Int, Value>

  init(policy: String, limit: Int, shards: Int?) throws {
    cache = try HybridCache(
      configuration: HybridCacheConfiguration(
        memory: MemoryCacheConfiguration(
          limits: MemoryCacheLimits(count: limit), policy: policy, shards: shards),
        disk: nil))
  }

  func get(_ key: Int) -> Value? { try? cache.value(for: key) }
  func set(_ value: Value, for key: Int) { _ = try? cache.set(value, for: key) }
  func remove(_ key: Int) { _ = try? cache.remove(key) }
  func record(to path: String, sampling: Double) throws -> CacheRecording {
    try cache.record(to: path, sampling: sampling)
  }
}
