/// The values of one type in one suite of a disk cache, for tasks: each call suspends the task
/// until it is done, on a thread outside of the pool that all tasks of the program share. Values
/// are encoded and decoded there, too.
///
/// ```swift
/// let articles = AsyncDiskSuite(cache, name: "articles", codec: .json, of: Article.self)
/// try await articles.set(article, for: article.id)
/// ```
public struct AsyncDiskSuite<Value: Sendable>: Sendable {
  /// The cache.
  public let cache: AsyncDiskCache
  /// The suite, for calls that may block.
  public let suite: DiskSuite<Value>

  /// A view of the suite `name`.
  public init(
    _ cache: AsyncDiskCache, name: String, codec: DiskCodec<Value>, of type: Value.Type = Value.self
  ) {
    self.cache = cache
    suite = DiskSuite(cache.cache, name: name, codec: codec)
  }

  /// The value of a key with what is known of it, as `DiskSuite.entry(for:)`.
  ///
  /// - Throws: as `DiskSuite.entry(for:)`.
  public func entry(
    for key: String
  ) async throws(DiskCacheError) -> (value: Value, metadata: DiskMetadata)? {
    try await run(key) { (suite) throws(DiskCacheError) in try suite.entry(for: key) }
  }

  /// The value of a key, or nil.
  ///
  /// - Throws: as `entry(for:)`.
  public func value(for key: String) async throws(DiskCacheError) -> Value? {
    try await entry(for: key)?.value
  }

  /// Whether there is an entry that has not expired.
  ///
  /// - Throws: `closed`.
  public func contains(_ key: String) async throws(DiskCacheError) -> Bool {
    try await run(key) { (suite) throws(DiskCacheError) in try suite.contains(key) }
  }

  /// Stores a value as `DiskSuite.set` does, and says whether it is there afterwards.
  ///
  /// - Throws: as `DiskSuite.set`.
  @discardableResult
  public func set(
    _ value: Value, for key: String, options: DiskStoreOptions = DiskStoreOptions()
  ) async throws(DiskCacheError) -> Bool {
    try await run(key) { (suite) throws(DiskCacheError) in
      try suite.set(value, for: key, options: options)
    }
  }

  /// Removes the entry of a key, and says whether there was one.
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult
  public func remove(_ key: String) async throws(DiskCacheError) -> Bool {
    try await run(key) { (suite) throws(DiskCacheError) in try suite.remove(key) }
  }

  /// Does anything else with the suite, such as `keys()` or `removeAll()`, in order with the calls
  /// for `key`.
  ///
  /// - Throws: what `body` throws.
  public func run<Result: Sendable>(
    _ key: String = "",
    _ body: @escaping @Sendable (DiskSuite<Value>) throws(DiskCacheError) -> Result
  ) async throws(DiskCacheError) -> Result {
    let suite = suite
    return try await cache.run(key) { (_) throws(DiskCacheError) in try body(suite) }
  }
}
