#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A cache on disk: small values in an SQLite database, large ones in separate files, with any
/// policy of the registry.
///
/// ```swift
/// let cache = try await DiskCache(name: "avatars")
/// try await cache.set(data, for: "17", options: DiskStoreOptions(timeToLive: .seconds(3600)))
/// let data = try await cache.value(for: "17")
/// let keys = try await cache.run { (cache) throws(DiskCacheError) in try cache.keys() }
/// ```
///
/// Each call suspends the task and runs on a thread outside the pool that all tasks share. Calls
/// for one key run in the order in which they are made; others may run at the same time, up to one
/// per core. `blocking` has more calls, for `run` and for threads that may wait for the disk.
///
/// **Keys** are strings of any characters, up to 100 MB, and are never part of a path; canonically
/// equivalent ones are equal. A *suite* is a namespace; the suites share the limits.
///
/// **One cache at a time**, over all processes, has a folder open; others can read it if it is
/// shared: see `DiskCacheReader`.
///
/// **Permanent entries** never expire, are never evicted and do not count towards the limits: they
/// are only removed explicitly. (In a `MemoryCache` they may be evicted.)
///
/// **Expired entries** stay until a get finds them, or they are cleaned, replaced or evicted, even
/// after a restart: `entry(for:suite:acceptingExpired:)` returns them, and `renew` extends them. An
/// entry created more than an hour ahead of the clock counts as expired, unless it is permanent.
///
/// **Damage.** A value that differs from the stored data is a miss, and is removed. A database with
/// other damage is set aside, and the cache starts empty: see `DiskTroubleHandling`. What cannot be
/// read now is an error, not damage. Files are accessible to their owner only; no symbolic links
/// are followed. A folder that other users may change is refused (`exposed`).
///
/// **A folder that is removed, moved or replaced** while the cache is open is noticed by the next
/// change: the cache starts empty at its path, or throws `inUse` if another one has it.
///
/// **A full disk** is an error when a value is stored. Removing and clearing work on a full disk.
///
/// **After an error** of `set` the key has no value, and after one of a removal the entries are
/// gone, while the cache is open. After a crash, each such entry is unchanged or as the call would
/// have left it, until a later call that evicts, or `flush`, succeeds.
///
/// **A restart** keeps the insertion order, and the order and number of uses as of the last `flush`
/// or `close`. The policy is restored from these: exactly for FIFO, LRU, MRU and `ttl`,
/// approximately for the others, without ghosts. `auto` continues with the policy in charge.
///
/// A call takes O(1) time in addition to the policy and the size of the value; opening takes
/// O(entries), as do the calls documented so. It reads no rows if the cache was flushed or closed
/// after the last change, and all of them after a crash. Calls for many entries let others in after
/// every 256.
@dynamicMemberLookup public struct DiskCache: Sendable {
  /// This cache, with calls that block the calling thread.
  public let blocking: BlockingDiskCache
  let lanes: CacheLanes

  /// Creates an asynchronous face of a cache. Starts no thread.
  public init(_ blocking: BlockingDiskCache) {
    self.blocking = blocking
    lanes = CacheLanes("larder.disk", count: ProcessInfo.processInfo.activeProcessorCount)
  }

  /// Opens the cache in a folder; see `BlockingDiskCache.init(path:configuration:clock:)`.
  ///
  /// - Throws: `inUse` if another cache has the folder; `exposed`, `format`, `encryption`, `files`,
  ///   `database`, `damaged`, `limit` or `configuration`.
  public init(
    path: some CacheLocation, configuration: DiskConfiguration = DiskConfiguration(),
    clock: any CacheClock = SystemCacheClock.wall()
  ) async throws(DiskCacheError) {
    self.init(
      try await CacheLanes("larder.disk.opening", count: 1).run(0) { () throws(DiskCacheError) in
        try BlockingDiskCache(path: path, configuration: configuration, clock: clock)
      })
  }

  /// Opens the cache in a folder of this name in the system's folder for caches:
  /// `Library/Caches` on Apple's systems, `XDG_CACHE_HOME` or `~/.cache` on Linux, with a folder
  /// for each program in it. The system may remove it while the program is not running.
  ///
  /// - Throws: `files` if the name is not that of a folder; the errors of the other initialiser.
  public init(
    name: String, configuration: DiskConfiguration = DiskConfiguration(),
    clock: any CacheClock = SystemCacheClock.wall()
  ) async throws(DiskCacheError) {
    try await self.init(
      path: try CachesFolder.path(name: name), configuration: configuration, clock: clock)
  }

  /// A property of the cache, such as `statistics` or `count`, read on a thread outside the pool.
  public subscript<Member: Sendable>(
    dynamicMember member: KeyPath<BlockingDiskCache, Member> & Sendable
  ) -> Member {
    get async {
      let cache = blocking
      return await lanes.run(0) { cache[keyPath: member] }
    }
  }

  /// Runs calls of the blocking cache without a suspension between them, in order with the calls
  /// for `key`.
  public func run<Result: Sendable>(
    _ key: String = "",
    _ body: @escaping @Sendable (BlockingDiskCache) throws(DiskCacheError) -> Result
  ) async throws(DiskCacheError) -> Result {
    let cache = blocking
    return try await lanes.run(key.hashValue) { () throws(DiskCacheError) in try body(cache) }
  }

  // MARK: One entry

  /// Returns the entry of a key, or nil. Counts as an access. With `acceptingExpired` an expired
  /// entry is returned, too, and kept; it counts as a miss, and `metadata.isExpired` marks it.
  public func entry(
    for key: String, suite: String = "", acceptingExpired: Bool = false
  ) async throws(DiskCacheError) -> DiskEntry? {
    try await run(key) { (cache) throws(DiskCacheError) in
      try cache.entry(for: key, suite: suite, acceptingExpired: acceptingExpired)
    }
  }

  /// Returns the bytes stored for a key, or nil if it has no usable entry. Counts as an access.
  public func value(for key: String, suite: String = "") async throws(DiskCacheError) -> Data? {
    try await entry(for: key, suite: suite)?.data
  }

  /// Returns true if a key has an entry that has not expired. Not counted as an access.
  public func contains(_ key: String, suite: String = "") async throws(DiskCacheError) -> Bool {
    try await run(key) { (cache) throws(DiskCacheError) in
      try cache.contains(key, suite: suite)
    }
  }

  /// Stores a value, and returns true if it is stored afterwards: not if it is larger than the
  /// limit, the policy does not admit it, or the disk is full. The previous value is gone anyway.
  @discardableResult public func set(
    _ data: Data, for key: String, suite: String = "",
    options: DiskStoreOptions = DiskStoreOptions()
  ) async throws(DiskCacheError) -> Bool {
    try await run(key) { (cache) throws(DiskCacheError) in
      try cache.set(data, for: key, suite: suite, options: options)
    }
  }

  /// Gives an entry a new lifetime, and a version if one is given, without rewriting its value;
  /// returns false if there is none.
  @discardableResult public func renew(
    _ key: String, suite: String = "", timeToLive: Duration? = nil, version: String? = nil
  ) async throws(DiskCacheError) -> Bool {
    try await run(key) { (cache) throws(DiskCacheError) in
      try cache.renew(key, suite: suite, timeToLive: timeToLive, version: version)
    }
  }

  /// Removes the entry of a key, permanent or not, and returns true if there was one.
  @discardableResult public func remove(_ key: String, suite: String = "")
    async throws(DiskCacheError) -> Bool
  {
    try await run(key) { (cache) throws(DiskCacheError) in
      try cache.remove(key, suite: suite)
    }
  }

  // MARK: Many entries

  /// Returns the values of several keys, without keys that have none. All threads work in parallel,
  /// each on its keys.
  public func values(
    for keys: some Sequence<String>, suite: String = ""
  ) async throws(DiskCacheError) -> [String: Data] {
    let cache = blocking
    return try await lanes.run(keys, by: \.hashValue) { (keys) throws(DiskCacheError) in
      try cache.values(for: keys, suite: suite)
    }.reduce(into: [:]) { $0.merge($1) { $1 } }
  }

  /// Stores several values, in order only for those of one key, and returns the number stored
  /// afterwards. Accepts a dictionary. After an error some of the others are stored.
  @discardableResult public func setAll(
    _ values: some Sequence<(key: String, value: Data)>, suite: String = "",
    options: DiskStoreOptions = DiskStoreOptions()
  ) async throws(DiskCacheError) -> Int {
    let cache = blocking
    return try await lanes.run(values, by: \.key.hashValue) { (values) throws(DiskCacheError) in
      try cache.setAll(values, suite: suite, options: options)
    }.reduce(0, +)
  }

  /// Removes all entries, or all of one suite. Permanent ones stay unless `includingPermanent`.
  @discardableResult public func removeAll(
    suite: String? = nil, includingPermanent: Bool = false
  ) async throws(DiskCacheError) -> Freed {
    try await run { (cache) throws(DiskCacheError) in
      try cache.removeAll(suite: suite, includingPermanent: includingPermanent)
    }
  }

  /// Removes all expired entries, or those of one suite. O(entries).
  @discardableResult public func removeExpired(
    suite: String? = nil
  ) async throws(DiskCacheError) -> Freed {
    try await run { (cache) throws(DiskCacheError) in try cache.removeExpired(suite: suite) }
  }

  // MARK: The cache

  /// Commits everything that was acknowledged, and the order of last use. O(entries).
  public func flush() async throws(DiskCacheError) {
    try await run { (cache) throws(DiskCacheError) in try cache.flush() }
  }

  /// Flushes and releases the folder with all locks until `resume`, before the system suspends the
  /// app: iOS kills one that has a lock in a folder of its app group then.
  public func suspend() async throws(DiskCacheError) {
    try await run { (cache) throws(DiskCacheError) in try cache.suspend() }
  }

  /// Opens the folder again after `suspend`; after an error, the next call tries again.
  public func resume() async throws(DiskCacheError) {
    try await run { (cache) throws(DiskCacheError) in try cache.resume() }
  }

  /// Flushes and releases the folder; every later call throws `closed`.
  public func close() async throws(DiskCacheError) {
    try await run { (cache) throws(DiskCacheError) in try cache.close() }
  }

  /// Closes the cache without writing, removes its files, and forgets its encryption key.
  public func destroy() async throws(DiskCacheError) {
    try await run { (cache) throws(DiskCacheError) in try cache.destroy() }
  }
}
