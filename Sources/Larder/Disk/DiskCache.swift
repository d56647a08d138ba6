import LarderEngine

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A cache on disk: small values in a SQLite database, large ones in files beside it, and any
/// policy of the registry to say what stays.
///
/// ```swift
/// let cache = try DiskCache(path: folder)
/// try cache.set(data, for: "avatar/17", options: DiskStoreOptions(timeToLive: .seconds(3600)))
/// let data = try cache.data(for: "avatar/17")
/// ```
///
/// **Keys** are texts of any characters and up to 100 MB; two are the same when their UTF-8 bytes
/// are. They are data in a database: no path is ever made from one. A *suite* is a name space: the
/// same key has different values in different suites, and the suites share the limits.
///
/// **One cache at a time** has a folder open, over all processes. Within it any number of threads
/// may call; calls go one after the other, and block while the disk is at work. Only the reading of
/// large values goes on beside other calls.
///
/// **Permanent entries** never expire, are never given up for room and stand outside the limits:
/// they go only when they are removed. (In a `MemoryCache` they may be given up for room.)
///
/// **What has expired** stays until it is found by a get, cleaned, stored over or given up, also
/// over a restart: `entry(for:suite:acceptingExpired:)` hands it out, and `renew` gives it a new
/// life.
///
/// **Encryption** with a key of the app's: see `DiskEncryption`.
///
/// **Damage.** A value or a row whose bytes are not those that were stored is a miss, and is
/// removed. A database that cannot be read is set aside, and the cache begins empty: see
/// `DiskDamageHandling`. Both are counted, and `damages` says what was found. Files are regular
/// files inside the folder, for their owner alone: no link is followed and no pipe is waited for.
///
/// **A full disk** is an error when something is stored. Removing and clearing then remove files
/// first, so that they work where there is no room at all. When the disk has room again, so does
/// the cache: nothing needs to be opened again.
///
/// **After an error** of `set` the key has no value, and after an error of a removal the entries
/// are gone, for as long as the cache is open. After a crash each such entry is as it was before
/// the call or as the call would have left it, until a later call that gives something up, or
/// `flush`, returns without an error: from then on it is what later calls left.
///
/// **What is kept across a restart**, beside the entries: the order of storing, always; the order
/// of last use and the number of uses of each entry (at most 15 count), as of the last `flush()`
/// or `close()`, or of one in every 65,536 hits (four for each entry, where that is more). From
/// these the policy is told, in that order, of every entry: exact for FIFO, LRU, MRU and `ttl` (but
/// for which of two renewed entries goes first that expire in the same microsecond), an
/// approximation for the others, which begin without ghosts, without the place of a hand and
/// without the times of uses before the last.
///
/// Time per call is O(1) beside what the policy and the size of the value cost; opening is
/// O(entries), and so are the calls that say it.
public final class DiskCache: @unchecked Sendable {
  private let lock = SleepingLock()
  let core: DiskCore
  let events = CacheEvents<DiskEntryName>()
  /// Suites in use by a hybrid cache each: two on one suite would not see each other's memory.
  let claimedSuites = Locked<Set<ExactName>>([])

  /// Opens the cache in a folder, which is made where there is none.
  ///
  /// - Parameters:
  ///   - path: the folder. Nothing else should be kept in it.
  ///   - configuration: limits, policy and durability. It may differ from the last time.
  ///   - clock: where the time comes from; it must go on across restarts.
  /// - Throws: `inUse` when another cache has the folder; `format`, `encryption`, `files`,
  ///   `database`, `damaged`, `limit` or `configuration`.
  public convenience init(
    path: String, configuration: DiskConfiguration = DiskConfiguration(),
    clock: any CacheClock = WallCacheClock()
  ) throws(DiskCacheError) {
    try self.init(
      path: path, configuration: configuration, clock: clock, files: SystemFiles())
  }

  /// The same, over another file layer.
  package init(
    path: String, configuration: DiskConfiguration, clock: any CacheClock,
    files: any FileLayer
  ) throws(DiskCacheError) {
    core = try DiskCore(path: path, configuration, clock: clock, files: files)
  }

  deinit {
    try? core.close()
  }

  // MARK: One entry

  /// The entry of a key, or nil when there is none that can be used. A reference to it.
  ///
  /// - Throws: `database` or `closed`.
  public func entry(for key: String, suite: String = "") throws(DiskCacheError) -> DiskEntry? {
    try lookUp(key, suite, expired: .removed)
  }

  /// The bytes stored under a key, or nil when there are none that can be used. A reference.
  ///
  /// - Throws: `database` or `closed`.
  public func data(for key: String, suite: String = "") throws(DiskCacheError) -> Data? {
    try entry(for: key, suite: suite)?.data
  }

  /// Whether there is an entry that has not expired. No reference to it, and its value is not read.
  ///
  /// - Throws: `closed`.
  public func contains(_ key: String, suite: String = "") throws(DiskCacheError) -> Bool {
    try withKey(key) { (core, bytes) throws(DiskCacheError) in
      guard let number = core.suiteNumber(suite) else { return false }
      return try core.contains(bytes, suite: number)
    }
  }

  /// Stores a value over whatever the key had, and says whether it is there afterwards: it is not
  /// when it is larger than the limit, when the policy does not want it, or when the disk is full.
  /// What the key had is gone in any case.
  ///
  /// - Throws: `files`, `database`, `damaged`, `closed`, `valueTooLarge` or `keyTooLarge`. After an
  ///   error of the first three the key has no value; after a crash it may have its old one, until
  ///   a later set, removal or flush succeeds.
  @discardableResult
  public func set(
    _ data: Data, for key: String, suite: String = "",
    options: DiskStoreOptions = DiskStoreOptions()
  ) throws(DiskCacheError) -> Bool {
    try store(data, key, suite, options, life: nil)
  }

  /// Stores a value as `set` does, with a life that began elsewhere: an absolute expiry, which
  /// neither the options nor the cache's own limit shorten (`Request.noExpiry` is never), and the
  /// time of creation, by default now. `codec` is the identity of the codec that made the bytes.
  @discardableResult
  package func set(
    _ data: Data, for key: String, suite: String = "", options: DiskStoreOptions,
    createdMicroseconds: UInt64? = nil, expiresMicroseconds: UInt64, codec: String? = nil
  ) throws(DiskCacheError) -> Bool {
    let created = createdMicroseconds ?? core.clock.nowMicroseconds
    return try store(
      data, key, suite, options, life: DiskLife(created: created, expires: expiresMicroseconds),
      codec: codec)
  }

  /// Removes the entry of a key, permanent or not, and says whether there was one.
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult
  public func remove(_ key: String, suite: String = "") throws(DiskCacheError) -> Bool {
    try withKey(key) { (core, bytes) throws(DiskCacheError) in
      guard let number = core.suiteNumber(suite) else { return try core.removeUnknown() }
      return try core.remove(bytes, suite: number)
    }
  }

  /// Removes an entry that is no value of the type that it should be.
  func removeUndecodable(_ key: String, suite: String) throws(DiskCacheError) {
    try withKey(key) { (core, bytes) throws(DiskCacheError) in
      guard let number = core.suiteNumber(suite) else { return }
      core.statistics.undecodables += 1
      _ = try core.remove(bytes, suite: number)
    }
  }

  /// Removes the entry of a key if it has expired; it was counted as such when it was found.
  func removeExpired(_ key: String, suite: String) throws(DiskCacheError) {
    try withKey(key) { (core, bytes) throws(DiskCacheError) in
      guard let number = core.suiteNumber(suite) else { return }
      try core.removeExpired(bytes, suite: number)
    }
  }

  /// Sees to it that a suite holds no values of a codec other than `identity`.
  func checkCodec(_ identity: String, suite: String) throws(DiskCacheError) {
    try withCore { (core) throws(DiskCacheError) in
      _ = try core.openIndex()
      guard let number = core.suiteNumber(suite) else { return }
      try core.checkCodec(identity, suite: number)
    }
  }

  // MARK: Many entries

  /// Removes all entries, or all of one suite, and what the policy remembers of them. Permanent
  /// ones stay unless `includingPermanent`. With all suites, databases that were set aside go, too.
  /// O(entries).
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult
  public func removeAll(
    suite: String? = nil, includingPermanent: Bool = false
  ) throws(DiskCacheError) -> DiskFreed {
    try withCore { (core) throws(DiskCacheError) in
      let number = suite.map { core.suiteNumber($0) }
      if suite == nil, !core.isClosed { core.folder.removeAside() }
      return try core.removeAll(counting: \.removals, as: .remove) { _, slot in
        (number == nil || number == slot.suite) && (includingPermanent || slot.state == .known)
      }
    }
  }

  /// Removes everything that has expired, or that of one suite. O(entries).
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult
  public func removeExpired(suite: String? = nil) throws(DiskCacheError) -> DiskFreed {
    try removeExpired(suite: suite, keeping: .none)
  }

  /// The same but for what is still worth keeping.
  func removeExpired(
    suite: String?, keeping grace: Grace
  ) throws(DiskCacheError) -> DiskFreed {
    try withCore { (core) throws(DiskCacheError) in
      let index = try core.openIndex()
      let now = core.clock.nowMicroseconds
      let number = suite.map { core.suiteNumber($0) }
      return try core.removeAll(counting: \.expirations, as: .expire) { id, slot in
        slot.state == .known && slot.isStored && core.tier.expiry(id) <= now
          && (number == nil || number == slot.suite)
          && (grace.isNone || !core.isKept(id, grace, now, index))
      }
    }
  }

  /// Gives entries up, as the policy says, until the values that are not permanent have at most
  /// `bytes`. O(entries given up).
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult
  public func trim(toBytes bytes: UInt64) throws(DiskCacheError) -> DiskFreed {
    try withCore { (core) throws(DiskCacheError) in
      try core.trim(entriesMax: .max, bytesMax: bytes)
    }
  }

  /// Gives entries up, as the policy says, until at most `entries` that are not permanent are
  /// left; less than 0 counts as 0. O(entries given up).
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult
  public func trim(toEntries entries: Int) throws(DiskCacheError) -> DiskFreed {
    try withCore { (core) throws(DiskCacheError) in
      try core.trim(entriesMax: entries, bytesMax: .max)
    }
  }

  /// Removes entries that were stored or renewed `age` ago or longer, of all suites or of one, but
  /// for permanent ones; less than zero counts as zero. O(entries).
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult
  public func trim(
    toAge age: Duration, suite: String? = nil
  ) throws(DiskCacheError) -> DiskFreed {
    try withCore { (core) throws(DiskCacheError) in
      let (now, age) = (core.clock.nowMicroseconds, age.microseconds)
      let number = suite.map { core.suiteNumber($0) }
      return try core.removeAll(counting: \.trims, as: .evict(.trim)) { _, slot in
        slot.state == .known && slot.isStored && slot.created <= now && now - slot.created >= age
          && (number == nil || number == slot.suite)
      }
    }
  }

  // MARK: The cache

  /// Commits everything that was acknowledged, and the order of last use. O(entries).
  ///
  /// - Throws: `database` or `closed`.
  public func flush() throws(DiskCacheError) {
    try withCore { (core) throws(DiskCacheError) in try core.flush() }
  }

  /// Flushes and releases the folder; every later call throws `closed`. A cache that nobody holds
  /// any more does it by itself, and then nobody hears of an error. O(entries).
  ///
  /// - Throws: `database`; the cache is closed and the folder released all the same.
  public func close() throws(DiskCacheError) {
    try withCore { (core) throws(DiskCacheError) in try core.close() }
  }

  /// What has happened since the cache was opened.
  public var statistics: DiskStatistics {
    var statistics = withLock { $0.statistics }
    statistics.droppedEvents = events.dropped
    return statistics
  }

  /// Damage for which the cache began anew since it was made, opening included: the latest 16, the
  /// oldest first. `DiskStatistics.rebuilds` counts all.
  public var damages: [DiskDamage] { withLock { $0.damages } }

  /// Number of entries, permanent ones included; what has expired counts until it is found.
  public var count: Int { withLock { $0.entries } }

  /// Sum of the bytes of all values, permanent ones included.
  public var valueBytes: UInt64 { withLock { $0.valueBytes + $0.permanentBytes } }

  /// Bytes of all files of the cache: database, log, values and what was set aside. O(entries).
  public var diskBytes: UInt64 { withLock { $0.diskBytes } }

  /// What each suite holds, in the order in which they were made; the one without a name is the
  /// first. O(entries).
  ///
  /// - Throws: `closed`.
  public func suites() throws(DiskCacheError) -> [DiskSuiteUsage] {
    try withCore { (core) throws(DiskCacheError) in try core.suiteUsage() }
  }

  /// What the simulator would count of the same requests.
  package var tierCounts: TierCounts {
    withLock { core in
      var counts = core.tier.counts
      counts.expirations += core.keptExpirations
      return counts
    }
  }

  // MARK: Locking

  func withLock<Result: Sendable>(_ body: (DiskCore) -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(core)
  }

  func withCore<Result: Sendable>(
    _ body: (DiskCore) throws(DiskCacheError) -> Result
  ) throws(DiskCacheError) -> Result {
    let (answer, told) = withLock { core in
      core.isHeard = events.isActive
      let answer = Swift.Result { () throws(DiskCacheError) in try body(core) }
      return (answer, core.isHeard ? core.takeEvents() : [])
    }
    for event in told { events.send(event) }
    return try answer.get()
  }

  func withKey<Result: Sendable>(
    _ key: String, _ body: (DiskCore, UnsafeRawBufferPointer) throws(DiskCacheError) -> Result
  ) throws(DiskCacheError) -> Result {
    var key = key
    let answer = key.withUTF8 { bytes in
      Swift.Result { () throws(DiskCacheError) in
        try withCore { (core) throws(DiskCacheError) in
          try body(core, UnsafeRawBufferPointer(bytes))
        }
      }
    }
    return try answer.get()
  }
}
