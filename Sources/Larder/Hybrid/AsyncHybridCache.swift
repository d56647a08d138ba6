/// Async interface to a hybrid cache: calls that may wait for the disk suspend the task and run on
/// a thread outside the pool shared by all tasks of the program.
///
/// ```swift
/// let tasks = AsyncHybridCache(cache)
/// try await tasks.set(article, for: id)
/// let article = try await tasks.value(for: id)
/// ```
///
/// `HybridCache.value(for:load:)`, `result`, `updates` and `prewarm` are async already; these are
/// the calls without an origin, which on `HybridCache` block the calling thread. A hit in memory
/// does not suspend. Calls for one key run in the order in which they are made.
public struct AsyncHybridCache<Key: DiskKeyRepresentable, Value: Sendable>: Sendable {
  /// The underlying cache.
  public let cache: HybridCache<Key, Value>

  /// Creates an async interface to a cache. Starts no thread.
  public init(_ cache: HybridCache<Key, Value>) { self.cache = cache }

  /// Opens a cache in a folder on a thread outside the pool, because loading its entries takes
  /// time.
  ///
  /// - Throws: The errors of `HybridCache.init(path:configuration:codec:)`.
  public init(
    path: String? = nil, configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    codec: DiskCodec<Value>
  ) async throws(HybridCacheError) {
    self.init(
      try await CacheLanes("larder.hybrid.opening", count: 1).run(0) {
        () throws(HybridCacheError) in
        try HybridCache<Key, Value>(path: path, configuration: configuration, codec: codec)
      })
  }

  /// Returns the value of a key with its metadata, as `HybridCache.entry(for:)` does.
  ///
  /// - Throws: The errors of `HybridCache.entry(for:)`.
  public func entry(for key: Key) async throws(HybridCacheError) -> CacheHit<Value>? {
    if let held = cache.front?._withUnsafeGuaranteedRef({ $0.value(for: key) }) {
      return try cache.hit(held, key)
    }
    return try await run(key) { (cache) throws(HybridCacheError) in
      try Self.entry(for: key, behindFrontOf: cache)
    }
  }

  /// The blocking part of a get: all of it if hits in memory take the lock as well.
  static func entry(
    for key: Key, behindFrontOf cache: HybridCache<Key, Value>
  ) throws(HybridCacheError) -> CacheHit<Value>? {
    if cache.front == nil { return try cache.getUnderLock(key) }
    return try cache.getBelowMemory(key)
  }

  /// Returns the value of a key, or nil: `entry(for:)` without the metadata.
  ///
  /// - Throws: The errors of `entry(for:)`.
  public func value(for key: Key) async throws(HybridCacheError) -> Value? {
    try await entry(for: key)?.value
  }

  /// Returns true if `entry(for:)` would be a hit, as `HybridCache.contains` does.
  ///
  /// - Throws: The errors of `HybridCache.contains`.
  public func contains(_ key: Key) async throws(HybridCacheError) -> Bool {
    if cache.memory?.contains(key) ?? false { return true }
    return try await run(key) { (cache) throws(HybridCacheError) in try cache.contains(key) }
  }

  /// Stores a value as `HybridCache.set` does, and returns true if a tier has it afterwards.
  /// Encoding runs outside the pool, too.
  ///
  /// - Throws: The errors of `HybridCache.set`.
  @discardableResult public func set(
    _ value: Value, for key: Key, options: DiskStoreOptions = DiskStoreOptions()
  ) async throws(HybridCacheError) -> Bool {
    try await run(key) { (cache) throws(HybridCacheError) in
      try cache.set(value, for: key, options: options)
    }
  }

  /// Removes the entry of a key, permanent or not, and returns true if there was one.
  ///
  /// - Throws: The errors of `HybridCache.remove`.
  @discardableResult public func remove(_ key: Key) async throws(HybridCacheError) -> Bool {
    try await run(key) { (cache) throws(HybridCacheError) in try cache.remove(key) }
  }

  /// Runs any other operation on the cache, such as `flush()`, `removeAll()` or `close()`; with a
  /// key, in order with the calls for it.
  ///
  /// - Throws: The error of `body`.
  public func run<Result: Sendable>(
    _ key: Key? = nil,
    _ body: @escaping @Sendable (HybridCache<Key, Value>) throws(HybridCacheError) -> Result
  ) async throws(HybridCacheError) -> Result {
    let cache = cache
    return try await cache.lanes.run(key.map(cache.stripes.number) ?? 0) {
      () throws(HybridCacheError) in
      try body(cache)
    }
  }
}

/// Operations on several keys: each thread receives its keys in one batch.
extension AsyncHybridCache {
  /// Returns the values of several keys from the tiers, without keys that have none. Works like
  /// `HybridCache.values(for:)`, but looks keys up in no particular order. Values in memory do not
  /// suspend.
  ///
  /// - Throws: The errors of `entry(for:)`; values found before the error are discarded, but
  ///   counted.
  public func values(
    for keys: some Sequence<Key>
  ) async throws(HybridCacheError) -> [Key: Value] {
    var values: [Key: Value] = [:]
    var others: [Key] = []
    for key in keys {
      if let held = cache.front?._withUnsafeGuaranteedRef({ $0.value(for: key) }) {
        values[key] = try cache.hit(held, key)?.value
      } else {
        others.append(key)
      }
    }
    return try await cache.lanes.run(others, by: cache.stripes.number) {
      [cache] (keys) throws(HybridCacheError) in
      var part: [Key: Value] = [:]
      for key in keys { part[key] = try Self.entry(for: key, behindFrontOf: cache)?.value }
      return part
    }.reduce(into: values) { $0.merge($1) { $1 } }
  }

  /// Stores several values as `HybridCache.setAll` does, in order only for values of one key, and
  /// returns the number that a tier has afterwards. Accepts a dictionary.
  ///
  /// - Parameter options: Options of each entry.
  /// - Throws: The first error of `HybridCache.set`; some of the other values are stored.
  @discardableResult public func setAll(
    _ values: some Sequence<(key: Key, value: Value)>,
    options: DiskStoreOptions = DiskStoreOptions()
  ) async throws(HybridCacheError) -> Int {
    try await cache.lanes.run(values, by: { cache.stripes.number($0.key) }) {
      [cache] (values) throws(HybridCacheError) in
      try cache.setAll(values, options: options)
    }.reduce(0, +)
  }
}
