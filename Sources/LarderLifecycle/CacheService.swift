#if Lifecycle
  public import Larder
  public import ServiceLifecycle

  /// Keeps a cache in order while a service runs, and closes it at the end: for a `ServiceGroup` of
  /// swift-service-lifecycle.
  ///
  /// Expired entries are removed at each interval. On graceful shutdown and on cancellation, what
  /// was acknowledged is written and the folder is released. Calls that wait for the disk do so
  /// outside of the pool of threads that tasks share.
  ///
  /// ```swift
  /// let group = ServiceGroup(services: [CacheService(cache), server], logger: logger)
  /// ```
  public struct CacheService: Service {
    private let interval: Duration
    private let clean: @Sendable () async throws -> Void
    private let close: @Sendable () async throws -> Void

    /// A service of a hybrid cache.
    ///
    /// - Parameter interval: Time between two removals of what has expired.
    public init<Key, Value>(
      _ cache: HybridCache<Key, Value>, cleaningEvery interval: Duration = .seconds(60)
    ) {
      self.interval = interval
      let cache = AsyncHybridCache(cache)
      clean = {
        _ = try await cache.run { (cache) throws(HybridCacheError) in try cache.removeExpired() }
      }
      close = { try await cache.run { (cache) throws(HybridCacheError) in try cache.close() } }
    }

    /// A service of a disk cache.
    public init(_ cache: DiskCache, cleaningEvery interval: Duration = .seconds(60)) {
      self.interval = interval
      let cache = AsyncDiskCache(cache)
      clean = {
        _ = try await cache.run { (cache) throws(DiskCacheError) in try cache.removeExpired() }
      }
      close = { try await cache.run { (cache) throws(DiskCacheError) in try cache.close() } }
    }

    /// A service of a memory cache, which has nothing to close.
    public init<Key, Value>(
      _ cache: MemoryCache<Key, Value>, cleaningEvery interval: Duration = .seconds(60)
    ) {
      self.interval = interval
      clean = { _ = cache.removeExpired() }
      close = {}
    }

    /// Runs until the service shuts down.
    ///
    /// - Throws: What closing the cache throws. A removal of expired entries that fails is tried
    ///   again at the next interval.
    public func run() async throws {
      await cancelWhenGracefulShutdown {
        while (try? await Task.sleep(for: interval)) != nil { try? await clean() }
      }
      try await close()
    }
  }
#endif
