/// Async interface to a hybrid cache: calls that may wait for the disk suspend the task and run on
/// a thread outside the pool shared by all tasks of the program.
///
/// ```swift
/// let tasks = AsyncHybridCache(cache)
/// try await tasks.set(article, for: id)
/// let article = try await tasks.value(for: id)
/// ```
///
/// It has every call of `HybridCache` with the same arguments, and its properties, also with
/// `await`. A hit in memory does not suspend. Calls for one key run in the order in which they are
/// made.
@dynamicMemberLookup
public struct AsyncHybridCache<Key: DiskKeyRepresentable, Value: Sendable>: Sendable {
  /// The underlying cache.
  public let cache: HybridCache<Key, Value>

  /// Creates an async interface to a cache. Starts no thread.
  public init(_ cache: HybridCache<Key, Value>) { self.cache = cache }

  /// Opens a cache in a folder on a thread outside the pool, because loading its entries takes
  /// time.
  ///
  /// - Throws: The errors of `HybridCache.init(path:configuration:codec:)`.
  public init<Location: CacheLocation>(
    path: Location? = String?.none,
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(), codec: DiskCodec<Value>,
    weigh: (@Sendable (Value) -> Int)? = nil
  ) async throws(HybridCacheError) {
    self.init(
      try await CacheLanes("larder.hybrid.opening", count: 1).run(0) {
        () throws(HybridCacheError) in
        try HybridCache<Key, Value>(
          path: path, configuration: configuration, codec: codec, weigh: weigh)
      })
  }

  /// Opens a cache in a folder of this name in the system's folder for caches, on a thread outside
  /// the pool.
  ///
  /// - Throws: The errors of `HybridCache.init(name:configuration:codec:)`.
  public init(
    name: String, configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    codec: DiskCodec<Value>, weigh: (@Sendable (Value) -> Int)? = nil
  ) async throws(HybridCacheError) {
    try await self.init(
      path: try HybridCache<Key, Value>.folder(name), configuration: configuration, codec: codec,
      weigh: weigh)
  }

  /// A property of the cache, such as `statistics` or `diskCount`. It is read on a thread outside
  /// the pool, because it may have to wait for a disk operation of another call.
  public subscript<Member: Sendable>(
    dynamicMember member: KeyPath<HybridCache<Key, Value>, Member> & Sendable
  ) -> Member {
    get async {
      let cache = cache
      return await cache.lanes.run(0) { cache[keyPath: member] }
    }
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

  /// Runs several operations on the cache without a suspension between them; with a key, in order
  /// with the calls for it.
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
  /// - Parameters:
  ///   - values: Keys and values.
  ///   - options: Options of each entry.
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

/// Calls with an origin, which are those of the cache itself.
extension AsyncHybridCache {
  /// Returns the value of a key from the cache or from the origin: see
  /// `HybridCache.value(for:strategy:maxAge:load:)`.
  ///
  /// - Throws: The error of `load`, unless a stale value may be returned; `absent`, with
  ///   `cacheOnly`; `CancellationError`.
  public func value(
    for key: Key, strategy: CacheStrategy? = nil, maxAge: Duration? = nil,
    load: @escaping @Sendable (OriginRequest<Key>) async throws -> Value
  ) async throws -> Value {
    try await cache.value(for: key, strategy: strategy, maxAge: maxAge, load: load)
  }

  /// Returns the value of a key and its source: see `HybridCache.result(for:strategy:load:)`.
  public func result(
    for key: Key, strategy: CacheStrategy? = nil, load: @escaping HybridCache<Key, Value>.Loader
  ) async -> CacheResult<Value> {
    await cache.result(for: key, strategy: strategy, load: load)
  }

  /// Returns the values of several keys from the cache or from the origin, with at most one call of
  /// `load`: see `HybridCache.values(for:strategy:maxAge:load:)`.
  ///
  /// - Throws: The first error by the order of the keys, unless a stale value may be returned;
  ///   `CancellationError`.
  public func values(
    for keys: some Sequence<Key>, strategy: CacheStrategy? = nil, maxAge: Duration? = nil,
    load: @escaping @Sendable ([Key]) async throws -> [Key: Value]
  ) async throws -> [Key: Value] {
    try await cache.values(for: keys, strategy: strategy, maxAge: maxAge, load: load)
  }

  /// Returns the values of several keys and their sources: see
  /// `HybridCache.results(for:strategy:load:)`.
  public func results(
    for keys: some Sequence<Key>, strategy: CacheStrategy? = nil,
    load: @escaping HybridCache<Key, Value>.BulkLoader
  ) async -> [Key: CacheResult<Value>] {
    await cache.results(for: keys, strategy: strategy, load: load)
  }

  /// Returns the cached value and then the result of a refresh: see
  /// `HybridCache.updates(for:load:)`.
  public func updates(
    for key: Key, load: @escaping HybridCache<Key, Value>.Loader
  ) -> AsyncStream<CacheResult<Value>> {
    cache.updates(for: key, load: load)
  }

  /// Fetches the values of keys that the cache does not have: see
  /// `HybridCache.prewarm(_:concurrency:progress:load:)`.
  @discardableResult public func prewarm(
    _ keys: some Sequence<Key> & Sendable, concurrency: Int = 4,
    progress: @Sendable (PrewarmProgress) -> Void = { _ in },
    load: @escaping HybridCache<Key, Value>.Loader
  ) async -> PrewarmProgress {
    await cache.prewarm(keys, concurrency: concurrency, progress: progress, load: load)
  }
}

/// Calls that concern the whole cache.
extension AsyncHybridCache {
  /// Removes all entries, as `HybridCache.removeAll` does.
  ///
  /// - Throws: `disk`; memory is empty even then.
  @discardableResult public func removeAll(
    includingPermanent: Bool = false
  ) async throws(HybridCacheError) -> HybridFreed {
    try await run { (cache) throws(HybridCacheError) in
      try cache.removeAll(includingPermanent: includingPermanent)
    }
  }

  /// Removes the entries for which `matches` returns true, as `HybridCache.remove(where:)` does.
  ///
  /// - Throws: `disk`; memory has lost its entries even then.
  @discardableResult public func remove(
    where matches: @escaping @Sendable (DiskEntryInfo) -> Bool
  ) async throws(HybridCacheError) -> HybridFreed {
    try await run { (cache) throws(HybridCacheError) in try cache.remove(where: matches) }
  }

  /// Removes expired entries, as `HybridCache.removeExpired` does.
  ///
  /// - Throws: `disk`.
  @discardableResult public func removeExpired() async throws(HybridCacheError) -> HybridFreed {
    try await run { (cache) throws(HybridCacheError) in try cache.removeExpired() }
  }

  /// Removes entries that are `age` old or older, as `HybridCache.trim(toAge:)` does.
  ///
  /// - Throws: `disk`.
  @discardableResult public func trim(
    toAge age: Duration
  ) async throws(HybridCacheError) -> HybridFreed {
    try await run { (cache) throws(HybridCacheError) in try cache.trim(toAge: age) }
  }

  /// Evicts entries from memory, as `HybridCache.trimMemory` does.
  @discardableResult public func trimMemory(
    toCount count: Int = .max, weight: Int = .max
  ) async -> Int {
    let cache = cache
    return await cache.lanes.run(0) { cache.trimMemory(toCount: count, weight: weight) }
  }

  /// Evicts entries from disk, as `HybridCache.trimDisk` does.
  ///
  /// - Throws: `disk`.
  @discardableResult public func trimDisk(
    toCount count: Int = .max, bytes: UInt64 = .max
  ) async throws(HybridCacheError) -> DiskFreed {
    try await run { (cache) throws(HybridCacheError) in
      try cache.trimDisk(toCount: count, bytes: bytes)
    }
  }

  /// Handles memory pressure, as `HybridCache.handle` does.
  @discardableResult public func handle(_ level: MemoryPressureLevel) async -> Int {
    let cache = cache
    return await cache.lanes.run(0) { cache.handle(level) }
  }

  /// Handles memory pressure whenever `source` reports it, as `HybridCache.observe` does.
  public func observe(_ source: any MemoryPressureSource) { cache.observe(source) }

  /// Stops observing memory pressure.
  public func stopObserving() { cache.stopObserving() }

  /// Changes the limits of the memory tier, as `HybridCache.setMemoryLimits` does.
  ///
  /// - Throws: `memory` or `configuration`; nothing has changed then.
  @discardableResult public func setMemoryLimits(
    _ limits: MemoryCacheLimits
  ) async throws(HybridCacheError) -> Int {
    try await run { (cache) throws(HybridCacheError) in try cache.setMemoryLimits(limits) }
  }

  /// Changes the limits of the disk tier, as `HybridCache.setDiskLimits` does.
  ///
  /// - Throws: `disk` or `configuration`.
  @discardableResult public func setDiskLimits(
    _ limits: DiskLimits
  ) async throws(HybridCacheError) -> DiskFreed {
    try await run { (cache) throws(HybridCacheError) in try cache.setDiskLimits(limits) }
  }

  /// Writes all waiting entries, as `HybridCache.flush` does.
  ///
  /// - Throws: `disk`.
  public func flush() async throws(HybridCacheError) {
    try await run { (cache) throws(HybridCacheError) in try cache.flush() }
  }

  /// Writes everything and releases the folder until `resume`, as `HybridCache.suspend` does.
  ///
  /// - Throws: `disk`; the disk is suspended nevertheless.
  public func suspend() async throws(HybridCacheError) {
    try await run { (cache) throws(HybridCacheError) in try cache.suspend() }
  }

  /// Opens the folder again, as `HybridCache.resume` does.
  ///
  /// - Throws: `disk`.
  public func resume() async throws(HybridCacheError) {
    try await run { (cache) throws(HybridCacheError) in try cache.resume() }
  }

  /// Writes everything, empties memory and releases the folder, as `HybridCache.close` does.
  ///
  /// - Throws: `disk`; the cache is closed nevertheless.
  public func close() async throws(HybridCacheError) {
    try await run { (cache) throws(HybridCacheError) in try cache.close() }
  }

  /// Closes the cache and removes its files, as `HybridCache.destroy` does.
  ///
  /// - Throws: `disk` or `suiteInUse`; the cache is closed nevertheless.
  public func destroy() async throws(HybridCacheError) {
    try await run { (cache) throws(HybridCacheError) in try cache.destroy() }
  }

  /// Returns a stream of all events from now on, as `HybridCache.eventStream` does.
  public func eventStream(buffered: Int = 1024) -> AsyncStream<HybridEvent> {
    cache.eventStream(buffered: buffered)
  }

  /// Calls `handler` for every event from now on, as `HybridCache.onEvent` does.
  public func onEvent(
    _ handler: @escaping @Sendable (HybridEvent) -> Void
  ) -> CacheEventToken {
    cache.onEvent(handler)
  }

  /// Records every request, set and removal from now on, as `HybridCache.record` does.
  ///
  /// - Throws: `RecordingError`.
  @discardableResult public func record(
    to path: String, sampling: Double = 1, keys: RecordedKeys = .keyed
  ) async throws(RecordingError) -> CacheRecording {
    let cache = cache
    return try await cache.lanes.run(0) { () throws(RecordingError) in
      try cache.record(to: path, sampling: sampling, keys: keys)
    }
  }
}

extension AsyncHybridCache where Value: Codable {
  /// Opens a cache in a folder, with values stored by `DiskCodec.standard`: see the initialiser
  /// with a codec.
  ///
  /// - Throws: The errors of that initialiser.
  public init<Location: CacheLocation>(
    path: Location? = String?.none,
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    weigh: (@Sendable (Value) -> Int)? = nil
  ) async throws(HybridCacheError) {
    try await self.init(path: path, configuration: configuration, codec: .standard, weigh: weigh)
  }

  /// Opens a cache in a folder of this name in the system's folder for caches, with values stored
  /// by `DiskCodec.standard`.
  ///
  /// - Throws: The errors of the initialiser with a codec.
  public init(
    name: String, configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    weigh: (@Sendable (Value) -> Int)? = nil
  ) async throws(HybridCacheError) {
    try await self.init(name: name, configuration: configuration, codec: .standard, weigh: weigh)
  }
}
