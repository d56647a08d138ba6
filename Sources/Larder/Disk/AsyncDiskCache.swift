#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Async interface to a disk cache: each call suspends the task and runs on a thread outside the
/// pool shared by all tasks of the program.
///
/// ```swift
/// let cache = AsyncDiskCache(try DiskCache(path: folder))
/// let data = try await cache.value(for: "avatar/17")
/// ```
///
/// `DiskCache` itself blocks the calling thread during disk operations, which a task must not do
/// for long. Calls for one key run in the order in which they are made; calls for different keys
/// may run at the same time, up to one per core. The underlying cache may also be used directly.
public struct AsyncDiskCache: Sendable {
  /// The underlying cache.
  public let cache: DiskCache
  let lanes: CacheLanes

  /// Creates an async interface to a cache. Starts no thread.
  public init(_ cache: DiskCache) {
    self.cache = cache
    lanes = CacheLanes("larder.disk", count: ProcessInfo.processInfo.activeProcessorCount)
  }

  /// Opens the cache in a folder on a thread outside the pool, because loading its entries takes
  /// time.
  ///
  /// - Throws: The errors of `DiskCache.init(path:configuration:clock:)`.
  public init(
    path: String, configuration: DiskConfiguration = DiskConfiguration(),
    clock: any CacheClock = WallCacheClock()
  ) async throws(DiskCacheError) {
    self.init(
      try await CacheLanes("larder.disk.opening", count: 1).run(0) { () throws(DiskCacheError) in
        try DiskCache(path: path, configuration: configuration, clock: clock)
      })
  }

  /// Returns the entry of a key, or nil if it has no usable one. Counts as an access.
  ///
  /// - Throws: The errors of `DiskCache.entry(for:suite:)`.
  public func entry(
    for key: String, suite: String = ""
  ) async throws(DiskCacheError) -> DiskEntry? {
    try await run(key) { (cache) throws(DiskCacheError) in
      try cache.entry(for: key, suite: suite)
    }
  }

  /// Returns the bytes stored for a key, or nil if it has no usable entry. Counts as an access.
  ///
  /// - Throws: The errors of `DiskCache.value(for:suite:)`.
  public func value(for key: String, suite: String = "") async throws(DiskCacheError) -> Data? {
    try await entry(for: key, suite: suite)?.data
  }

  /// Returns true if a key has an entry that has not expired, as `DiskCache.contains` does.
  ///
  /// - Throws: `closed`.
  public func contains(_ key: String, suite: String = "") async throws(DiskCacheError) -> Bool {
    try await run(key) { (cache) throws(DiskCacheError) in
      try cache.contains(key, suite: suite)
    }
  }

  /// Stores a value as `DiskCache.set` does, and returns true if it is stored afterwards.
  ///
  /// - Throws: The errors of `DiskCache.set`.
  @discardableResult public func set(
    _ data: Data, for key: String, suite: String = "",
    options: DiskStoreOptions = DiskStoreOptions()
  ) async throws(DiskCacheError) -> Bool {
    try await run(key) { (cache) throws(DiskCacheError) in
      try cache.set(data, for: key, suite: suite, options: options)
    }
  }

  /// Removes the entry of a key, permanent or not, and returns true if there was one.
  ///
  /// - Throws: The errors of `DiskCache.remove`.
  @discardableResult public func remove(_ key: String, suite: String = "")
    async throws(DiskCacheError) -> Bool
  {
    try await run(key) { (cache) throws(DiskCacheError) in
      try cache.remove(key, suite: suite)
    }
  }

  /// Runs any other operation on the cache, such as `flush()` or `removeAll()`, in order with the
  /// calls for `key`.
  ///
  /// - Throws: The error of `body`.
  public func run<Result: Sendable>(
    _ key: String = "",
    _ body: @escaping @Sendable (DiskCache) throws(DiskCacheError) -> Result
  ) async throws(DiskCacheError) -> Result {
    let cache = cache
    return try await lanes.run(key.hashValue) { () throws(DiskCacheError) in try body(cache) }
  }
}

/// Operations on several keys: each thread receives its keys in one batch, and all threads work in
/// parallel.
extension AsyncDiskCache {
  /// Returns the keys of a suite whose entries have not expired, as `DiskCache.keys` does.
  ///
  /// - Throws: The errors of `DiskCache.keys`.
  public func keys(suite: String = "") async throws(DiskCacheError) -> [String] {
    try await run { (cache) throws(DiskCacheError) in try cache.keys(suite: suite) }
  }

  /// Returns the values of several keys, without keys that have none. Works like
  /// `DiskCache.values(for:suite:)`, but looks keys up in no particular order.
  ///
  /// - Throws: The errors of `DiskCache.entry(for:suite:)`; values found before the error are
  ///   discarded, but counted.
  public func values(
    for keys: some Sequence<String>, suite: String = ""
  ) async throws(DiskCacheError) -> [String: Data] {
    let cache = cache
    return try await lanes.run(keys, by: \.hashValue) { (keys) throws(DiskCacheError) in
      try cache.values(for: keys, suite: suite)
    }.reduce(into: [:]) { $0.merge($1) { $1 } }
  }

  /// Stores several values as `DiskCache.setAll` does, in order only for values of one key, and
  /// returns the number stored afterwards. Accepts a dictionary.
  ///
  /// - Parameter options: Options of each entry.
  /// - Throws: The first error of `DiskCache.set`; some of the other values are stored.
  @discardableResult public func setAll(
    _ values: some Sequence<(key: String, value: Data)>, suite: String = "",
    options: DiskStoreOptions = DiskStoreOptions()
  ) async throws(DiskCacheError) -> Int {
    let cache = cache
    return try await lanes.run(values, by: \.key.hashValue) { (values) throws(DiskCacheError) in
      try cache.setAll(values, suite: suite, options: options)
    }.reduce(0, +)
  }
}

/// Async interface to the values of one type in one suite of a disk cache: each call suspends the
/// task and runs, including encoding and decoding, on a thread outside the pool shared by all tasks
/// of the program.
///
/// ```swift
/// let articles = AsyncDiskSuite(cache, name: "articles", codec: .json, of: Article.self)
/// try await articles.set(article, for: article.id)
/// ```
public struct AsyncDiskSuite<Value: Sendable>: Sendable {
  /// The cache.
  public let cache: AsyncDiskCache
  /// The suite, for blocking calls.
  public let suite: DiskSuite<Value>

  /// Creates a view of the suite `name`.
  public init(
    _ cache: AsyncDiskCache, name: String, codec: DiskCodec<Value>, of type: Value.Type = Value.self
  ) {
    self.cache = cache
    suite = DiskSuite(cache.cache, name: name, codec: codec)
  }

  /// Returns the value of a key with its metadata, as `DiskSuite.entry(for:)` does.
  ///
  /// - Throws: The errors of `DiskSuite.entry(for:)`.
  public func entry(
    for key: String
  ) async throws(DiskCacheError) -> (value: Value, metadata: DiskMetadata)? {
    try await run(key) { (suite) throws(DiskCacheError) in try suite.entry(for: key) }
  }

  /// Returns the value of a key, or nil.
  ///
  /// - Throws: The errors of `entry(for:)`.
  public func value(for key: String) async throws(DiskCacheError) -> Value? {
    try await entry(for: key)?.value
  }

  /// Returns true if a key has an entry that has not expired.
  ///
  /// - Throws: `closed`.
  public func contains(_ key: String) async throws(DiskCacheError) -> Bool {
    try await run(key) { (suite) throws(DiskCacheError) in try suite.contains(key) }
  }

  /// Stores a value as `DiskSuite.set` does, and returns true if it is stored afterwards.
  ///
  /// - Throws: The errors of `DiskSuite.set`.
  @discardableResult public func set(
    _ value: Value, for key: String, options: DiskStoreOptions = DiskStoreOptions()
  ) async throws(DiskCacheError) -> Bool {
    try await run(key) { (suite) throws(DiskCacheError) in
      try suite.set(value, for: key, options: options)
    }
  }

  /// Removes the entry of a key, and returns true if there was one.
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult public func remove(_ key: String) async throws(DiskCacheError) -> Bool {
    try await run(key) { (suite) throws(DiskCacheError) in try suite.remove(key) }
  }

  /// Runs any other operation on the suite, such as `keys()` or `removeAll()`, in order with the
  /// calls for `key`.
  ///
  /// - Throws: The error of `body`.
  public func run<Result: Sendable>(
    _ key: String = "",
    _ body: @escaping @Sendable (DiskSuite<Value>) throws(DiskCacheError) -> Result
  ) async throws(DiskCacheError) -> Result {
    let suite = suite
    return try await cache.run(key) { (_) throws(DiskCacheError) in try body(suite) }
  }
}
