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
/// let cache = try await HybridCache<String, Article>(name: "articles")
/// let article = try await cache.value(for: id) { request in try await api.article(id) }
/// ```
///
/// `value(for:load:)` and `result(for:load:)` ask the cache and then the origin, according to a
/// `CacheStrategy`; concurrent requests for a key make one load. Other calls use the cache only.
/// `configuration.rules` decides where values are stored and how they move between the tiers, with
/// the code of the simulator. All changes of a key are serialised, over both tiers.
///
/// **Threads.** Calls that may wait for the disk are async, and run on threads of the cache. A hit
/// in memory does not suspend.
///
/// **If the disk fails**, calls do their part in memory and then throw `HybridCacheError.disk`;
/// requests with an origin treat the disk as empty, and notify listeners.
///
/// **Codec, clock, `weigh` and keys must not call the cache**: in a debug build that traps, and in
/// a release build it throws `HybridCacheError.calledFromWithin`. Deinitialisers of values may call
/// it.
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
  let weigh: (@Sendable (Value) -> Int)?
  let clock: any CacheClock
  let rules: HybridRules
  let stripes: HybridStripes<Key, Value>
  @usableFromInline let events = HybridEvents()
  /// Recorder of a cache without memory; otherwise memory has its own.
  let recorder = RecordPoint()
  let isMemoryWeighed: Bool
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
  let queue: LoadQueue?
  /// Time of the latest operation below a hit in memory, to a second.
  let latest = Atomic<UInt64>(0)
  /// Changed with all stripes locked.
  private let hasClosed = Atomic<Bool>(false)
  private let baseline = Locked(TierCounts())
  private var pressure: CacheEventToken?

  init(
    _ configuration: HybridCacheConfiguration, _ diskTier: HybridDisk?, codec: DiskCodec<Value>,
    weigh: (@Sendable (Value) -> Int)?
  ) throws(HybridCacheError) {
    try configuration.check()
    var known = configuration
    known.disk?.encryption = nil
    self.configuration = known
    self.diskTier = diskTier
    disk = diskTier?.cache
    diskIdle = configuration.disk?.expireAfterAccess?.microseconds
    grace = configuration.grace
    let clock = diskTier?.cache.core.clock ?? configuration.clock
    self.clock = clock
    rules = configuration.effectiveRules
    isMemoryWeighed = configuration.memory?.limits.weight != nil
    isSimulated = configuration.memory?.configuration.isSimulated ?? false
    keepsValues = !configuration.copiesOnRead
    absences = HybridAbsences(configuration.memory?.configuration, clock)
    queue = configuration.loadsMax.map { LoadQueue(max: $0) }
    // With copies, memory has the bytes instead of the value.
    let weigh = configuration.copiesOnRead ? nil : weigh
    encodesEarly =
      isMemoryWeighed && weigh == nil || configuration.copiesOnRead
      || (diskTier != nil && rules.inclusion == .inclusive)
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
    if let tier = configuration.memory?.configuration, tier.observesMemoryPressure, !isSimulated {
      do throws(MemoryCacheError) {
        pressure = try tier.pressureHub.join { [weak self] in self?.handle($0) }
      } catch {
        throw .memory(error)
      }
    }
  }

  private static func makeMemory(
    _ configuration: HybridCacheConfiguration, _ clock: any CacheClock, _ rules: HybridRules,
    _ stripes: HybridStripes<Key, Value>, _ events: HybridEvents
  ) throws(MemoryCacheError) -> MemoryCache<Key, MemoryRecord<Value>>? {
    guard var tier = configuration.memory?.configuration else { return nil }
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
          hasVersion: held.pointee.metadata.facts?.metadata.version != nil, expiry,
          now: clock.time)
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

  /// Blocks the thread while it waits for the disk, as do all calls that are not async.
  @inlinable package func entry(for key: Key) throws(HybridCacheError) -> CacheHit<Value>? {
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

  @inlinable package func value(for key: Key) throws(HybridCacheError) -> Value? {
    try entry(for: key)?.value
  }

  @usableFromInline func hit(
    _ held: MemoryRecord<Value>, _ key: Key
  ) throws(HybridCacheError) -> CacheHit<Value>? {
    let hit = try open(held)
    events.note(.hit, key, .memory)
    events.deliver()
    return hit
  }

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
      operation.stripe.promotions += 1
      events.note(.promote, key, .memory)
    } else if !grace.isNone {
      // Memory may have a copy that has expired there, and is no longer needed.
      memory?.removeExpired(key)
    }
    return hit(found)
  }

  package func contains(_ key: Key) throws(HybridCacheError) -> Bool {
    if memory?.contains(key) ?? false { return true }
    return try withStripe(key) { (operation: inout Operation) throws(HybridCacheError) in
      if memory?.contains(key) ?? false { return true }
      return try diskTier?.contains(key.diskKey) ?? false
    }
  }

  // MARK: Counts

  /// Counts that a simulation of the same requests would report: promotions, demotions, and the
  /// counts of each tier. Requests and hits are left to the caller. On a disk shared by several
  /// caches, the disk's counts are those of all.
  package var counts: Counts {
    var counts = Counts()
    stripes.visit { stripe in
      counts.promotions += stripe.promotions
      counts.demotions += stripe.demotions
    }
    counts.memory = memory?.tierCounts ?? TierCounts()
    counts.disk = (disk?.tierCounts ?? TierCounts()).since(baseline.withLock { $0 })
    return counts
  }

  package func resetCounts() {
    stripes.visit { stripe in
      stripe.loads = LoadStatistics()
      (stripe.promotions, stripe.demotions) = (0, 0)
    }
    memory?.resetStatistics()
    if let disk { baseline.withLock { $0 = disk.tierCounts } }
  }

  var isClosed: Bool { hasClosed.load(ordering: .acquiring) }

  package func close() throws(HybridCacheError) {
    guard try end() else { return }
    defer { finish() }
    var failure: HybridCacheError?
    do { try diskTier?.flush() } catch {
      // A suspended disk has nothing left to write.
      if case .disk(.suspended) = error {} else { failure = error }
    }
    // Running sets have ended: from here on nothing is stored in memory.
    memory?.discardAll()
    do { try diskTier?.close() } catch { failure = failure ?? error }
    if let failure { throw failure }
  }

  package func destroy() throws(HybridCacheError) {
    _ = try end()
    memory?.discardAll()
    noteClearing()
    try diskTier?.destroy()
  }

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
  /// The counts since `earlier`. (If a disk started empty in between, its counts did, too.)
  package func since(_ earlier: TierCounts) -> TierCounts {
    var counts = self
    counts.admissions -= min(admissions, earlier.admissions)
    counts.rejections -= min(rejections, earlier.rejections)
    counts.evictions -= min(evictions, earlier.evictions)
    counts.expirations -= min(expirations, earlier.expirations)
    counts.bytesWritten -= min(bytesWritten, earlier.bytesWritten)
    counts.bytesMoved = bytesMoved.map { $0 - min($0, earlier.bytesMoved ?? 0) }
    return counts
  }
}

extension HybridCache {
  package convenience init<Location: CacheLocation>(
    path: Location? = String?.none,
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(), codec: DiskCodec<Value>,
    weigh: (@Sendable (Value) -> Int)? = nil, files: any FileLayer = SystemFiles()
  ) throws(HybridCacheError) {
    let tier = try Self.open(path?.cacheLocation, configuration, codec, files)
    try self.init(configuration, tier, codec: codec, weigh: weigh)
  }

  package convenience init(
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(), disk: DiskCache,
    codec: DiskCodec<Value>, weigh: (@Sendable (Value) -> Int)? = nil
  ) throws(HybridCacheError) {
    let (configuration, tier) = try Self.share(disk, configuration, codec)
    try self.init(configuration, tier, codec: codec, weigh: weigh)
  }

  static func open(
    _ path: String?, _ configuration: HybridCacheConfiguration, _ codec: DiskCodec<Value>,
    _ files: any FileLayer
  ) throws(HybridCacheError) -> HybridDisk? {
    // Before anything is changed on disk.
    try configuration.check()
    guard let tier = configuration.disk else { return nil }
    guard let path else {
      throw .configuration(message: "a cache with a disk tier needs the path of a folder")
    }
    let disk = try HybridCacheError.disk { () throws(DiskCacheError) in
      try BlockingDiskCache(
        path: path, configuration: tier, clock: configuration.clock, files: files)
    }
    return try HybridDisk(
      disk, suite: configuration.suite, codec: codec.identity, ownsCache: true)
  }

  static func share(
    _ disk: DiskCache, _ configuration: HybridCacheConfiguration, _ codec: DiskCodec<Value>
  ) throws(HybridCacheError) -> (HybridCacheConfiguration, HybridDisk) {
    var configuration = configuration
    configuration.disk = disk.blocking.withLock { $0.configuration }
    try configuration.check()
    let tier = try HybridDisk(
      disk.blocking, suite: configuration.suite, codec: codec.identity, ownsCache: false)
    return (configuration, tier)
  }
}

extension HybridCache where Value: Codable {
  package convenience init<Location: CacheLocation>(
    path: Location? = String?.none,
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    weigh: (@Sendable (Value) -> Int)? = nil
  ) throws(HybridCacheError) {
    try self.init(path: path, configuration: configuration, codec: .standard, weigh: weigh)
  }

  package convenience init(
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(), disk: DiskCache,
    weigh: (@Sendable (Value) -> Int)? = nil
  ) throws(HybridCacheError) {
    try self.init(configuration: configuration, disk: disk, codec: .standard, weigh: weigh)
  }
}
