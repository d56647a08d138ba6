import LarderEngine
import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A cache in memory in front of one on disk in front of an origin, for use from any number of
/// threads and tasks.
///
/// ```swift
/// let cache = try HybridCache<String, Article>(path: folder)
/// let article = try await cache.value(for: id) { request in try await api.article(id) }
/// ```
///
/// `value(for:)` and `result(for:)` ask the cache and then the origin, according to a
/// `CacheStrategy`. Concurrent requests for a key make one fetch. `entry(for:)`, `set` and `remove`
/// use the cache only.
///
/// **Rules.** `configuration.rules` decides what is stored where and what moves between memory and
/// disk, with the same code as in a simulation: with one thread, the counts of the cache equal
/// those of `HybridSimulation`.
///
/// **One order per key.** Sets, removals, promotions and stores of fetched values are serialised
/// for each key, over both tiers. A fetch that is overtaken by a set or a removal of its key is not
/// stored.
///
/// **Expired entries** are misses, and are kept while they can be revalidated or returned when the
/// origin fails: see `HybridCacheConfiguration.revalidateWithin`.
///
/// **Threads.** `value`, `result`, `updates` and `prewarm` run everything but memory hits on
/// threads of the cache, and suspend their task until it is done. `entry(for:)`, `set`, `remove`
/// and all other calls run on the calling thread, which may block for the disk; tasks call them
/// through `AsyncHybridCache`.
///
/// **If the disk fails**, memory continues to work. `entry(for:)`, `set` and `remove` do what they
/// can in memory and then throw; `value` and `result` treat a failing disk as empty, and notify
/// listeners.
///
/// **Codec, clock and deinitialisers of values must not call the cache**: they run while a part of
/// the cache is locked. If a codec does, a debug build traps, and in a release build calls that
/// need more than memory throw `HybridCacheError.calledByCodec`.
///
/// A permanent entry is always on disk, whatever the rules say; memory may evict it.
public final class HybridCache<Key: DiskKeyRepresentable, Value: Sendable>: @unchecked Sendable {
  /// Options for storing a value.
  public typealias StoreOptions = DiskStoreOptions

  /// The configuration of the cache.
  public let configuration: HybridCacheConfiguration

  let memory: MemoryCache<Key, HybridHeld<Value>>?
  // The same for hits that need no lock; nil where they do. Not counted: reading an optional
  // property counts a reference up and down, which two threads cannot do at the same time.
  @usableFromInline let front: Unmanaged<MemoryCache<Key, HybridHeld<Value>>>?
  let disk: DiskCache?
  // What the cache uses of it: its suite, until it is closed.
  let diskTier: HybridDisk?
  let codec: DiskCodec<Value>
  let clock: any CacheClock
  let rules: HybridRules
  let stripes: HybridStripes<Key, Value>
  @usableFromInline let events = HybridEvents()
  /// For recordings where there is no memory, whose own it is otherwise.
  let recorder = RecordPoint()
  let isMemoryWeighed: Bool
  /// See `MemoryCacheConfiguration.isSimulated`.
  let isSimulated: Bool
  let writesBack: Bool
  // Whether a value that is stored is encoded before its stripe is locked.
  let encodesEarly: Bool
  // Whether memory keeps values as they are, and not encoded.
  @usableFromInline let keepsValues: Bool
  /// For how long what has expired is kept.
  let grace: Grace
  /// Where requests do what they do below a hit in memory.
  /// More than processors: a lane waits for the disk most of the time, and a slow read holds up the
  /// keys of its lane alone.
  let lanes = CacheLanes("larder.hybrid", count: 16)
  let pending = HybridPending<Key>()
  /// The time of the latest operation below a hit in memory, to a second.
  let latest = Atomic<UInt64>(0)
  /// Changed with all stripes locked.
  private let hasClosed = Atomic<Bool>(false)
  private let baseline = Locked(TierCounts())

  init(
    _ configuration: HybridCacheConfiguration, disk: DiskCache?, ownsDisk: Bool,
    codec: DiskCodec<Value>
  ) throws(HybridCacheError) {
    try configuration.check()
    self.configuration = configuration
    self.disk = disk
    if let disk {
      diskTier = try HybridDisk(
        disk, suite: configuration.suite, codec: codec.identity, ownsCache: ownsDisk)
    } else {
      diskTier = nil
    }
    grace = configuration.grace
    let clock = disk?.core.clock ?? configuration.clock
    self.clock = clock
    rules = configuration.effectiveRules
    writesBack = configuration.writes.isBack
    isMemoryWeighed = configuration.memory?.limits.weight != nil
    isSimulated = configuration.memory?.isSimulated ?? false
    keepsValues = !configuration.copiesOnRead
    encodesEarly =
      isMemoryWeighed || configuration.copiesOnRead
      || (disk != nil && rules.inclusion == .inclusive)
    let stripes = HybridStripes<Key, Value>()
    self.stripes = stripes
    self.codec = DiskCodec(
      identity: codec.identity, contentType: codec.contentType,
      encode: { [codec, stripes] value in
        try ForeignCall.run(of: stripes.place) { try codec.encode(value) }
      },
      decode: { [codec, stripes] data in
        try ForeignCall.run(of: stripes.place) { try codec.decode(data) }
      })
    do throws(MemoryCacheError) {
      memory = try Self.makeMemory(configuration, clock, rules, stripes, pending, events)
    } catch {
      throw .memory(error)
    }
    // A hit that evicts what then moves is one for the lock.
    let locksHits =
      rules.demotes && PolicyRegistry.evictsOnHit(configuration.memory?.policy.description ?? "")
    front = locksHits ? nil : memory.map { Unmanaged.passUnretained($0) }
    if rules.demotes, let memory {
      stripes.make(count: memory.blocks.count, memory.hasher)
    } else {
      stripes.make(count: 64, memory?.hasher ?? KeyHasher(.standard))
    }
  }

  private static func makeMemory(
    _ configuration: HybridCacheConfiguration, _ clock: any CacheClock, _ rules: HybridRules,
    _ stripes: HybridStripes<Key, Value>, _ pending: HybridPending<Key>, _ events: HybridEvents
  ) throws(MemoryCacheError) -> MemoryCache<Key, HybridHeld<Value>>? {
    guard var tier = configuration.memory else { return nil }
    tier.clock = clock
    tier.pressureRule = configuration.pressureRule
    var onEviction: (@Sendable (MemoryEviction<Key, HybridHeld<Value>>) -> Void)?
    if rules.demotes {
      // Whoever makes memory evict holds the lock of the stripe: see `HybridStripes`.
      onEviction = { stripes[$0.key].victims.append($0) }
    } else if configuration.writes.isBack {
      onEviction = { pending.note($0.key) }
    }
    let afterSweep: @Sendable () -> Void = { [weak events] in events?.deliver() }
    let grace = configuration.grace
    if grace.isNone {
      return try MemoryCache(tier, onEviction: onEviction, afterSweep: afterSweep)
    }
    return try MemoryCache(tier, onEviction: onEviction, afterSweep: afterSweep) { held, expires in
      grace.keeps(
        hasVersion: held.pointee.note.facts?.version != nil, expires: expires,
        now: clock.nowMicroseconds)
    }
  }

  deinit {
    recorder.end()
    try? writeAllDirty()
    try? diskTier?.close()
  }

  // MARK: Gets

  /// The value of a key with its metadata, or nil if neither tier has a valid one. Counts as a
  /// reference; a value found on disk is promoted according to the rules.
  ///
  /// - Throws: `disk`, if memory does not have the key and the disk fails.
  @inlinable public func entry(for key: Key) throws(HybridCacheError) -> CacheHit<Value>? {
    guard let front else { return try getUnderLock(key) }
    guard keepsValues, !events.isActive else {
      guard let held = front._withUnsafeGuaranteedRef({ $0.value(for: key) }) else {
        return try getBelowMemory(key)
      }
      return try hit(held, key)
    }
    // Made where the entry lies: a copy of the entry would count all its parts up and down.
    let hit = front._withUnsafeGuaranteedRef { memory in memory.get(key) { CacheHit(at: $0) } }
    // Handed on as it is: taking it out of the optional would copy it.
    if case .none = hit { return try getBelowMemory(key) }
    return hit
  }

  /// The value of a key, or nil: `entry(for:)` without the metadata.
  ///
  /// - Throws: as `entry(for:)`.
  @inlinable public func value(for key: Key) throws(HybridCacheError) -> Value? {
    try entry(for: key)?.value
  }

  /// A hit in memory on a value that is kept encoded, or while somebody listens.
  @usableFromInline func hit(
    _ held: HybridHeld<Value>, _ key: Key
  ) throws(HybridCacheError) -> CacheHit<Value>? {
    let hit = try open(held)
    events.note(.hit, key, .memory)
    events.deliver()
    return hit
  }

  /// A get of which memory knows nothing.
  @usableFromInline func getBelowMemory(_ key: Key) throws(HybridCacheError) -> CacheHit<Value>? {
    try withStripe(key) { (operation: inout Operation) throws(HybridCacheError) in
      // Another thread may have brought it meanwhile.
      let isInMemory = memory?.contains(key) ?? false
      return try find(key, &operation, asksMemory: isInMemory, handsOutExpired: false)
    }
  }

  @usableFromInline func getUnderLock(_ key: Key) throws(HybridCacheError) -> CacheHit<Value>? {
    try withStripe(key) { (operation: inout Operation) throws(HybridCacheError) in
      try find(key, &operation, asksMemory: true, handsOutExpired: false)
    }
  }

  /// Looks a key up whose stripe is locked. What disk holds that has expired is put into the
  /// outcome if `handsOutExpired`.
  func find(
    _ key: Key, _ operation: inout Operation, asksMemory: Bool, handsOutExpired: Bool
  ) throws(HybridCacheError) -> CacheHit<Value>? {
    if asksMemory, let held = memory?.value(for: key) {
      events.note(.hit, key, .memory)
      return try open(held)
    }
    var item = item(key)
    item.handsOutExpired = handsOutExpired
    let answer = rules.getFromDisk(item, in: &operation)
    guard case .disk(let found, let isPromoted) = answer else {
      noteGet(key, bytes: nil, item.now)
      events.note(.miss, key, nil)
      if let failure = operation.outcome.failure { throw failure }
      return nil
    }
    noteGet(key, bytes: found.data.count, item.now)
    events.note(.hit, key, .disk)
    if isPromoted {
      operation.stripe.totals.promotions += 1
      events.note(.promote, key, .memory)
    } else if !grace.isNone {
      // Memory may have a copy that has expired there, and that nobody needs any more.
      memory?.removeExpired(key)
    }
    return hit(found)
  }

  /// Whether a get would be a hit. Does not count as a reference, and moves nothing.
  ///
  /// - Throws: `disk`, if memory does not have the key and the disk fails.
  public func contains(_ key: Key) throws(HybridCacheError) -> Bool {
    if memory?.contains(key) ?? false { return true }
    guard let diskTier else {
      if isClosed { throw .closed }
      return false
    }
    return try withStripe(key) { (operation: inout Operation) throws(HybridCacheError) in
      if memory?.contains(key) ?? false { return true }
      if let dirty = operation.stripe.dirty[key] { return dirty.expires > clock.nowMicroseconds }
      do throws(DiskCacheError) {
        return try diskTier.contains(key.diskKey)
      } catch {
        throw .disk(error)
      }
    }
  }

  // MARK: Counts

  /// What a simulation would have counted of the same requests: promotions, demotions, and what
  /// happened in each tier. Requests and hits are for the caller to count. On a disk that several
  /// caches share, its part is that of all.
  package var counts: Counts {
    var counts = Counts()
    stripes.visit { stripe in
      counts.promotions += stripe.totals.promotions
      counts.demotions += stripe.totals.demotions
    }
    counts.memory = memory?.tierCounts ?? TierCounts()
    counts.disk = disk?.tierCounts ?? TierCounts()
    baseline.withLock { counts.disk.subtract($0) }
    return counts
  }

  /// Sets `counts` and the statistics of the cache and of memory to zero. Disk's own statistics go
  /// on.
  package func resetCounts() {
    stripes.visit { $0.totals = HybridTotals() }
    memory?.resetStatistics()
    if let disk { baseline.withLock { $0 = disk.tierCounts } }
  }

  /// True once `close` was called.
  var isClosed: Bool { hasClosed.load(ordering: .acquiring) }

  /// Writes everything, empties memory and releases the folder, or on a shared disk cache the
  /// suite. A closed cache answers nothing and stores nothing: calls without an origin throw
  /// `HybridCacheError.disk` or, without a disk tier, `closed`; those with one ask it and return
  /// its value. A second call does nothing.
  ///
  /// - Throws: `disk`; the cache is closed nevertheless.
  public func close() throws(HybridCacheError) {
    try refuseNestedCall()
    stripes.lockAll()
    let isFirst = !hasClosed.exchange(true, ordering: .acquiringAndReleasing)
    for stripe in stripes.all { for key in Array(stripe.flights.keys) { stripe.overtake(key) } }
    stripes.unlockAll()
    guard isFirst else { return }
    var failure: HybridCacheError?
    do { try flush() } catch { failure = error }
    // Sets that were under way have ended: from here on nothing comes to memory.
    memory?.discardAll()
    if let diskTier {
      do throws(DiskCacheError) { try diskTier.close() } catch { failure = failure ?? .disk(error) }
    }
    if let failure { throw failure }
  }
}

extension TierCounts {
  /// Takes off what was counted up to a moment. (A disk that begins anew counts anew, too.)
  fileprivate mutating func subtract(_ other: TierCounts) {
    admissions -= min(admissions, other.admissions)
    rejections -= min(rejections, other.rejections)
    evictions -= min(evictions, other.evictions)
    expirations -= min(expirations, other.expirations)
    bytesMoved = bytesMoved.map { $0 - min($0, other.bytesMoved ?? 0) }
    bytesWritten -= min(bytesWritten, other.bytesWritten)
  }
}

extension HybridCache {
  /// A cache in a folder, which is made where there is none; one cache at a time has it open.
  ///
  /// - Parameters:
  ///   - path: the folder; nil only for a configuration without disk.
  ///   - codec: how values become bytes and back.
  /// - Throws: `configuration`, `memory`, or `disk`, also when the folder holds values of another
  ///   codec.
  public convenience init(
    path: String? = nil, configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    codec: DiskCodec<Value>
  ) throws(HybridCacheError) {
    try self.init(path: path, configuration: configuration, codec: codec, files: SystemFiles())
  }

  /// A cache in the folder of a file URL; see the initialiser with a path.
  ///
  /// - Throws: as that initialiser; `configuration` for a URL that is not a file's.
  public convenience init(
    path url: URL, configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    codec: DiskCodec<Value>
  ) throws(HybridCacheError) {
    guard url.isFileURL else {
      throw .configuration(message: "\(url.absoluteString) is not a file URL")
    }
    try self.init(path: url.absoluteString, configuration: configuration, codec: codec)
  }

  /// The same, over another file layer.
  package convenience init(
    path: String?, configuration: HybridCacheConfiguration, codec: DiskCodec<Value>,
    files: any FileLayer
  ) throws(HybridCacheError) {
    // Before anything is done on disk.
    try configuration.check()
    var disk: DiskCache?
    if let tier = configuration.disk {
      guard let path else {
        throw .configuration(message: "a cache with a disk tier needs the path of a folder")
      }
      do throws(DiskCacheError) {
        disk = try DiskCache(
          path: path, configuration: tier, clock: configuration.clock, files: files)
      } catch {
        throw .disk(error)
      }
    }
    try self.init(configuration, disk: disk, ownsDisk: true, codec: codec)
  }

  /// A cache in front of a disk cache that others use, too. Each needs a `suite` of its own, and
  /// has it until it is closed or destroyed. Clock and limits of disk are that cache's. It is not
  /// closed with this one.
  ///
  /// - Throws: `configuration`, `memory`, `suiteInUse`, or `disk` when the suite holds values of
  ///   another codec.
  public convenience init(
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(), disk: DiskCache,
    codec: DiskCodec<Value>
  ) throws(HybridCacheError) {
    var configuration = configuration
    configuration.disk = disk.withLock { $0.configuration }
    try self.init(configuration, disk: disk, ownsDisk: false, codec: codec)
  }
}

extension HybridCache where Value: Codable {
  /// A cache in a folder, of values that are stored with `DiskCodec.standard`: `Data` as it is,
  /// `String` as UTF-8, others as JSON. See the initialiser with a codec.
  ///
  /// - Throws: `configuration`, `memory` or `disk`.
  public convenience init(
    path: String? = nil, configuration: HybridCacheConfiguration = HybridCacheConfiguration()
  ) throws(HybridCacheError) {
    try self.init(path: path, configuration: configuration, codec: .standard)
  }

  /// A cache in the folder of a file URL, of values that are stored with `DiskCodec.standard`.
  ///
  /// - Throws: as the initialiser with a codec.
  public convenience init(
    path url: URL, configuration: HybridCacheConfiguration = HybridCacheConfiguration()
  ) throws(HybridCacheError) {
    try self.init(path: url, configuration: configuration, codec: .standard)
  }

  /// A cache in front of a disk cache that others use, too, of values that are stored with
  /// `DiskCodec.standard`.
  ///
  /// - Throws: as the initialiser with a codec.
  public convenience init(
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(), disk: DiskCache
  ) throws(HybridCacheError) {
    try self.init(configuration: configuration, disk: disk, codec: .standard)
  }
}

/// More than one key at a time.
extension HybridCache {
  /// The values of several keys that a tier has; keys without one are left out. As one
  /// `value(for:)` for each key, in order, on the calling thread.
  ///
  /// - Throws: as `entry(for:)`; what was found until then is lost, and counted.
  public func values(for keys: some Sequence<Key>) throws(HybridCacheError) -> [Key: Value] {
    var values: [Key: Value] = [:]
    values.reserveCapacity(keys.underestimatedCount)
    for key in keys { values[key] = try value(for: key) }
    return values
  }

  /// Stores several values, as one `set` for each, in order, and returns how many a tier has
  /// afterwards. A dictionary is such a sequence.
  ///
  /// - Parameter options: Those of each entry.
  /// - Throws: what `set` throws first; the values before that one are stored.
  @discardableResult public func setAll(
    _ values: some Sequence<(key: Key, value: Value)>, options: StoreOptions = StoreOptions()
  ) throws(HybridCacheError) -> Int {
    var count = 0
    for (key, value) in values where try set(value, for: key, options: options) { count += 1 }
    return count
  }
}
