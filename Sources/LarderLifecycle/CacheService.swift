#if Lifecycle
  public import Larder
  public import ServiceLifecycle

  /// Removes expired entries of a cache at each interval, by default every minute, and closes the
  /// cache at graceful shutdown and on cancellation: for a `ServiceGroup` of
  /// swift-service-lifecycle. Calls that wait for the disk run outside the pool of threads that
  /// tasks share.
  ///
  /// ```swift
  /// let group = ServiceGroup(services: [CacheService(cache), server], logger: logger)
  /// ```
  public struct CacheService: Service {
    private let interval: Duration
    private let clean: @Sendable () async -> Void
    private let close: @Sendable () async throws -> Void

    private init(
      every interval: Duration, clean: @escaping @Sendable () async -> Void,
      close: @escaping @Sendable () async throws -> Void
    ) {
      self.interval = interval
      self.clean = clean
      self.close = close
    }

    /// Creates a service of a hybrid cache; failures to remove expired entries are not reported.
    public init<Key, Value>(_ cache: HybridCache<Key, Value>) {
      self.init(of: cache, every: .seconds(60)) { _ in }
    }

    /// Creates a service of a hybrid cache that removes expired entries, O(entries), at an interval
    /// of at least a millisecond, or throws `interval`. `onFailure` receives the error of a failed
    /// removal, in the task of `run`; the next one is tried after `interval`.
    public init<Key, Value>(
      _ cache: HybridCache<Key, Value>, cleaningEvery interval: Duration,
      onFailure: @escaping @Sendable (HybridCacheError) -> Void = { _ in }
    ) throws(CacheServiceError) {
      self.init(of: cache, every: try Self.checked(interval), onFailure)
    }

    private init<Key, Value>(
      of cache: HybridCache<Key, Value>, every interval: Duration,
      _ onFailure: @escaping @Sendable (HybridCacheError) -> Void
    ) {
      self.init(every: interval) {
        do throws(HybridCacheError) {
          try await cache.removeExpired()
        } catch {
          onFailure(error)
        }
      } close: {
        try await cache.close()
      }
    }

    /// Creates a service of a disk cache; failures to remove expired entries are not reported.
    public init(_ cache: DiskCache) {
      self.init(of: cache, every: .seconds(60)) { _ in }
    }

    /// Creates a service of a disk cache that removes expired entries, O(entries), at an interval
    /// of at least a millisecond, or throws `interval`. `onFailure` receives the error of a failed
    /// removal, in the task of `run`; the next one is tried after `interval`.
    public init(
      _ cache: DiskCache, cleaningEvery interval: Duration,
      onFailure: @escaping @Sendable (DiskCacheError) -> Void = { _ in }
    ) throws(CacheServiceError) {
      self.init(of: cache, every: try Self.checked(interval), onFailure)
    }

    private init(
      of cache: DiskCache, every interval: Duration,
      _ onFailure: @escaping @Sendable (DiskCacheError) -> Void
    ) {
      self.init(every: interval) {
        do throws(DiskCacheError) {
          try await cache.removeExpired()
        } catch {
          onFailure(error)
        }
      } close: {
        try await cache.close()
      }
    }

    /// Creates a service of a memory cache, which has nothing to close.
    public init<Key, Value>(_ cache: MemoryCache<Key, Value>) {
      self.init(every: .seconds(60), clean: { _ = cache.removeExpired() }, close: {})
    }

    /// Creates a service of a memory cache that removes expired entries, O(entries), at an interval
    /// of at least a millisecond, or throws `interval`.
    public init<Key, Value>(
      _ cache: MemoryCache<Key, Value>, cleaningEvery interval: Duration
    ) throws(CacheServiceError) {
      self.init(
        every: try Self.checked(interval), clean: { _ = cache.removeExpired() }, close: {})
    }

    /// Runs until the service shuts down, and throws the error of closing the cache.
    public func run() async throws {
      await cancelWhenGracefulShutdown {
        while (try? await Task.sleep(bounded: interval)) != nil { await clean() }
      }
      try await close()
    }

    // With a shorter one the service would do nothing but clean.
    private static func checked(_ interval: Duration) throws(CacheServiceError) -> Duration {
      guard interval >= .milliseconds(1) else { throw .interval(interval) }
      return interval
    }
  }

  /// Error of creating a service.
  public enum CacheServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The interval between two removals of expired entries is out of range.
    case interval(Duration)

    /// The error in one line of text.
    public var description: String {
      switch self {
      case .interval(let interval):
        "cache service: interval \(interval) is out of range: expected at least a millisecond"
      }
    }
  }
#endif
