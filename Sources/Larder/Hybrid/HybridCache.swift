import LarderEngine
import LarderPolicies
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A cache in memory in front of one on disk in front of an origin, for use from any number of
/// threads and tasks.
///
/// ```swift
/// let cache = try HybridCache<String, Article>(name: "articles")
/// let article = try await cache.value(for: id) { request in try await api.article(id) }
/// ```
///
/// `value(for:)` and `result(for:)` ask the cache and then the origin, according to a
/// `CacheStrategy`. Concurrent requests for a key make one fetch. `entry(for:)`, `set` and `remove`
/// use the cache only.
///
/// **Rules.** `configuration.rules` decides where values are stored and how they move between
/// memory and disk, with the same code as in a simulation: with one thread, the counts of the cache
/// equal those of `HybridSimulation`.
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
/// **If the disk fails**, memory continues to work. `entry(for:)`, `set` and `remove` do their part
/// in memory and then throw; `value` and `result` treat a failing disk as empty, and notify
/// listeners.
///
/// **Codec, clock, `weigh` and keys must not call the cache**: they run while a part of the cache
/// is locked. If they do, a debug build traps, and in a release build calls that need more than
/// memory throw `HybridCacheError.calledFromWithin`. Deinitialisers of values may call it: a value
/// that leaves is destroyed once nothing is locked.
///
/// A permanent entry is always on disk, whatever the rules; memory may evict it.
public final class HybridCache<Key: DiskKeyRepresentable, Value: Sendable>: @unchecked Sendable {
  /// Options for storing a value.
  public typealias StoreOptions = DiskStoreOptions

  /// The configuration of the cache, without its encryption key, which only the disk tier has.
  public let configuration: HybridCacheConfiguration

  let memory: MemoryCache<Key, MemoryRecord<Value>>?
  // The memory tier if its hits need no lock, otherwise nil. Unmanaged: reading an optional
  // property retains and releases, which threads cannot do in parallel.
  @usableFromInline let front: Unmanaged<MemoryCache<Key, MemoryRecord<Value>>>?
  let disk: BlockingDiskCache?
  // The suite of the disk cache that this cache uses, until it is closed.
  let diskTier: HybridDisk?
  let codec: DiskCodec<Value>
  /// Weight of a value in memory; nil for its encoded size.
  let weigh: (@Sendable (Value) -> Int)?
  let clock: any CacheClock
  let rules: HybridRules
  let stripes: HybridStripes<Key, Value>
  @usableFromInline let events = HybridEvents()
  /// Recorder of a cache without memory; otherwise memory has its own.
  let recorder = RecordPoint()
  let isMemoryWeighed: Bool
  /// See `MemoryCacheConfiguration.isSimulated`.
  let isSimulated: Bool
  // True if a value is encoded before its stripe is locked.
  let encodesEarly: Bool
  // True if memory keeps values themselves, not encoded.
  @usableFromInline let keepsValues: Bool
  /// Idle time after which entries on disk expire, in microseconds; nil for none.
  let diskIdle: UInt64?
  let grace: Grace
  /// Threads for everything below a hit in memory. More than processors: a lane waits for the disk
  /// most of the time, and a slow read delays only the keys of its lane.
  let lanes = CacheLanes("larder.hybrid", count: 16)
  let absences: HybridAbsences<Key>
  /// Limits the fetches at once; nil without a limit.
  let queue: LoadQueue?
  /// Time of the latest operation below a hit in memory, to a second.
  let latest = Atomic<UInt64>(0)
  /// Changed with all stripes locked.
  private let hasClosed = Atomic<Bool>(false)
  private let baseline = Locked(TierCounts())

  init(
    _ configuration: HybridCacheConfiguration, disk: BlockingDiskCache?, ownsDisk: Bool,
    codec: DiskCodec<Value>, weigh: (@Sendable (Value) -> Int)?
  ) throws(HybridCacheError) {
    try configuration.check()
    var known = configuration
    known.disk?.encryption = nil
    self.configuration = known
    self.disk = disk
    if let disk {
      diskTier = try HybridDisk(
        disk, suite: configuration.suite, codec: codec.identity, ownsCache: ownsDisk)
    } else {
      diskTier = nil
    }
    diskIdle = configuration.disk?.expireAfterAccess?.microseconds
    grace = configuration.grace
    let clock = disk?.core.clock ?? configuration.clock
    self.clock = clock
    rules = configuration.effectiveRules
    isMemoryWeighed = configuration.memory?.limits.weight != nil
    isSimulated = configuration.memory?.isSimulated ?? false
    keepsValues = !configuration.copiesOnRead
    absences = HybridAbsences(configuration.memory, clock)
    queue = configuration.fetchesMax.map { LoadQueue(max: $0) }
    // With copies, memory has the bytes instead of the value.
    let weigh = configuration.copiesOnRead ? nil : weigh
    encodesEarly =
      isMemoryWeighed && weigh == nil || configuration.copiesOnRead
      || (disk != nil && rules.inclusion == .inclusive)
    let stripes = HybridStripes<Key, Value>()
    self.stripes = stripes
    if let weigh {
      self.weigh = { [stripes] value in ForeignCall.run(of: stripes.place) { weigh(value) } }
    } else {
      self.weigh = nil
    }
    self.codec = DiskCodec(
      identity: codec.identity, contentType: codec.contentType,
      encode: { [codec, stripes] value in
        try ForeignCall.run(of: stripes.place) { try codec.encode(value) }
      },
      decode: { [codec, stripes] data in
        try ForeignCall.run(of: stripes.place) { try codec.decode(data) }
      })
    do throws(MemoryCacheError) {
      memory = try Self.makeMemory(configuration, clock, rules, stripes, events)
    } catch {
      throw .memory(error)
    }
    // A hit that evicts entries, which then move, needs the lock.
    let locksHits =
      rules.demotes && PolicyRegistry.evictsOnHit(configuration.memory?.policy.description ?? "")
    front = locksHits ? nil : memory.map { Unmanaged.passUnretained($0) }
    if rules.demotes, let memory {
      stripes.make(count: memory.blocks.count, memory.hasher)
    } else {
      stripes.make(count: 64, memory?.hasher ?? KeyHasher(.standard))
    }
    if let tier = configuration.memory, tier.observesMemoryPressure, !isSimulated {
      do throws(MemoryPressureError) {
        observe(try SharedPressure(tier.pressureHub))
      } catch {
        throw .memory(.memoryPressure(error))
      }
    }
  }

  private static func makeMemory(
    _ configuration: HybridCacheConfiguration, _ clock: any CacheClock, _ rules: HybridRules,
    _ stripes: HybridStripes<Key, Value>, _ events: HybridEvents
  ) throws(MemoryCacheError) -> MemoryCache<Key, MemoryRecord<Value>>? {
    guard var tier = configuration.memory else { return nil }
    tier.clock = clock
    tier.pressureRule = configuration.pressureRule
    // The hybrid observes it, for both tiers.
    tier.observesMemoryPressure = false
    let (demotes, isInert) = (rules.demotes, HybridStripes<Key, Value>.isInert)
    var onEviction: (@Sendable (MemoryEviction<Key, MemoryRecord<Value>>) -> Void)?
    if demotes || !isInert { onEviction = { stripes.receive($0, demotes: demotes) } }
    let afterSweep: @Sendable () -> Void = { [weak events] in
      stripes.destroyDeparted()
      events?.deliver()
    }
    let grace = configuration.grace
    var keepsExpired: (@Sendable (UnsafePointer<MemoryRecord<Value>>, Expiry) -> Bool)?
    if !grace.isNone {
      keepsExpired = { held, expiry in
        grace.keeps(
          hasVersion: held.pointee.metadata.facts?.version != nil, expiry, now: clock.time)
      }
    }
    return try MemoryCache(
      tier, onEviction: onEviction, tellsAll: !isInert, afterSweep: afterSweep,
      keepsExpired: keepsExpired)
  }

  deinit {
    recorder.end()
    try? diskTier?.close()
  }

  // MARK: Gets

  /// Returns the value of a key with its metadata, or nil if neither tier has a valid one. Counts
  /// as an access; a value found on disk is promoted according to the rules.
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
    // Created from the entry in place: copying the entry would retain and release all its parts.
    let hit = front._withUnsafeGuaranteedRef { memory in memory.get(key) { CacheHit(at: $0) } }
    // Returned unchanged: unwrapping the optional would copy it.
    if case .none = hit { return try getBelowMemory(key) }
    return hit
  }

  /// Returns the value of a key, or nil: `entry(for:)` without the metadata.
  ///
  /// - Throws: The errors of `entry(for:)`.
  @inlinable public func value(for key: Key) throws(HybridCacheError) -> Value? {
    try entry(for: key)?.value
  }

  /// Handles a hit in memory if the value is kept encoded, or with listeners.
  @usableFromInline func hit(
    _ held: MemoryRecord<Value>, _ key: Key
  ) throws(HybridCacheError) -> CacheHit<Value>? {
    let hit = try open(held)
    events.note(.hit, key, .memory)
    events.deliver()
    return hit
  }

  /// Gets a value that memory does not have.
  @usableFromInline func getBelowMemory(_ key: Key) throws(HybridCacheError) -> CacheHit<Value>? {
    try withStripe(key) { (operation: inout Operation) throws(HybridCacheError) in
      // Another thread may have stored it meanwhile.
      let isInMemory = memory?.contains(key) ?? false
      return try find(key, &operation, asksMemory: isInMemory, handsOutExpired: false)
    }
  }

  @usableFromInline func getUnderLock(_ key: Key) throws(HybridCacheError) -> CacheHit<Value>? {
    try withStripe(key) { (operation: inout Operation) throws(HybridCacheError) in
      try find(key, &operation, asksMemory: true, handsOutExpired: false)
    }
  }

  /// Looks up a key whose stripe is locked. If `handsOutExpired`, an expired entry on disk is
  /// stored in the outcome.
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
      // Memory may have a copy that has expired there, and is no longer needed.
      memory?.removeExpired(key)
    }
    return hit(found)
  }

  /// Returns true if a get would be a hit. Not counted as an access; moves nothing.
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
      do throws(DiskCacheError) {
        return try diskTier.contains(key.diskKey)
      } catch {
        throw .disk(error)
      }
    }
  }

  // MARK: Counts

  /// Counts that a simulation of the same requests would report: promotions, demotions, and the
  /// counts of each tier. Requests and hits are left to the caller. On a disk shared by several
  /// caches, the disk's counts are those of all.
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

  /// Resets `counts` and the statistics of the cache and of memory to zero. Disk's own statistics
  /// continue.
  package func resetCounts() {
    stripes.visit { $0.totals = HybridTotals() }
    memory?.resetStatistics()
    if let disk { baseline.withLock { $0 = disk.tierCounts } }
  }

  /// True once `close` was called.
  var isClosed: Bool { hasClosed.load(ordering: .acquiring) }

  /// Writes everything, empties memory and releases the folder, or on a shared disk cache the
  /// suite. A closed cache returns and stores nothing: calls without an origin throw
  /// `HybridCacheError.disk` or, without a disk tier, `closed`; those with one ask it and return
  /// its value. A second call does nothing.
  ///
  /// - Throws: `disk`; the cache is closed nevertheless.
  public func close() throws(HybridCacheError) {
    guard try end() else { return }
    var failure: HybridCacheError?
    do { try flush() } catch { failure = error }
    // Running sets have ended: from here on nothing is stored in memory.
    memory?.discardAll()
    if let diskTier {
      do throws(DiskCacheError) { try diskTier.close() } catch { failure = failure ?? .disk(error) }
    }
    if let failure { throw failure }
  }

  /// Closes the cache without writing, empties memory, and removes the folder's files and forgets
  /// the encryption key: see `DiskCache.destroy`. On a shared disk cache, removes the suite with
  /// all of its entries. Also destroys a cache that was closed before.
  ///
  /// - Throws: `disk`; the cache is closed nevertheless, and a second call tries again.
  ///   `suiteInUse` if the cache was closed and another one uses the suite by now.
  public func destroy() throws(HybridCacheError) {
    _ = try end()
    memory?.discardAll()
    noteClearing()
    try diskTier?.destroy()
  }

  /// Marks the cache as closed, so that nothing is stored any more; returns false if it was
  /// already.
  private func end() throws(HybridCacheError) -> Bool {
    try refuseNestedCall()
    return stripes.holdAll {
      absences.removeAll()
      for stripe in stripes.all {
        for key in Array(stripe.flights.keys) { stripe.overtake(key) }
      }
      return !hasClosed.exchange(true, ordering: .acquiringAndReleasing)
    }
  }
}

extension TierCounts {
  /// Subtracts earlier counts. (If the disk started empty in between, its counts did, too.)
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
  /// Creates a cache in a folder, which is created if it does not exist; one cache at a time has it
  /// open.
  ///
  /// - Parameters:
  ///   - path: The folder, as a path or a file URL; left out only without a disk tier.
  ///   - configuration: The configuration.
  ///   - codec: Conversion between values and bytes.
  ///   - weigh: Weight of a value in memory, in bytes, for values that take more memory than their
  ///     encoded bytes, such as pictures; nil for their encoded size. The weight must not change.
  ///     With `copiesOnRead` memory holds the encoded bytes, and this has no effect.
  /// - Throws: `configuration`, `memory`, or `disk`, which includes a folder with values of another
  ///   codec.
  public convenience init<Location: CacheLocation>(
    path: Location? = String?.none,
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(), codec: DiskCodec<Value>,
    weigh: (@Sendable (Value) -> Int)? = nil
  ) throws(HybridCacheError) {
    try self.init(
      path: path?.cacheLocation, configuration: configuration, codec: codec, weigh: weigh,
      files: SystemFiles())
  }

  /// Creates a cache in a folder of this name in the system's folder for caches, as
  /// `DiskCache.init(name:configuration:clock:)` does.
  ///
  /// - Throws: The errors of the initialiser with a path.
  public convenience init(
    name: String, configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    codec: DiskCodec<Value>, weigh: (@Sendable (Value) -> Int)? = nil
  ) throws(HybridCacheError) {
    try self.init(
      path: try Self.folder(name), configuration: configuration, codec: codec, weigh: weigh)
  }

  static func folder(_ name: String) throws(HybridCacheError) -> String {
    do throws(DiskCacheError) { return try CachesFolder.path(name: name) } catch {
      throw .disk(error)
    }
  }

  package convenience init(
    path: String?, configuration: HybridCacheConfiguration, codec: DiskCodec<Value>,
    weigh: (@Sendable (Value) -> Int)? = nil, files: any FileLayer
  ) throws(HybridCacheError) {
    // Before anything is changed on disk.
    try configuration.check()
    var disk: BlockingDiskCache?
    if let tier = configuration.disk {
      guard let path else {
        throw .configuration(message: "a cache with a disk tier needs the path of a folder")
      }
      do throws(DiskCacheError) {
        disk = try BlockingDiskCache(
          path: path, configuration: tier, clock: configuration.clock, files: files)
      } catch {
        throw .disk(error)
      }
    }
    try self.init(configuration, disk: disk, ownsDisk: true, codec: codec, weigh: weigh)
  }

  /// Creates a cache in front of a shared disk cache. Each hybrid cache needs its own `suite`,
  /// which it claims until it is closed or destroyed. Clock and limits of disk are those of the
  /// disk cache, which is not closed with this cache.
  ///
  /// - Throws: `configuration`, `memory`, `suiteInUse`, or `disk` if the suite holds values of
  ///   another codec.
  public convenience init(
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(), disk: DiskCache,
    codec: DiskCodec<Value>, weigh: (@Sendable (Value) -> Int)? = nil
  ) throws(HybridCacheError) {
    var configuration = configuration
    let disk = disk.blocking
    configuration.disk = disk.withLock { $0.configuration }
    try self.init(configuration, disk: disk, ownsDisk: false, codec: codec, weigh: weigh)
  }
}

extension HybridCache where Value: Codable {
  /// Creates a cache in a folder, with values stored by `DiskCodec.standard`: `Data` unchanged,
  /// `String` as UTF-8, others as JSON. See the initialiser with a codec.
  ///
  /// - Throws: `configuration`, `memory` or `disk`.
  public convenience init<Location: CacheLocation>(
    path: Location? = String?.none,
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    weigh: (@Sendable (Value) -> Int)? = nil
  ) throws(HybridCacheError) {
    try self.init(path: path, configuration: configuration, codec: .standard, weigh: weigh)
  }

  /// Creates a cache in a folder of this name in the system's folder for caches, with values stored
  /// by `DiskCodec.standard`.
  ///
  /// - Throws: The errors of the initialiser with a codec.
  public convenience init(
    name: String, configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    weigh: (@Sendable (Value) -> Int)? = nil
  ) throws(HybridCacheError) {
    try self.init(name: name, configuration: configuration, codec: .standard, weigh: weigh)
  }

  /// Creates a cache in front of a shared disk cache, with values stored by `DiskCodec.standard`.
  ///
  /// - Throws: The errors of the initialiser with a codec.
  public convenience init(
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(), disk: DiskCache,
    weigh: (@Sendable (Value) -> Int)? = nil
  ) throws(HybridCacheError) {
    try self.init(configuration: configuration, disk: disk, codec: .standard, weigh: weigh)
  }
}

/// Operations on several keys.
extension HybridCache {
  /// Returns the values of several keys from the tiers, without keys that have none. Equivalent to
  /// one `value(for:)` per key, in order, on the calling thread.
  ///
  /// - Throws: The errors of `entry(for:)`; values found before the error are discarded, but
  ///   counted.
  public func values(for keys: some Sequence<Key>) throws(HybridCacheError) -> [Key: Value] {
    var values: [Key: Value] = [:]
    values.reserveCapacity(keys.underestimatedCount)
    for key in keys { values[key] = try value(for: key) }
    return values
  }

  /// Stores several values, as one `set` for each, in order, and returns the number that a tier has
  /// afterwards. Accepts a dictionary.
  ///
  /// - Parameters:
  ///   - values: Keys and values.
  ///   - options: Options of each entry.
  /// - Throws: The first error of `set`; the values before that one are stored.
  @discardableResult public func setAll(
    _ values: some Sequence<(key: Key, value: Value)>, options: StoreOptions = StoreOptions()
  ) throws(HybridCacheError) -> Int {
    var count = 0
    for (key, value) in values where try set(value, for: key, options: options) { count += 1 }
    return count
  }
}
