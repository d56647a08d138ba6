#if Lifecycle
  public import Larder
  public import ServiceLifecycle

  /// Removes expired entries of a cache while a service runs, and closes the cache at the end: for
  /// a `ServiceGroup` of swift-service-lifecycle.
  ///
  /// Expired entries are removed at each interval, by default every minute. On graceful shutdown
  /// and on cancellation, acknowledged values are written and the folder is released. Calls that
  /// wait for the disk run outside the pool of threads that tasks share.
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

    /// Creates a service of a hybrid cache, which removes expired entries every minute. Failures to
    /// remove them are not reported.
    public init<Key, Value>(_ cache: HybridCache<Key, Value>) {
      self.init(of: cache, every: .seconds(60)) { _ in }
    }

    /// Creates a service of a hybrid cache.
    ///
    /// - Parameters:
    ///   - interval: Time between two removals of expired entries, each O(entries); at least a
    ///     millisecond.
    ///   - onFailure: Called with the error of a removal that failed, in the task of `run`. The
    ///     next removal is tried after `interval`.
    /// - Throws: `interval`, if it is out of range.
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

    /// Creates a service of a disk cache, which removes expired entries every minute. Failures to
    /// remove them are not reported.
    public init(_ cache: DiskCache) {
      self.init(of: cache, every: .seconds(60)) { _ in }
    }

    /// Creates a service of a disk cache.
    ///
    /// - Parameters:
    ///   - interval: Time between two removals of expired entries, each O(entries); at least a
    ///     millisecond.
    ///   - onFailure: Called with the error of a removal that failed, in the task of `run`. The
    ///     next removal is tried after `interval`.
    /// - Throws: `interval`, if it is out of range.
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

    /// Creates a service of a memory cache, which removes expired entries every minute and has
    /// nothing to close.
    public init<Key, Value>(_ cache: MemoryCache<Key, Value>) {
      self.init(every: .seconds(60), clean: { _ = cache.removeExpired() }, close: {})
    }

    /// Creates a service of a memory cache, which has nothing to close.
    ///
    /// - Parameter interval: Time between two removals of expired entries, each O(entries); at
    ///   least a millisecond.
    /// - Throws: `interval`, if it is out of range.
    public init<Key, Value>(
      _ cache: MemoryCache<Key, Value>, cleaningEvery interval: Duration
    ) throws(CacheServiceError) {
      self.init(
        every: try Self.checked(interval), clean: { _ = cache.removeExpired() }, close: {})
    }

    /// Runs until the service shuts down.
    ///
    /// - Throws: The error of closing the cache. A removal of expired entries that fails is tried
    ///   again after the next interval.
    public func run() async throws {
      await cancelWhenGracefulShutdown {
        while (try? await Task.sleep(bounded: interval)) != nil { await clean() }
      }
      try await close()
    }

    /// Checks an interval: with a shorter one the service would do nothing but clean.
    private static func checked(_ interval: Duration) throws(CacheServiceError) -> Duration {
      guard interval >= .milliseconds(1) else {
        throw .interval(interval)
      }
      return interval
    }
  }
#endif

#if Lifecycle
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
