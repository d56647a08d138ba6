import Dispatch
import Larder
import Synchronization

/// A cache shared by many threads, with the calls that this program makes.
protocol SharedCache<Value>: Sendable {
  associatedtype Value: Canary

  func get(_ key: Int) -> Value?
  func set(_ value: Value, for key: Int)
  func remove(_ key: Int)
  /// Makes one of the rarer calls, chosen by `draw`. May store `value`.
  func change(_ key: Int, _ draw: Int, _ value: Value)
  func record(to path: String, sampling: Double) throws -> CacheRecording
}

/// A memory cache, called directly so that its gets are specialised for the value.
struct InMemory<Value: Canary>: SharedCache {
  let cache: MemoryCache<Int, Value>
  private let limit: Int

  /// Creates a cache; with `expires`, idle entries expire after a millisecond or two.
  init(policy: String, limit: Int, shards: Int?, expires: Bool) throws {
    self.limit = limit
    var configuration = MemoryCacheConfiguration(
      limits: MemoryCacheLimits(count: limit), policy: CachePolicy(policy), shards: shards)
    if expires {
      configuration.expireAfterAccess = .milliseconds(1)
      configuration.promptExpiry = .milliseconds(1)
    }
    cache = try MemoryCache(configuration)
  }

  func get(_ key: Int) -> Value? { cache.value(for: key) }
  func set(_ value: Value, for key: Int) { cache.set(value, for: key) }
  func remove(_ key: Int) { cache.remove(key) }

  func change(_ key: Int, _ draw: Int, _ value: Value) {
    switch draw % 16 {
    case 0, 1, 2: cache.set(value, for: key, timeToLive: .microseconds(draw % 1000))
    case 3, 4, 5: cache.update(key) { $0 = value }
    case 6, 7: cache.update(key) { $0 = nil }
    case 8, 9: cache.update(key) { $0 = $0 ?? value }
    case 10, 11: cache.removeExpired()
    case 12, 13: cache.trim(toCount: limit * 3 / 4)
    case 14: _ = try? cache.setLimits(MemoryCacheLimits(count: limit / 2 + draw % limit + 1))
    default: cache.removeAll()
    }
  }

  func record(to path: String, sampling: Double) throws -> CacheRecording {
    try cache.record(to: path, sampling: sampling)
  }
}

/// The memory tier of a hybrid cache, which chooses its shards.
struct InHybrid<Value: Canary>: SharedCache {
  let cache: HybridCache<Int, Value>

  init(policy: String, limit: Int, shards: Int?) throws {
    let configuration = HybridCacheConfiguration(
      memory: MemoryTier(
        limits: MemoryCacheLimits(count: limit), policy: CachePolicy(policy)),
      disk: nil)
    cache = try waiting { try await HybridCache(configuration: configuration) }
  }

  func get(_ key: Int) -> Value? { cache.valueInMemory(for: key) }
  func set(_ value: Value, for key: Int) {
    _ = try? waiting { try await cache.set(value, for: key) }
  }
  func remove(_ key: Int) { _ = try? waiting { try await cache.remove(key) } }

  func change(_ key: Int, _ draw: Int, _ value: Value) {
    switch draw % 8 {
    case 0, 1, 2:
      let options = DiskStoreOptions(timeToLive: .microseconds(draw % 1000))
      _ = try? waiting { try await cache.set(value, for: key, options: options) }
    case 3, 4: _ = try? waiting { try await cache.removeExpired() }
    case 5, 6: _ = cache.trimMemory(toCount: 64)
    default: _ = try? waiting { try await cache.removeAll() }
    }
  }

  func record(to path: String, sampling: Double) throws -> CacheRecording {
    try cache.record(to: path, sampling: sampling)
  }
}

/// Waits on this thread, which is none of those that tasks share, for an async call.
func waiting<Result: Sendable>(
  _ body: @escaping @Sendable () async throws -> Result
) throws -> Result {
  let outcome = Mutex<Swift.Result<Result, any Error>?>(nil)
  let done = DispatchSemaphore(value: 0)
  Task {
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    outcome.withLock { $0 = result }
    done.signal()
  }
  done.wait()
  guard let result = outcome.withLock({ $0 }) else { preconditionFailure("no result") }
  return try result.get()
}
