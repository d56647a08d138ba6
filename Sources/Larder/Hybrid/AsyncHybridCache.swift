/// A hybrid cache for tasks: calls that may wait for the disk suspend the task until they are done,
/// on a thread outside of the pool that all tasks of the program share.
///
/// ```swift
/// let tasks = AsyncHybridCache(cache)
/// try await tasks.set(article, for: id)
/// let article = try await tasks.value(for: id)
/// ```
///
/// `HybridCache.value(for:load:)`, `result`, `updates` and `prewarm` do so themselves; these are
/// the calls without an origin, which on `HybridCache` block the calling thread. A hit in memory
/// does not suspend. Calls for one key are carried out in the order in which they are made.
public struct AsyncHybridCache<Key: DiskKeyRepresentable, Value: Sendable>: Sendable {
  /// The cache.
  public let cache: HybridCache<Key, Value>

  /// Calls to a cache. Making one starts no thread.
  public init(_ cache: HybridCache<Key, Value>) { self.cache = cache }

  /// Opens a cache in a folder on a thread outside of the pool: reading the entries that are there
  /// takes time.
  ///
  /// - Throws: as `HybridCache.init(path:configuration:codec:)`.
  public init(
    path: String? = nil, configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    codec: DiskCodec<Value>
  ) async throws(HybridCacheError) {
    let opened = await CacheLanes("larder.hybrid.opening", count: 1).run(0) {
      Result { () throws(HybridCacheError) in
        try HybridCache<Key, Value>(path: path, configuration: configuration, codec: codec)
      }
    }
    self.init(try opened.get())
  }

  /// The value of a key with its metadata, as `HybridCache.entry(for:)`.
  ///
  /// - Throws: as `HybridCache.entry(for:)`.
  public func entry(for key: Key) async throws(HybridCacheError) -> CacheHit<Value>? {
    if let held = cache.front?._withUnsafeGuaranteedRef({ $0.value(for: key) }) {
      return try cache.hit(held, key)
    }
    return try await run(key) { (cache) throws(HybridCacheError) in
      try Self.entry(for: key, behindFrontOf: cache)
    }
  }

  /// What a get does that may wait: all of it where hits in memory take the lock as well.
  static func entry(
    for key: Key, behindFrontOf cache: HybridCache<Key, Value>
  ) throws(HybridCacheError) -> CacheHit<Value>? {
    if cache.front == nil { return try cache.getUnderLock(key) }
    return try cache.getBelowMemory(key)
  }

  /// The value of a key, or nil: `entry(for:)` without the metadata.
  ///
  /// - Throws: as `entry(for:)`.
  public func value(for key: Key) async throws(HybridCacheError) -> Value? {
    try await entry(for: key)?.value
  }

  /// Whether `entry(for:)` would be a hit, as `HybridCache.contains`.
  ///
  /// - Throws: as `HybridCache.contains`.
  public func contains(_ key: Key) async throws(HybridCacheError) -> Bool {
    if cache.memory?.contains(key) ?? false { return true }
    return try await run(key) { (cache) throws(HybridCacheError) in try cache.contains(key) }
  }

  /// Stores a value as `HybridCache.set` does, and says whether a tier has it afterwards. It is
  /// encoded outside of the pool, too.
  ///
  /// - Throws: as `HybridCache.set`.
  @discardableResult public func set(
    _ value: Value, for key: Key, options: DiskStoreOptions = DiskStoreOptions()
  ) async throws(HybridCacheError) -> Bool {
    try await run(key) { (cache) throws(HybridCacheError) in
      try cache.set(value, for: key, options: options)
    }
  }

  /// Removes the entry of a key, permanent or not, and says whether there was one.
  ///
  /// - Throws: as `HybridCache.remove`.
  @discardableResult public func remove(_ key: Key) async throws(HybridCacheError) -> Bool {
    try await run(key) { (cache) throws(HybridCacheError) in try cache.remove(key) }
  }

  /// Does anything else with the cache, such as `flush()`, `removeAll()` or `close()`; with a key,
  /// in order with the calls for it.
  ///
  /// - Throws: what `body` throws.
  public func run<Result: Sendable>(
    _ key: Key? = nil,
    _ body: @escaping @Sendable (HybridCache<Key, Value>) throws(HybridCacheError) -> Result
  ) async throws(HybridCacheError) -> Result {
    let cache = cache
    let answer = await cache.lanes.run(key.map(cache.stripes.number) ?? 0) {
      Swift.Result { () throws(HybridCacheError) in try body(cache) }
    }
    return try answer.get()
  }
}

/// More than one key at a time: each thread gets those of its keys together.
extension AsyncHybridCache {
  /// The values of several keys that a tier has; keys without one are left out. As
  /// `HybridCache.values(for:)`, but in no order of keys. Those in memory do not suspend.
  ///
  /// - Throws: as `entry(for:)`; what was found until then is lost, and counted.
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
    let parts = cache.lanes.parts(of: others, by: cache.stripes.number)
    for part in try await each(
      parts, key: { $0 },
      { (cache, keys) throws(HybridCacheError) in
        var part: [Key: Value] = [:]
        for key in keys { part[key] = try Self.entry(for: key, behindFrontOf: cache)?.value }
        return part
      })
    {
      values.merge(part) { $1 }
    }
    return values
  }

  /// Stores several values as `HybridCache.setAll` does, but only values of one key in order, and
  /// returns how many a tier has afterwards. A dictionary is such a sequence.
  ///
  /// - Parameter options: Those of each entry.
  /// - Throws: what `HybridCache.set` throws first; some of the others are stored.
  @discardableResult public func setAll(
    _ values: some Sequence<(key: Key, value: Value)>,
    options: DiskStoreOptions = DiskStoreOptions()
  ) async throws(HybridCacheError) -> Int {
    let parts = cache.lanes.parts(of: values, by: { cache.stripes.number($0.key) })
    return try await each(parts, key: \.key) { (cache, values) throws(HybridCacheError) in
      try cache.setAll(values, options: options)
    }.reduce(0, +)
  }

  /// Does `body` with each part in its lane, all at the same time, and returns what it returns.
  ///
  /// - Throws: what the first part throws that does, once all have ended.
  private func each<Element: Sendable, Result: Sendable>(
    _ parts: [[Element]], key: (Element) -> Key,
    _ body:
      @escaping @Sendable (HybridCache<Key, Value>, [Element]) throws(HybridCacheError) ->
      Result
  ) async throws(HybridCacheError) -> [Result] {
    typealias Answer = Swift.Result<Result, HybridCacheError>
    let lanes = parts.map { cache.stripes.number(key($0[0])) }
    let answers = await withTaskGroup(of: Answer.self) { group in
      for (lane, part) in zip(lanes, parts) {
        group.addTask { [cache] in
          await cache.lanes.run(lane) {
            Answer { () throws(HybridCacheError) in try body(cache, part) }
          }
        }
      }
      return await group.reduce(into: [Answer]()) { $0.append($1) }
    }
    var results: [Result] = []
    for answer in answers { results.append(try answer.get()) }
    return results
  }
}
