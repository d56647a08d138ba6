#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Async interface to a disk cache: each call suspends the task and runs on a thread outside the
/// pool shared by all tasks of the program.
///
/// ```swift
/// let cache = try await AsyncDiskCache(name: "avatars")
/// let data = try await cache.value(for: "avatar/17")
/// let count = await cache.count
/// ```
///
/// It has every call of `DiskCache` with the same arguments, and its properties, also with `await`.
/// `DiskCache` itself blocks the calling thread during disk operations, which a task must not do
/// for long. Calls for one key run in the order in which they are made; calls for different keys
/// may run at the same time, up to one per core. The underlying cache may also be used directly.
@dynamicMemberLookup public struct AsyncDiskCache: Sendable {
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
    path: some CacheLocation, configuration: DiskConfiguration = DiskConfiguration(),
    clock: any CacheClock = WallCacheClock()
  ) async throws(DiskCacheError) {
    self.init(
      try await CacheLanes("larder.disk.opening", count: 1).run(0) { () throws(DiskCacheError) in
        try DiskCache(path: path, configuration: configuration, clock: clock)
      })
  }

  /// Opens the cache in a folder of this name in the system's folder for caches, on a thread
  /// outside the pool.
  ///
  /// - Throws: The errors of `DiskCache.init(name:configuration:clock:)`.
  public init(
    name: String, configuration: DiskConfiguration = DiskConfiguration(),
    clock: any CacheClock = WallCacheClock()
  ) async throws(DiskCacheError) {
    try await self.init(
      path: try CachesFolder.path(name: name), configuration: configuration, clock: clock)
  }

  /// A property of the cache, such as `statistics` or `count`. It is read on a thread outside the
  /// pool, because it may have to wait for a disk operation of another call.
  public subscript<Member: Sendable>(
    dynamicMember member: KeyPath<DiskCache, Member> & Sendable
  ) -> Member {
    get async {
      let cache = cache
      return await lanes.run(0) { cache[keyPath: member] }
    }
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

  /// Runs several operations on the cache without a suspension between them, in order with the
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
  /// - Parameters:
  ///   - values: Keys and values.
  ///   - suite: The suite of all of them.
  ///   - options: Options of each entry.
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

/// Calls that concern the whole cache.
extension AsyncDiskCache {
  /// Returns the entry of a key, expired or not, as `DiskCache.entry(for:suite:acceptingExpired:)`
  /// does.
  ///
  /// - Throws: `database` or `closed`.
  public func entry(
    for key: String, suite: String = "", acceptingExpired: Bool
  ) async throws(DiskCacheError) -> DiskEntry? {
    try await run(key) { (cache) throws(DiskCacheError) in
      try cache.entry(for: key, suite: suite, acceptingExpired: acceptingExpired)
    }
  }

  /// Gives the entry of a key a new lifetime, as `DiskCache.renew` does.
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult public func renew(
    _ key: String, suite: String = "", timeToLive: Duration? = nil, version: String? = nil
  ) async throws(DiskCacheError) -> Bool {
    try await run(key) { (cache) throws(DiskCacheError) in
      try cache.renew(key, suite: suite, timeToLive: timeToLive, version: version)
    }
  }

  /// Removes all entries, or all of one suite, as `DiskCache.removeAll` does.
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult public func removeAll(
    suite: String? = nil, includingPermanent: Bool = false
  ) async throws(DiskCacheError) -> DiskFreed {
    try await run { (cache) throws(DiskCacheError) in
      try cache.removeAll(suite: suite, includingPermanent: includingPermanent)
    }
  }

  /// Removes the entries for which `matches` returns true, as `DiskCache.remove(where:)` does.
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult public func remove(
    where matches: @escaping @Sendable (DiskEntryInfo) -> Bool
  ) async throws(DiskCacheError) -> DiskFreed {
    try await run { (cache) throws(DiskCacheError) in try cache.remove(where: matches) }
  }

  /// Returns the entries of all suites or of one, without their values, to be read in batches.
  public func entries(suite: String? = nil) -> AsyncDiskEntries {
    AsyncDiskEntries(cache: self, entries: cache.entries(suite: suite))
  }

  /// Removes a suite with all of its entries, as `DiskCache.removeSuite` does.
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult public func removeSuite(
    _ name: String
  ) async throws(DiskCacheError) -> DiskFreed {
    try await run { (cache) throws(DiskCacheError) in try cache.removeSuite(name) }
  }

  /// Removes all expired entries, or those of one suite.
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult public func removeExpired(
    suite: String? = nil
  ) async throws(DiskCacheError) -> DiskFreed {
    try await run { (cache) throws(DiskCacheError) in try cache.removeExpired(suite: suite) }
  }

  /// Evicts entries until at most `bytes` are left, as `DiskCache.trim(toBytes:)` does.
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult public func trim(
    toBytes bytes: UInt64
  ) async throws(DiskCacheError) -> DiskFreed {
    try await run { (cache) throws(DiskCacheError) in try cache.trim(toBytes: bytes) }
  }

  /// Evicts entries until at most `count` are left, as `DiskCache.trim(toCount:)` does.
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult public func trim(
    toCount count: Int
  ) async throws(DiskCacheError) -> DiskFreed {
    try await run { (cache) throws(DiskCacheError) in try cache.trim(toCount: count) }
  }

  /// Removes entries that are `age` old or older, as `DiskCache.trim(toAge:suite:)` does.
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult public func trim(
    toAge age: Duration, suite: String? = nil
  ) async throws(DiskCacheError) -> DiskFreed {
    try await run { (cache) throws(DiskCacheError) in try cache.trim(toAge: age, suite: suite) }
  }

  /// Changes the limits, as `DiskCache.setLimits` does.
  ///
  /// - Throws: The errors of `DiskCache.setLimits`.
  @discardableResult public func setLimits(
    _ limits: DiskLimits
  ) async throws(DiskCacheError) -> DiskFreed {
    try await run { (cache) throws(DiskCacheError) in try cache.setLimits(limits) }
  }

  /// Returns the usage of each suite, as `DiskCache.suites` does.
  ///
  /// - Throws: `closed`.
  public func suites() async throws(DiskCacheError) -> [DiskSuiteUsage] {
    try await run { (cache) throws(DiskCacheError) in try cache.suites() }
  }

  /// Commits everything that was acknowledged, and the order of last use.
  ///
  /// - Throws: `database` or `closed`.
  public func flush() async throws(DiskCacheError) {
    try await run { (cache) throws(DiskCacheError) in try cache.flush() }
  }

  /// Flushes and releases the folder until `resume`, as `DiskCache.suspend` does.
  ///
  /// - Throws: `database`; the cache is suspended nevertheless. `closed`.
  public func suspend() async throws(DiskCacheError) {
    try await run { (cache) throws(DiskCacheError) in try cache.suspend() }
  }

  /// Opens the folder again, as `DiskCache.resume` does.
  ///
  /// - Throws: The errors of `DiskCache.resume`.
  public func resume() async throws(DiskCacheError) {
    try await run { (cache) throws(DiskCacheError) in try cache.resume() }
  }

  /// Flushes and releases the folder, as `DiskCache.close` does.
  ///
  /// - Throws: `database`; the cache is closed nevertheless.
  public func close() async throws(DiskCacheError) {
    try await run { (cache) throws(DiskCacheError) in try cache.close() }
  }

  /// Closes the cache and removes its files, as `DiskCache.destroy` does.
  ///
  /// - Throws: `files` or `inUse`; the cache is closed nevertheless.
  public func destroy() async throws(DiskCacheError) {
    try await run { (cache) throws(DiskCacheError) in try cache.destroy() }
  }

  /// Returns a stream of all events from now on, as `DiskCache.eventStream` does.
  public func eventStream(buffered: Int = 1024) -> AsyncStream<CacheEvent<DiskEntryName>> {
    cache.eventStream(buffered: buffered)
  }

  /// Calls `handler` for every event from now on, as `DiskCache.onEvent` does.
  public func onEvent(
    _ handler: @escaping @Sendable (CacheEvent<DiskEntryName>) -> Void
  ) -> CacheEventToken {
    cache.onEvent(handler)
  }

  /// Records every get, set and removal from now on, as `DiskCache.record` does.
  ///
  /// - Throws: `RecordingError`.
  @discardableResult public func record(
    to path: String, sampling: Double = 1, keys: RecordedKeys = .keyed
  ) async throws(RecordingError) -> CacheRecording {
    let cache = cache
    return try await lanes.run(0) { () throws(RecordingError) in
      try cache.record(to: path, sampling: sampling, keys: keys)
    }
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
///
/// It has every call of `DiskSuite` with the same arguments.
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

  /// Removes all entries of the suite, as `DiskSuite.removeAll` does.
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult public func removeAll(
    includingPermanent: Bool = false
  ) async throws(DiskCacheError) -> DiskFreed {
    try await run { (suite) throws(DiskCacheError) in
      try suite.removeAll(includingPermanent: includingPermanent)
    }
  }

  /// Removes the entries of the suite for which `matches` returns true, as
  /// `DiskSuite.remove(where:)` does.
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult public func remove(
    where matches: @escaping @Sendable (DiskEntryInfo) -> Bool
  ) async throws(DiskCacheError) -> DiskFreed {
    try await run { (suite) throws(DiskCacheError) in try suite.remove(where: matches) }
  }

  /// Returns the entries of the suite, without their values, to be read in batches.
  public func entries() -> AsyncDiskEntries { cache.entries(suite: suite.name) }

  /// Returns the keys whose entries have not expired, unordered.
  ///
  /// - Throws: `database` or `closed`.
  public func keys() async throws(DiskCacheError) -> [String] {
    try await run { (suite) throws(DiskCacheError) in try suite.keys() }
  }

  /// Returns the values of several keys, without keys that have none, each thread its part of them.
  ///
  /// - Throws: The errors of `DiskSuite.entry(for:)`; values found before the error are discarded,
  ///   but counted.
  public func values(
    for keys: some Sequence<String>
  ) async throws(DiskCacheError) -> [String: Value] {
    let suite = suite
    return try await cache.lanes.run(keys, by: \.hashValue) { (keys) throws(DiskCacheError) in
      try suite.values(for: keys)
    }.reduce(into: [:]) { $0.merge($1) { $1 } }
  }

  /// Runs several operations on the suite without a suspension between them, in order with the
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
