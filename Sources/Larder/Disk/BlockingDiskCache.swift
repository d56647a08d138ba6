import CLarderShims
import LarderEngine
import LarderLibc
import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A disk cache whose calls block the calling thread while they use the disk: for tools and threads
/// of their own, and for `DiskCache.run`. See `DiskCache` for what it keeps and promises.
///
/// Calls are serialised, except that gets read values concurrently: large ones always, small ones
/// once a checkpoint has moved them into the database's file. Calls for many entries let others in
/// after every 256.
public final class BlockingDiskCache: @unchecked Sendable {
  let lock = BriefLock()
  let core: DiskCore
  let events = CacheEvents<DiskEntryName>()
  /// Hybrid caches, which only queue the events of their suite. Called at once.
  let observers = CacheEvents<DiskEntryName>()
  private let heldEvents = Locked<[(thread: UInt32, event: CacheEvent<DiskEntryName>)]>([])
  let recorder = RecordPoint()
  /// Suites in use by hybrid caches, one each: two caches on one suite would not see each other's
  /// memory.
  let claimedSuites = Locked<Set<ExactName>>([])
  let age: Atomic<UInt64>
  private let waiting = Atomic<Int>(0)

  /// Opens the cache in a folder, a path or a file URL, which is created if it does not exist, and
  /// in which nothing else should be stored. The configuration may differ from the previous
  /// opening; the clock must continue across restarts.
  public convenience init(
    path: some CacheLocation, configuration: DiskConfiguration = DiskConfiguration(),
    clock: any CacheClock = SystemCacheClock.wall()
  ) throws(DiskCacheError) {
    try self.init(
      path: path.cacheLocation, configuration: configuration, clock: clock, files: SystemFiles())
  }

  /// Opens the cache in a folder of this name in the system's folder for caches; see
  /// `DiskCache.init(name:configuration:clock:)`.
  public convenience init(
    name: String, configuration: DiskConfiguration = DiskConfiguration(),
    clock: any CacheClock = SystemCacheClock.wall()
  ) throws(DiskCacheError) {
    try self.init(
      path: try CachesFolder.path(name: name), configuration: configuration, clock: clock)
  }

  package init(
    path: String, configuration: DiskConfiguration, clock: any CacheClock,
    files: any FileLayer
  ) throws(DiskCacheError) {
    core = try DiskCore(path: path, configuration, clock: clock, files: files)
    age = Atomic(configuration.limits.ageOrZero)
  }

  deinit {
    recorder.end()
    try? core.close()
  }

  // MARK: One entry

  /// Returns the entry of a key, or nil; see `DiskCache.entry`. After `files`, the value cannot be
  /// read now, and the entry stays.
  public func entry(
    for key: String, suite: String = "", acceptingExpired: Bool = false
  ) throws(DiskCacheError) -> DiskEntry? {
    try lookUp(key, suite, expired: acceptingExpired ? .handedOut : .removed)
  }

  /// Returns the bytes stored for a key, or nil if it has no usable entry. Counts as an access.
  public func value(for key: String, suite: String = "") throws(DiskCacheError) -> Data? {
    try entry(for: key, suite: suite)?.data
  }

  /// Returns true if a key has an entry that has not expired. Not counted as an access.
  public func contains(_ key: String, suite: String = "") throws(DiskCacheError) -> Bool {
    try withKey(key, in: suite) { (core, bytes, number) throws(DiskCacheError) in
      try core.contains(bytes, suite: number)
    } ?? false
  }

  /// Stores a value for a key, and returns true if it is stored afterwards; see `DiskCache.set`.
  ///
  /// - Throws: After `files`, `database` or `damaged` the key has no value; after a crash it may
  ///   have its old one, until a later set, removal or flush succeeds.
  @discardableResult public func set(
    _ data: Data, for key: String, suite: String = "",
    options: DiskStoreOptions = DiskStoreOptions()
  ) throws(DiskCacheError) -> Bool {
    try store(data, key, suite, options, life: nil)
  }

  /// Stores a value as `set` does, with an absolute expiry that neither the options nor the cache's
  /// own limit shorten, and a creation time, by default now. `codec` is the identity of the codec
  /// that encoded the bytes.
  @discardableResult package func set(
    _ data: Data, for key: String, suite: String = "", options: DiskStoreOptions,
    created: UInt64? = nil, expiry: Expiry, codec: String? = nil
  ) throws(DiskCacheError) -> Bool {
    try store(
      data, key, suite, options,
      life: DiskLife(created: created ?? core.clock.time, expiry: expiry), codec: codec)
  }

  /// Removes the entry of a key, permanent or not, and returns true if there was one.
  @discardableResult public func remove(
    _ key: String, suite: String = ""
  ) throws(DiskCacheError) -> Bool {
    noteRemoval(key, suite)
    return try withKey(key) { (core, bytes) throws(DiskCacheError) in
      _ = try core.openIndex(toChange: bytes, suite: suite)
      guard let number = core.suiteNumber(suite) else { return try core.removeUnknown() }
      return try core.remove(bytes, suite: number)
    }
  }

  /// Counts an undecodable value, and removes it unless another was stored since.
  func removeUndecodable(
    _ key: String, suite: String, created: UInt64
  ) throws(DiskCacheError) {
    try withKey(key, in: suite) { (core, bytes, number) throws(DiskCacheError) in
      core.statistics.undecodables += 1
      _ = try core.remove(bytes, suite: number, created: created)
    }
  }

  func removeExpired(_ key: String, suite: String) throws(DiskCacheError) {
    try withKey(key, in: suite) { (core, bytes, number) throws(DiskCacheError) in
      try core.removeExpired(bytes, suite: number)
    }
  }

  func checkCodec(_ identity: String, suite: String) throws(DiskCacheError) {
    try withCore { (core) throws(DiskCacheError) in
      _ = try core.suiteNumber(suite, codec: identity)
    }
  }

  /// Returns the value of a key as stored with this codec, or nil. Bytes that do not decode are a
  /// miss, removed, and counted in `undecodables`.
  public func value<Value>(
    for key: String, suite: String, codec: DiskCodec<Value>
  ) throws(DiskCacheError) -> Value? {
    guard let entry = try lookUp(key, suite, expired: .removed, codec: codec.identity) else {
      return nil
    }
    if let value = try? codec.decode(entry.data) { return value }
    try removeUndecodable(key, suite: suite, created: entry.metadata.creation)
    return nil
  }

  /// Stores a value with a codec; see the other `set`.
  @discardableResult public func set<Value>(
    _ value: Value, for key: String, suite: String, codec: DiskCodec<Value>,
    options: DiskStoreOptions = DiskStoreOptions()
  ) throws(DiskCacheError) -> Bool {
    var options = options
    if options.contentType == nil { options.contentType = codec.contentType }
    switch Result(catching: { try codec.encode(value) }) {
    case .success(let data):
      return try store(data, key, suite, options, life: nil, codec: codec.identity)
    case .failure(let error):
      throw .codec(message: "suite '\(suite)': cannot encode a \(Value.self): \(error)")
    }
  }

  // MARK: Many entries

  /// Removes all entries, or all of one suite, and suites that are empty afterwards, but permanent
  /// ones unless `includingPermanent`; with all suites, also a database that was set aside.
  @discardableResult public func removeAll(
    suite: String? = nil, includingPermanent: Bool = false
  ) throws(DiskCacheError) -> Freed {
    try finish(
      beginRemoval(
        suite: suite, includingPermanent: includingPermanent, removesCopy: suite == nil))
  }

  func beginRemoval(
    suite: String?, includingPermanent: Bool, removesCopy: Bool
  ) throws(DiskCacheError) -> DiskRemoval {
    noteClearing()
    return try withCore { (core) throws(DiskCacheError) in
      try core.beginClearing(
        suite: suite, includesPermanent: includingPermanent, removesCopy: removesCopy)
    }
  }

  /// Makes a removal in steps, with the lock held for one at a time.
  func remove(
    _ begin: (DiskCore) throws(DiskCacheError) -> DiskRemoval
  ) throws(DiskCacheError) -> Freed {
    try finish(try withCore(begin))
  }

  func finish(_ removal: DiskRemoval) throws(DiskCacheError) -> Freed {
    while try withCore({ (core) throws(DiskCacheError) in try core.step(removal) }) { giveWay() }
    return withLock { _ in removal.freed }
  }

  /// Lets threads that wait for the lock have it, between two steps of a long call.
  private func giveWay() {
    var times = 0
    while waiting.load(ordering: .relaxed) > 0, times < 1000 {
      sched_yield()
      times += 1
    }
  }

  /// Removes all expired entries, or those of one suite.
  @discardableResult public func removeExpired(
    suite: String? = nil
  ) throws(DiskCacheError) -> Freed {
    try removeExpired(suite: suite, keeping: .none)
  }

  func removeExpired(
    suite: String?, keeping grace: Grace
  ) throws(DiskCacheError) -> Freed {
    try remove { (core) throws(DiskCacheError) in
      try core.checkPlace()
      let index = try core.openIndex()
      let now = core.clock.time
      let number = suite.map { core.suiteNumber($0) }
      return try core.begin(\.expirations, as: .expire) { [unowned core] id, slot in
        slot.state == .known && slot.isStored && core.hasExpired(id, now)
          && (number == nil || number == slot.suite)
          && (grace.isNone || !core.isKept(id, grace, now, index))
      }
    }
  }

  /// Evicts entries, chosen by the policy, until at most `count` that are not permanent are left,
  /// with values of at most `bytes`; less than 0 counts as 0.
  @discardableResult public func trim(
    toCount count: Int = .max, bytes: UInt64 = .max
  ) throws(DiskCacheError) -> Freed {
    try remove { (core) throws(DiskCacheError) in
      try core.beginTrim(entriesMax: count, bytesMax: bytes)
    }
  }

  /// Removes entries of all suites or of one that were stored or renewed `age` ago or longer,
  /// except permanent ones; a negative age counts as zero. Entries whose creation time is more than
  /// an hour ahead of the clock are removed, too.
  @discardableResult public func trim(
    toAge age: Duration, suite: String? = nil
  ) throws(DiskCacheError) -> Freed {
    try finish(beginTrim(toAge: age, suite: suite))
  }

  func beginTrim(toAge age: Duration, suite: String?) throws(DiskCacheError) -> DiskRemoval {
    try withCore { (core) throws(DiskCacheError) in
      try core.checkPlace()
      _ = try core.openIndex()
      let (now, age) = (core.clock.time, age.microseconds)
      let number = suite.map { core.suiteNumber($0) }
      return try core.begin(\.trims, as: .evict(.trim)) { _, slot in
        slot.state == .known && slot.isStored
          && (slot.created <= now
            ? now - slot.created >= age : CacheInstant.isAhead(slot.created, of: now))
          && (number == nil || number == slot.suite)
      }
    }
  }

  // MARK: The cache

  /// Commits everything that was acknowledged, and the order of last use.
  public func flush() throws(DiskCacheError) {
    try withCore { (core) throws(DiskCacheError) in try core.flush() }
    while withLock({ $0.writeSnapshotBlock(names: true) }) { giveWay() }
  }

  /// Flushes and releases the folder; every later call throws `closed`. A cache is also closed when
  /// it is deallocated, without reporting errors. O(entries).
  ///
  /// - Throws: `database`; the cache is closed and the folder released even then.
  public func close() throws(DiskCacheError) {
    try withCore { (core) throws(DiskCacheError) in try core.close() }
  }

  /// Flushes and releases the folder; see `DiskCache.suspend`. Until `resume` other calls but
  /// `close` and `destroy` throw `suspended`, and a key to be changed has no value after `resume`.
  ///
  /// - Throws: `database`; the cache is suspended even then.
  public func suspend() throws(DiskCacheError) {
    try withCore { (core) throws(DiskCacheError) in try core.suspend() }
  }

  /// Opens the folder again after `suspend`, with what it contains by then. After an error, the
  /// next call tries again. O(entries).
  public func resume() throws(DiskCacheError) {
    try withCore { (core) throws(DiskCacheError) in try core.resume() }
  }

  /// Closes the cache without writing, removes its files, and forgets its encryption key; every
  /// later call throws `closed`. Other files stay, and so does a folder that was moved or replaced.
  ///
  /// - Throws: `files` if some could not be removed; a second call tries again. `inUse` if the
  ///   cache was closed and another one has the folder by now.
  public func destroy() throws(DiskCacheError) {
    noteClearing()
    try withCore { (core) throws(DiskCacheError) in try core.destroy() }
  }

  package var policyChoice: PolicyChoice? { withLock { $0.tier.choice } }

  /// Contents, and event counts since the cache was opened.
  public var statistics: TierStatistics {
    withLock { core in
      var statistics = core.statistics
      statistics.droppedEvents = events.dropped
      statistics.count = core.entries
      statistics.weight = core.valueBytes + core.permanentBytes
      statistics.policyChoice = core.tier.choice
      return statistics
    }
  }

  /// Reason why the cache started empty the last time since it was opened, in one line; nil if it
  /// did not. `TierStatistics.rebuilds` counts how often. A damaged database is kept in the
  /// subfolder `damaged`.
  public var damage: String? { withLock { $0.damage } }

  /// Number of entries, including permanent ones and expired ones that were not found yet.
  public var count: Int { withLock { $0.entries } }

  /// Sum of the bytes of all values, including permanent ones.
  public var valueBytes: UInt64 { withLock { $0.valueBytes + $0.permanentBytes } }

  /// Bytes of all files of the cache: database, log, values and databases set aside.
  public var diskBytes: UInt64 { withLock { $0.diskBytes } }

  /// Usage of each suite, in the order of creation; the one without a name is the first.
  public func suites() throws(DiskCacheError) -> [DiskSuiteUsage] {
    try withCore { (core) throws(DiskCacheError) in try core.suiteUsage() }
  }

  package var tierCounts: TierCounts {
    withLock { core in
      var counts = core.tier.counts
      counts.expirations += core.keptExpirations
      if core.configuration.segmentBytes != nil { counts.bytesMoved = core.statistics.bytesMoved }
      return counts
    }
  }

  // MARK: Locking

  func withLock<Result: Sendable>(_ body: (DiskCore) -> Result) -> Result {
    if !lock.tryLock() {
      waiting.wrappingAdd(1, ordering: .relaxed)
      lock.lock()
      waiting.wrappingSubtract(1, ordering: .relaxed)
    }
    defer { lock.unlock() }
    return body(core)
  }

  func withCore<Result: Sendable>(
    _ body: (DiskCore) throws(DiskCacheError) -> Result
  ) throws(DiskCacheError) -> Result {
    let (answer, told) = withLock { core in
      let isHeard = events.isActive || observers.isActive
      core.listen(isHeard)
      core.closeLost()
      let answer = Swift.Result { () throws(DiskCacheError) in try body(core) }
      return (answer, isHeard ? core.takeEvents() : [])
    }
    if !told.isEmpty { send(told) }
    return try answer.get()
  }

  private func send(_ told: [CacheEvent<DiskEntryName>]) {
    for event in told { observers.send(event) }
    guard events.isActive else { return }
    guard ForeignCall.isInside(holder) else {
      for event in told { events.send(event) }
      return
    }
    let thread = larder_thread_number()
    heldEvents.withLock { $0 += told.map { (thread, $0) } }
  }

  private var holder: UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(core).toOpaque())
  }

  /// Makes a call of a hybrid cache, which may hold locks: its events are kept until the thread
  /// calls `sendHeldEvents` without them.
  func holdingEvents<Result>(
    _ body: () throws(DiskCacheError) -> Result
  ) throws(DiskCacheError) -> Result {
    try ForeignCall.run(of: holder, body)
  }

  func sendHeldEvents() {
    let thread = larder_thread_number()
    let own = heldEvents.withLock { held in
      defer { held.removeAll { $0.thread == thread } }
      return held.filter { $0.thread == thread }
    }
    for (_, event) in own { events.send(event) }
  }

  func withKey<Result: Sendable>(
    _ key: String, _ body: (DiskCore, UnsafeRawBufferPointer) throws(DiskCacheError) -> Result
  ) throws(DiskCacheError) -> Result {
    var key = key.diskKey
    let answer = key.withUTF8 { bytes in
      Swift.Result { () throws(DiskCacheError) in
        try withCore { (core) throws(DiskCacheError) in
          try body(core, UnsafeRawBufferPointer(bytes))
        }
      }
    }
    return try answer.get()
  }

  /// Calls `body` with the number of the suite; returns nil if nothing was ever stored in it.
  @discardableResult private func withKey<Result: Sendable>(
    _ key: String, in suite: String,
    _ body: (DiskCore, UnsafeRawBufferPointer, UInt32) throws(DiskCacheError) -> Result
  ) throws(DiskCacheError) -> Result? {
    try withKey(key) { (core, bytes) throws(DiskCacheError) in
      guard let number = try core.suiteNumber(suite, codec: nil) else { return nil }
      return try body(core, bytes, number)
    }
  }
}

extension BlockingDiskCache {
  /// Gives the entry of a key a new lifetime from now on, and a version if one is given, for
  /// example when its origin responds that it was not modified; returns true if there is an entry,
  /// which may have expired. Its value is not rewritten, and the policy counts neither a hit nor a
  /// store.
  @discardableResult public func renew(
    _ key: String, suite: String = "", timeToLive: Duration? = nil, version: String? = nil
  ) throws(DiskCacheError) -> Bool {
    try renew(key, suite: suite, expiry: nil, timeToLive: timeToLive, version: version)
  }

  // MARK: For hybrid caches

  @discardableResult package func renew(
    _ key: String, suite: String = "", expiry: Expiry?, timeToLive: Duration? = nil,
    version: String? = nil
  ) throws(DiskCacheError) -> Bool {
    try withKey(key) { (core, bytes) throws(DiskCacheError) in
      try core.renew(
        bytes, suite: suite, timeToLive: timeToLive, expiry: expiry, version: version)
    }
  }

  /// Toggles the "hit before" mark of an entry and returns its previous state: if called on each
  /// hit, true on the second hit since the entry was stored, and on every second one after that.
  /// Returns false without an entry. The mark is not kept across restarts.
  package func toggleHitBefore(
    _ key: String, suite: String = ""
  ) throws(DiskCacheError) -> Bool {
    try withKey(key, in: suite) { (core, bytes, number) throws(DiskCacheError) in
      try core.toggleHitBefore(bytes, suite: number)
    } ?? false
  }

  // MARK: Lookups

  /// Looks a key up. With a codec, the suite must not hold values of another.
  func lookUp(
    _ key: String, _ suite: String, expired: DiskExpired, codec: String? = nil
  ) throws(DiskCacheError) -> DiskEntry? {
    let entry = try find(key, suite, expired: expired, codec: codec)
    noteGet(key, suite, entry)
    return entry
  }

  private func find(
    _ key: String, _ suite: String, expired: DiskExpired, codec: String?
  ) throws(DiskCacheError) -> DiskEntry? {
    var key = key.diskKey
    let answer = key.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      return Result { () throws(DiskCacheError) in
        var isRepeated = false
        while true {
          let found = try lookUp(
            bytes, suite, expired: expired, codec: codec, isRepeated: isRepeated)
          isRepeated = true
          if case .some(let entry) = try finish(found, bytes, suite) { return entry }
        }
      }
    }
    return try answer.get()
  }

  /// The part of a get that needs the lock.
  private func lookUp(
    _ key: UnsafeRawBufferPointer, _ suite: String, expired: DiskExpired, codec: String?,
    isRepeated: Bool
  ) throws(DiskCacheError) -> DiskLookup {
    try withCore { (core) throws(DiskCacheError) -> DiskLookup in
      guard let number = try core.suiteNumber(suite, codec: codec) else {
        core.missUnknown(suite, key)
        return .none
      }
      return try core.get(key, suite: number, expired: expired, isRepeated: isRepeated)
    }
  }

  /// The part of a get that needs no lock. Returns the result, possibly without an entry, or nil if
  /// another value was stored meanwhile and the lookup must be repeated.
  private func finish(
    _ found: DiskLookup, _ key: UnsafeRawBufferPointer, _ suite: String
  ) throws(DiskCacheError) -> DiskEntry?? {
    let next: DiskLookup?
    switch found {
    case .none:
      return .some(nil)
    case .entry(let entry):
      return entry
    case .row(let reading):
      let hasFailed: Bool
      do throws(SQLiteError) {
        if let entry = try reading.entry(key) { return entry }
        hasFailed = false
      } catch {
        hasFailed = true
      }
      next = try withCore { (core) throws(DiskCacheError) in
        try core.retry(reading, hasFailed: hasFailed, key)
      }
    case .file(let reading):
      // Reading and verifying a large value takes longer than everything else, so other calls
      // continue.
      let value = Result { () throws(FileFailure) in
        try reading.value()
      }
      next = try withCore { (core) throws(DiskCacheError) in
        try core.finish(reading, value, key, suite: core.suiteNumber(suite) ?? 0)
      }
    }
    guard let next else { return nil }
    return try finish(next, key, suite)
  }

  func store(
    _ data: Data, _ key: String, _ suite: String, _ options: DiskStoreOptions, life: DiskLife?,
    codec: String? = nil
  ) throws(DiskCacheError) -> Bool {
    noteSet(data.count, key, suite, options, life)
    return try withKey(key) { (core, bytes) throws(DiskCacheError) in
      // `withUnsafeBytes` does not declare the errors that it rethrows.
      let answer = data.withUnsafeBytes { value in
        Result { () throws(DiskCacheError) in
          try core.set(bytes, suite: suite, value, options, life: life, codec: codec)
        }
      }
      return try answer.get()
    }
  }
}

extension BlockingDiskCache {
  /// Returns the keys of a suite whose entries have not expired, unordered. Not counted as
  /// accesses. O(entries of the cache).
  public func keys(suite: String = "") throws(DiskCacheError) -> [String] {
    var keys: [String] = []
    var entries = entries(suite: suite)
    while let entry = try entries.next() {
      if !entry.metadata.isExpired { keys.append(entry.name.key) }
    }
    return keys
  }

  /// Returns the values of several keys, without keys that have none.
  public func values(
    for keys: some Sequence<String>, suite: String = ""
  ) throws(DiskCacheError) -> [String: Data] {
    var values: [String: Data] = [:]
    values.reserveCapacity(keys.underestimatedCount)
    for key in keys { values[key] = try value(for: key, suite: suite) }
    return values
  }

  /// Stores several values, in order, and returns the number stored afterwards. After an error, the
  /// values before that one are stored.
  @discardableResult public func setAll(
    _ values: some Sequence<(key: String, value: Data)>, suite: String = "",
    options: DiskStoreOptions = DiskStoreOptions()
  ) throws(DiskCacheError) -> Int {
    var count = 0
    for (key, value) in values where try set(value, for: key, suite: suite, options: options) {
      count += 1
    }
    return count
  }
}

extension BlockingDiskCache {
  /// Current limits: those of the configuration, or of the last `setLimits`.
  public var limits: DiskLimits { withLock { $0.configuration.limits } }

  /// Changes the limits, and returns the space freed by evicting entries that no longer fit.
  ///
  /// The policy is restored as after a restart (see `DiskCache`). Another `age` applies to entries
  /// that are stored or renewed from now on. The limits are not stored. O(n log n) in the entries,
  /// during which other calls wait.
  ///
  /// - Throws: `limit` or `configuration` if a number is out of range or the policy does not
  ///   support it, in which case nothing has changed; `closed`; `database` if evicted entries could
  ///   not be deleted yet, in which case the new limits apply.
  @discardableResult public func setLimits(_ limits: DiskLimits) throws(DiskCacheError) -> Freed {
    try remove { (core) throws(DiskCacheError) in
      defer { age.store(core.configuration.limits.ageOrZero, ordering: .relaxed) }
      return try core.resize(limits)
    }
  }

  /// Maximum TTL of entries stored from now on; nil for no limit. Takes no lock.
  var timeToLive: Duration? {
    let age = age.load(ordering: .relaxed)
    return age == 0 ? nil : .microseconds(Int64(clamping: age))
  }
}

extension BlockingDiskCache {
  package var usage: DiskUsage { withLock { $0.usage } }

  package var writes: DiskWrites { withLock { $0.writes } }

  /// Returns a stream of all events from now on. If the reader is slower than the cache, only the
  /// newest `buffered` events, at least one, are kept. Without listeners events cost nothing; with
  /// listeners, the key of every entry that leaves is read from the database.
  ///
  /// A get that returns an expired entry is a `miss`. Renewals, and entries lost with a damaged
  /// database or a failed group of writes, are not reported.
  public func eventStream(buffered: Int = 1024) -> AsyncStream<CacheEvent<DiskEntryName>> {
    events.stream(buffered: buffered)
  }

  /// Calls `handler` for every event from now on, on the thread of the event and with no lock held,
  /// until the token is cancelled or destroyed. Events of a hybrid cache's calls follow when its
  /// call has released its locks. See `eventStream` for the events.
  public func onEvent(
    _ handler: @escaping @Sendable (CacheEvent<DiskEntryName>) -> Void
  ) -> CacheEventToken {
    let number = events.listen(handler)
    return CacheEventToken { [weak events] in events?.drop(number) }
  }

  /// Calls `handler` for every event at once, possibly with locks of a hybrid cache held: it may
  /// only queue the event.
  func observe(
    _ handler: @escaping @Sendable (CacheEvent<DiskEntryName>) -> Void
  ) -> CacheEventToken {
    let number = observers.listen(handler)
    return CacheEventToken { [weak observers] in observers?.drop(number) }
  }
}
