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
  @discardableResult public func set(
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
  @discardableResult public func remove(_ key: String, suite: String = "")
    async throws(DiskCacheError) -> Bool
  {
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

/// More than one key at a time: each thread gets those of its keys together, and all threads work
/// at the same time.
extension AsyncDiskCache {
  /// The keys of a suite that have an entry which has not expired, as `DiskCache.keys`.
  ///
  /// - Throws: as `DiskCache.keys`.
  public func keys(suite: String = "") async throws(DiskCacheError) -> [String] {
    try await run { (cache) throws(DiskCacheError) in try cache.keys(suite: suite) }
  }

  /// The values of several keys; keys without one are left out. As `DiskCache.values(for:suite:)`,
  /// but in no order of keys.
  ///
  /// - Throws: as `DiskCache.entry(for:suite:)`; what was found until then is lost, and counted.
  public func values(
    for keys: some Sequence<String>, suite: String = ""
  ) async throws(DiskCacheError) -> [String: Data] {
    var values: [String: Data] = [:]
    let parts = lanes.parts(of: keys, by: \.hashValue).map { (key: $0[0], part: $0) }
    for part in try await runAll(
      parts,
      { (cache, keys) throws(DiskCacheError) in
        try cache.values(for: keys, suite: suite)
      })
    {
      values.merge(part) { $1 }
    }
    return values
  }

  /// Stores several values as `DiskCache.setAll` does, but only values of one key in order, and
  /// returns how many are there afterwards. A dictionary is such a sequence.
  ///
  /// - Parameter options: Those of each entry.
  /// - Throws: what `DiskCache.set` throws first; some of the others are stored.
  @discardableResult public func setAll(
    _ values: some Sequence<(key: String, value: Data)>, suite: String = "",
    options: DiskStoreOptions = DiskStoreOptions()
  ) async throws(DiskCacheError) -> Int {
    let parts = lanes.parts(of: values, by: \.key.hashValue).map { (key: $0[0].key, part: $0) }
    return try await runAll(parts) { (cache, values) throws(DiskCacheError) in
      try cache.setAll(values, suite: suite, options: options)
    }.reduce(0, +)
  }

  /// Calls `body` for each part, on the thread of its key, all at the same time, and waits for all.
  ///
  /// - Throws: what the first of the parts throws that does.
  private func runAll<Part: Sendable, Result: Sendable>(
    _ parts: [(key: String, part: Part)],
    _ body: @escaping @Sendable (DiskCache, Part) throws(DiskCacheError) -> Result
  ) async throws(DiskCacheError) -> [Result] {
    typealias Answer = Swift.Result<Result, DiskCacheError>
    let answers = await withTaskGroup(of: (Int, Answer).self) { group in
      for (place, (key, part)) in parts.enumerated() {
        group.addTask {
          do throws(DiskCacheError) {
            let result = try await run(key) { (cache) throws(DiskCacheError) in
              try body(cache, part)
            }
            return (place, .success(result))
          } catch {
            return (place, .failure(error))
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    var results: [Result] = []
    for (_, answer) in answers.sorted(by: { $0.0 < $1.0 }) { results.append(try answer.get()) }
    return results
  }
}

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
  @discardableResult public func set(
    _ value: Value, for key: String, options: DiskStoreOptions = DiskStoreOptions()
  ) async throws(DiskCacheError) -> Bool {
    try await run(key) { (suite) throws(DiskCacheError) in
      try suite.set(value, for: key, options: options)
    }
  }

  /// Removes the entry of a key, and says whether there was one.
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult public func remove(_ key: String) async throws(DiskCacheError) -> Bool {
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
