#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A disk cache for tasks: each call suspends the task until it is done, on a thread outside of the
/// pool that all tasks of the program share.
///
/// ```swift
/// let cache = AsyncDiskCache(try DiskCache(path: folder))
/// let data = try await cache.value(for: "avatar/17")
/// ```
///
/// `DiskCache` itself blocks the calling thread during disk operations, which a task must not do
/// for long. Calls for one key are carried out in the order in which they are made; calls for
/// different keys may run at the same time, up to one per core. The cache may also be used
/// directly.
public struct AsyncDiskCache: Sendable {
  /// The cache.
  public let cache: DiskCache
  let lanes: CacheLanes

  /// Calls to a cache. Making one starts no thread.
  public init(_ cache: DiskCache) {
    self.cache = cache
    lanes = CacheLanes("larder.disk", count: ProcessInfo.processInfo.activeProcessorCount)
  }

  /// Opens the cache in a folder on a thread outside of the pool: reading the entries that are
  /// there takes time.
  ///
  /// - Throws: as `DiskCache.init(path:configuration:clock:)`.
  public init(
    path: String, configuration: DiskConfiguration = DiskConfiguration(),
    clock: any CacheClock = WallCacheClock()
  ) async throws(DiskCacheError) {
    let opened = await CacheLanes("larder.disk.opening", count: 1).run(0) {
      Result { () throws(DiskCacheError) in
        try DiskCache(path: path, configuration: configuration, clock: clock)
      }
    }
    self.init(try opened.get())
  }

  /// The entry of a key, or nil when there is none that can be used. A reference to it.
  ///
  /// - Throws: as `DiskCache.entry(for:suite:)`.
  public func entry(
    for key: String, suite: String = ""
  ) async throws(DiskCacheError) -> DiskEntry? {
    try await run(key) { (cache) throws(DiskCacheError) in
      try cache.entry(for: key, suite: suite)
    }
  }

  /// The bytes stored under a key, or nil when there are none that can be used. A reference.
  ///
  /// - Throws: as `DiskCache.value(for:suite:)`.
  public func value(for key: String, suite: String = "") async throws(DiskCacheError) -> Data? {
    try await entry(for: key, suite: suite)?.data
  }

  /// Whether there is an entry that has not expired, as `DiskCache.contains`.
  ///
  /// - Throws: `closed`.
  public func contains(_ key: String, suite: String = "") async throws(DiskCacheError) -> Bool {
    try await run(key) { (cache) throws(DiskCacheError) in
      try cache.contains(key, suite: suite)
    }
  }

  /// Stores a value as `DiskCache.set` does, and says whether it is there afterwards.
  ///
  /// - Throws: as `DiskCache.set`.
  @discardableResult
  public func set(
    _ data: Data, for key: String, suite: String = "",
    options: DiskStoreOptions = DiskStoreOptions()
  ) async throws(DiskCacheError) -> Bool {
    try await run(key) { (cache) throws(DiskCacheError) in
      try cache.set(data, for: key, suite: suite, options: options)
    }
  }

  /// Removes the entry of a key, permanent or not, and says whether there was one.
  ///
  /// - Throws: as `DiskCache.remove`.
  @discardableResult
  public func remove(_ key: String, suite: String = "") async throws(DiskCacheError) -> Bool {
    try await run(key) { (cache) throws(DiskCacheError) in
      try cache.remove(key, suite: suite)
    }
  }

  /// Does anything else with the cache, such as `flush()` or `removeAll()`, in order with the calls
  /// for `key`.
  ///
  /// - Throws: what `body` throws.
  public func run<Result: Sendable>(
    _ key: String = "",
    _ body: @escaping @Sendable (DiskCache) throws(DiskCacheError) -> Result
  ) async throws(DiskCacheError) -> Result {
    let cache = cache
    let answer = await lanes.run(key.hashValue) {
      Swift.Result { () throws(DiskCacheError) in try body(cache) }
    }
    return try answer.get()
  }
}
