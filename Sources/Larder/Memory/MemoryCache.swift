import LarderEngine
import LarderLibc

/// A cache in memory, for use from any number of threads.
///
/// It stores values by key within its limits, and a policy chooses what to evict. Keys are
/// distributed over shards, each with a lock. With policies that allow it (FIFO, CLOCK, SIEVE,
/// S3-FIFO, QD-LP and random), a get takes no lock. If keys and values are trivial types, such as
/// integers and structs of integers, it runs concurrently with writes; otherwise gets and writes of
/// the same shard wait for each other. Evicted values are destroyed after the lock is released, so
/// deinitialisers may use the cache.
///
/// An entry may be *permanent*: it never expires, and cleaning (`removeAll`, `removeExpired`,
/// `trim(toAge:)`) skips it. It can still be removed by key, replaced by a set, or evicted by the
/// policy like any other entry.
///
/// A value that is too large is refused, and the previous value of its key is removed.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
  /// The configuration of the cache.
  public let configuration: MemoryCacheConfiguration

  @usableFromInline let blocks: ShardBlocks<Key, Value>
  @usableFromInline let hasher: KeyHasher
  @usableFromInline let clock: any CacheClock
  @usableFromInline let events = CacheEvents<Key>()
  @usableFromInline let recorder = RecordPoint()
  @usableFromInline let onEviction: (@Sendable (MemoryEviction<Key, Value>) -> Void)?
  @usableFromInline let handing: MemoryHanding
  let watch = PressureWatch()
  let prompt: PromptExpiry?
  @usableFromInline let loads = MemoryLoads<Key, Value>()
  let current: Locked<CurrentLimits>
  /// Microseconds after which `value(for:load:)` reloads a value; nil for never.
  let refreshAge: UInt64?
  /// Microseconds for which it returns an expired value; 0 for none.
  let staleLife: UInt64

  /// An empty cache.
  ///
  /// - Throws: `MemoryCacheError` if the policy or a number is invalid; it says which.
  public convenience init(
    _ configuration: MemoryCacheConfiguration
  ) throws(MemoryCacheError) {
    try self.init(configuration, onEviction: nil)
  }

  /// An empty cache that tells of every entry that leaves it, with its value and the reason.
  ///
  /// The end of the cache is not told. Without a listener none of this costs anything.
  ///
  /// - Parameter onRemoval: Called for each entry that is evicted, expires (when a get or a sweep
  ///   finds it), is replaced or removed, and for each value that is refused; on the thread of the
  ///   operation and before it returns, with no lock held, so it may call the cache. What other
  ///   threads do at the same time may be told in another order.
  /// - Throws: `MemoryCacheError` if the policy or a number is invalid; it says which.
  public convenience init(
    _ configuration: MemoryCacheConfiguration,
    onRemoval: @escaping @Sendable (MemoryRemoval<Key, Value>) -> Void
  ) throws(MemoryCacheError) {
    try self.init(
      configuration,
      onEviction: { eviction in
        #if LARDER_SCHEDULES
          if ScheduleFault.planted == .untoldReplacement, eviction.reason == .replaced { return }
        #endif
        onRemoval(
          MemoryRemoval(key: eviction.key, value: eviction.value, reason: eviction.reason))
      },
      tellsAll: true)
  }

  /// An empty cache that hands over what it evicts for want of room.
  ///
  /// - Parameter onEviction: Called for each entry that a get or a set evicts, on its thread
  ///   and before it returns, in the order in which the policy chose them, with no lock held; not
  ///   for what a trim, memory pressure, a removal or expiry takes.
  /// - Parameter tellsAll: Whether it is called for these, too, and for what is refused.
  /// - Parameter keepsExpired: Says of a value that a get or `removeExpired` finds expired, and of
  ///   the instant at which it did, whether it stays; to a get it is a miss all the same. Called
  ///   with the value where it lies; must not call the cache. Nil removes all of them.
  /// - Parameter afterSweep: Called when `promptExpiry` has removed what was due; no lock is held.
  /// - Throws: `MemoryCacheError` where the policy or a limit is not possible.
  package init(
    _ configuration: MemoryCacheConfiguration,
    onEviction: (@Sendable (MemoryEviction<Key, Value>) -> Void)?, tellsAll: Bool = false,
    afterSweep: @escaping @Sendable () -> Void = {},
    keepsExpired: (@Sendable (UnsafePointer<Value>, UInt64) -> Bool)? = nil
  ) throws(MemoryCacheError) {
    self.configuration = configuration
    self.onEviction = onEviction
    current = Locked(CurrentLimits(limits: configuration.limits))
    handing = onEviction == nil ? .none : tellsAll ? .all : .evictions
    hasher = KeyHasher(configuration.hashing, configuration.fingerprints)
    clock = configuration.clock
    refreshAge = configuration.refreshAfterWrite?.microseconds
    staleLife = configuration.staleWhileRevalidate?.microseconds ?? 0
    let prompt = configuration.makePromptExpiry()
    self.prompt = prompt
    let now = configuration.clock.nowMicroseconds
    let keepsExpired = keepsExpired ?? configuration.keepingStale(Value.self)
    let count = try configuration.shardCount()
    try configuration.check(shards: count)
    var made: [(tier: CacheTier, residentsMax: Int, room: Int)] = []
    do {
      for shard in 0..<count {
        var setup = try configuration.tierSetup(shard: shard, of: count, room: 1)
        setup.objects = min(1023, setup.objectsMax) + 1
        setup.keepsExpired = keepsExpired != nil
        made.append(
          (try PolicyRegistry.makeCacheTier(setup), setup.objectsMax, setup.objects))
      }
    } catch {
      throw .policy(error)
    }
    let isShared = made.allSatisfy { $0.tier.hitWords() != nil }
    blocks = ShardBlocks(
      count: count, slots: isShared ? ReaderSlots(threads: systemProcessors * 2) : nil
    ) { [hasher] index, place in
      MemoryShard(
        made[index].tier, isWeighed: configuration.limits.weight != nil,
        weightMin: configuration.isSimulated ? 0 : 1,
        ages: configuration.limits.age != nil,
        residentsMax: made[index].residentsMax, room: made[index].room, hasher, place,
        keepsExpired: keepsExpired,
        idleLife: configuration.expireAfterAccess.map { max(1, $0.microseconds) },
        prompt: prompt, now: now)
    }
    prompt?.start { [weak self] in
      self?.removeDue()
      afterSweep()
    }
  }

  /// An empty cache of so many entries that evicts with `policy`.
  ///
  /// - Throws: `MemoryCacheError` where the policy or the limit is not possible.
  public convenience init(count: Int, policy: CachePolicy = .lru) throws(MemoryCacheError) {
    try self.init(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: count), policy: policy))
  }

  /// The same with the policy as a text that is not a literal; see `CachePolicy`.
  ///
  /// - Throws: `MemoryCacheError` where the policy or the limit is not possible.
  public convenience init(count: Int, policy: String) throws(MemoryCacheError) {
    try self.init(count: count, policy: CachePolicy(policy))
  }

  deinit {
    watch.stop()
    prompt?.stop()
    // Which counts the gets for the last time.
    recorder.end()
    blocks.destroy()
  }

  /// The value of a key, which is then a reference to it; nil where there is none or it has
  /// expired, in which case it is removed. Amortised O(1), or what the policy takes.
  @inlinable public func value(for key: Key) -> Value? { get(key) { $0.pointee } }

  /// A get that answers with what `read` makes of the value where it lies, which saves a copy of
  /// what is not wanted. It is called while the value cannot change, must not call the cache, and
  /// answers nil only for a value that is as good as none.
  @inlinable @inline(__always) package func get<Result>(
    _ key: Key, _ read: (UnsafePointer<Value>) -> Result?
  ) -> Result? {
    blocks.assertNotReentrant()
    let hash = hasher.hash(key)
    if events.watches(hash) { return getWatched(key, hash, read) }
    let index = blocks.index(hash)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    blocks.prefetch(index, upper)
    if let slots = blocks.slots {
      var result: Result?
      if getThroughSlot(key, upper, index, slots, &result, read) { return result }
    }
    return getLocked(key, upper, index, false, read)
  }

  /// A get that takes no lock; false where it came to nothing because the entry was being written
  /// or has to be removed, or the shard could not be read.
  @inlinable @inline(__always) func getThroughSlot<Result>(
    _ key: Key, _ hash: UInt32, _ index: Int, _ slots: ReaderSlots, _ result: inout Result?,
    _ read: (UnsafePointer<Value>) -> Result?
  ) -> Bool {
    let slot = slots.own
    guard slot.enter(index) else { return false }
    guard blocks.isReadable(index) else {
      slot.leave()
      return false
    }
    let outcome = blocks.view(index).pointee.get(key, hash, clock, &result, read)
    if outcome == .hit {
      slot.countHit()
    } else if outcome == .miss {
      slot.countMiss()
      blocks.prefetchState(index)
    }
    slot.leave()
    return outcome != .unknown
  }

  @inlinable func getLocked<Result>(
    _ key: Key, _ hash: UInt32, _ index: Int, _ isHeard: Bool,
    _ read: (UnsafePointer<Value>) -> Result?
  ) -> Result? {
    var result: Result?
    blocks.lock(index)
    let leaving = blocks.shard(index).pointee.get(key, hash, clock, &result, read)
    let kind: CacheEventKind = result == nil ? .miss : .hit
    if case .nothing = leaving {
      blocks.unlock(index)
      if isHeard { events.send(CacheEvent(kind, key)) }
    } else {
      unlock(index, leaving, kind, key, isHeard)
    }
    return result
  }

  /// The end of a get after which something leaves.
  @inlinable @inline(never) func unlock(
    _ index: Int, _ leaving: MemoryShard<Key, Value>.Leaving, _ kind: CacheEventKind, _ key: Key,
    _ isHeard: Bool
  ) {
    var gone = EvictedEntries<Key, Value>(isHeard: isHeard, handing: handing)
    blocks.shard(index).pointee.leave(leaving, &gone)
    blocks.unlock(index)
    gone.note(kind, key)
    gone.finish(events, onEviction)
  }

  /// Stores a value under a key, in place of what was there, and says whether it is there now: not
  /// when it is too large, or the policy does not want it.
  ///
  /// - Parameters:
  ///   - weight: What counts against `limits.weight`; less than 1 counts as 1. More than 2^32 - 1
  ///     is taken for that.
  ///   - timeToLive: How long it may be used; nil, or more than `limits.age`, for as long as that.
  ///     With zero or less nothing is stored, and what the key had is removed.
  ///   - fetchCost: What having it again would cost, for policies that ask; in any unit. Less than
  ///     0 counts as 0, infinity as the largest finite number, and what is not a number as 1.
  ///   - isPermanent: Whether cleaning passes over it.
  ///
  /// Amortised O(1), or what the policy takes.
  @inlinable @discardableResult public func set(
    _ value: Value, for key: Key, weight: Int = 1, timeToLive: Duration? = nil,
    fetchCost: Float = 1, isPermanent: Bool = false
  ) -> Bool {
    if let timeToLive, timeToLive <= .zero, !isPermanent { return refuseExpired(value, key) }
    let entry = MemoryEntry(
      cost: weight, timeToLive: timeToLive, fetchCost: fetchCost, isPermanent: isPermanent)
    return store(value, for: key, entry) == .stored
  }

  /// Stores a value that is to expire at a given instant of the cache's clock, or earlier where
  /// `limits.age` says so, and tells what became of it; otherwise as `set`.
  ///
  /// - Parameter expiresMicroseconds: `UInt64.max` for never.
  @inlinable @discardableResult package func set(
    _ value: Value, for key: Key, weight: Int = 1, expiresMicroseconds: UInt64,
    fetchCost: Float = 1, isPermanent: Bool = false
  ) -> MemoryStored {
    store(
      value, for: key,
      MemoryEntry(
        cost: weight, timeToLive: nil, expires: expiresMicroseconds, fetchCost: fetchCost,
        isPermanent: isPermanent))
  }

  @inlinable @inline(__always) func store(
    _ value: Value, for key: Key, _ entry: MemoryEntry
  ) -> MemoryStored {
    let hash = hasher.hash(key)
    let index = blocks.index(hash)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    blocks.prefetch(index, upper)
    var gone = EvictedEntries<Key, Value>(
      isHeard: events.isActive, handing: handing)
    blocks.lock(index)
    if loads.areUnderWay { loads.forget(key) }
    let isWatched = events.watchesChanges(hash)
    if isWatched { revokeAbsence(of: key) }
    let stored = blocks.shard(index).pointee.set(
      key, upper, fingerprint: hasher.fingerprint(key, hash), value, entry,
      now: clock.nowMicroseconds, &gone)
    blocks.unlock(index)
    if stored == .stored { gone.note(.set, key) }
    gone.finish(events, onEviction)
    if isWatched { noteSet(key, hash, entry) }
    return stored
  }

  /// The value of a key: see `value(for:)` and `set`; nil removes it.
  @inlinable public subscript(key: Key) -> Value? {
    get { value(for: key) }
    set {
      if let newValue { set(newValue, for: key) } else { remove(key) }
    }
  }

  /// Removes a key, permanent or not, and returns its value unless that has expired. Nothing is
  /// remembered of the key afterwards. Amortised O(1), or what the policy takes.
  @discardableResult public func remove(_ key: Key) -> Value? {
    let hash = hasher.hash(key)
    defer { if events.watchesChanges(hash) { noteRemoval(key, hash) } }
    #if LARDER_SCHEDULES
      if ScheduleFault.planted == .earlyForgetting { loads.forget(key) }
    #endif
    return withShard(blocks.index(hash)) { shard, gone in
      #if LARDER_SCHEDULES
        if ScheduleFault.planted != .earlyForgetting { loads.forget(key) }
      #else
        loads.forget(key)
      #endif
      if events.watchesChanges(hash) { revokeAbsence(of: key) }
      return shard.remove(
        key, UInt32(truncatingIfNeeded: hash >> 32), now: clock.nowMicroseconds, &gone)
    }
  }

  /// A set of something that may never be used: only removes what the key had.
  @usableFromInline @inline(never) func refuseExpired(_ value: Value, _ key: Key) -> Bool {
    let hash = hasher.hash(key)
    withShard(blocks.index(hash)) { shard, gone in
      loads.forget(key)
      if events.watchesChanges(hash) { revokeAbsence(of: key) }
      shard.totals.sets &+= 1
      shard.refuse(key, value, &gone)
      _ = shard.remove(
        key, UInt32(truncatingIfNeeded: hash >> 32), now: clock.nowMicroseconds, &gone)
    }
    if events.watchesChanges(hash) { noteRemoval(key, hash) }
    return false
  }

  /// Calls `body` with a shard, whose lock is held, and with a place for what leaves it.
  func withShard<Result, Failure: Error>(
    _ index: Int,
    _ body: (inout MemoryShard<Key, Value>, inout EvictedEntries<Key, Value>) throws(Failure) ->
      Result
  ) throws(Failure) -> Result {
    var gone = EvictedEntries<Key, Value>(isHeard: events.isActive, handing: handing)
    blocks.lock(index)
    let result: Swift.Result<Result, Failure>
    do throws(Failure) {
      result = .success(try body(&blocks.shard(index).pointee, &gone))
    } catch {
      result = .failure(error)
    }
    blocks.unlock(index)
    gone.finish(events, onEviction)
    return try result.get()
  }
}

/// Processors that the system has.
private var systemProcessors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

/// Looking at entries without a reference to them.
extension MemoryCache {
  /// Whether a value is there to be used; asking is not a reference to it.
  public func contains(_ key: Key) -> Bool {
    let hash = hasher.hash(key)
    return withShard(blocks.index(hash)) { shard, _ in
      shard.contains(key, UInt32(truncatingIfNeeded: hash >> 32), now: clock.nowMicroseconds)
    }
  }

  /// When an entry expires, microseconds of the cache's clock, or `UInt64.max` for never; nil where
  /// there is none or it has expired. Asking is not a reference to it.
  package func expiry(of key: Key) -> UInt64? {
    let hash = hasher.hash(key)
    return withShard(blocks.index(hash)) { shard, _ in
      shard.expiry(key, UInt32(truncatingIfNeeded: hash >> 32), now: clock.nowMicroseconds)
    }
  }

  /// Gives an entry that has not expired another time to live from now on, 0 for none of its own;
  /// `limits.age` may shorten it, and a permanent entry stays as it is. Not a reference to it.
  package func renew(_ key: Key, timeToLiveMicroseconds: UInt64) {
    let hash = hasher.hash(key)
    withShard(blocks.index(hash)) { shard, _ in
      shard.renew(
        key, UInt32(truncatingIfNeeded: hash >> 32), timeToLive: timeToLiveMicroseconds,
        now: clock.nowMicroseconds)
    }
  }

  /// The value of a key that has expired and was kept, with the instant at which it expired,
  /// microseconds; nil where there is none. Asking is not a reference to it.
  func expired(_ key: Key) -> (value: Value, expires: UInt64)? {
    let hash = hasher.hash(key)
    return withShard(blocks.index(hash)) { shard, _ in
      shard.expired(key, UInt32(truncatingIfNeeded: hash >> 32), now: clock.nowMicroseconds)
    }
  }

  /// The value of a key that may be used; not a reference to it, and not counted.
  func peek(_ key: Key) -> Value? {
    let hash = hasher.hash(key)
    return withShard(blocks.index(hash)) { shard, _ in
      shard.value(key, UInt32(truncatingIfNeeded: hash >> 32), now: clock.nowMicroseconds)
    }
  }
}

/// More than one value, or a value and its successor.
extension MemoryCache {
  /// Replaces the value of a key by one that depends on it, as one step: no other thread gets or
  /// sets the key in between.
  ///
  ///     cache.update("visits") { count in count = (count ?? 0) + 1 }
  ///
  /// `body` is called with the shard's lock held: it must be short and must not call the cache. If
  /// it does, a debug build traps; a release build serves the call, and other threads may then
  /// change the key before the update stores its value.
  /// It gets nil where there is no value or it has expired; if it leaves nil, the key is removed;
  /// if it throws, nothing changes. Looking at the old value is not a reference to it, storing the
  /// new one is a set. A value that copies on write is copied when it is changed in place.
  ///
  /// - Parameters: See `set`.
  /// - Returns: What `body` returns.
  @discardableResult public func update<Result>(
    _ key: Key, weight: Int = 1, timeToLive: Duration? = nil, fetchCost: Float = 1,
    _ body: (inout Value?) throws -> Result
  ) rethrows -> Result {
    let hash = hasher.hash(key)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    let isUseless = timeToLive.map { $0 <= .zero } ?? false
    let entry = MemoryEntry(
      cost: weight, timeToLive: timeToLive, fetchCost: fetchCost, isPermanent: false)
    // Held until the lock is given back: its end may run code that calls the cache.
    var old: Value?
    var new: Value?
    #if LARDER_SCHEDULES
      if ScheduleFault.planted == .earlyForgetting { loads.forget(key) }
      let early = ScheduleFault.planted == .updateInTwoSteps ? peek(key) : nil
    #endif
    var now: UInt64 = 0
    let result = try withStep(blocks.index(hash)) { shard in
      now = clock.nowMicroseconds
      old = shard.value(key, upper, now: now)
      #if LARDER_SCHEDULES
        if ScheduleFault.planted == .updateInTwoSteps { old = early }
      #endif
      new = old
    } change: { () throws in
      try body(&new)
    } after: { shard, gone in
      #if LARDER_SCHEDULES
        if ScheduleFault.planted != .earlyForgetting { loads.forget(key) }
      #else
        loads.forget(key)
      #endif
      if events.watchesChanges(hash) { revokeAbsence(of: key) }
      if let new, !isUseless {
        let stored = shard.set(
          key, upper, fingerprint: hasher.fingerprint(key, hash), new, entry, now: now, &gone)
        if stored == .stored { gone.note(.set, key) }
      } else {
        if let new {
          shard.totals.sets &+= 1
          shard.refuse(key, new, &gone)
        }
        _ = shard.remove(key, upper, now: now, &gone)
      }
    }
    if events.watchesChanges(hash) {
      if new == nil || isUseless { noteRemoval(key, hash) } else { noteSet(key, hash, entry) }
    }
    withExtendedLifetime(old) {}
    return result
  }

  /// Holds a shard's lock for three parts of an update. `change` is the user's; if it throws,
  /// `after` is not called.
  private func withStep<Result, Failure: Error>(
    _ index: Int, before: (inout MemoryShard<Key, Value>) -> Void,
    change: () throws(Failure) -> Result,
    after: (inout MemoryShard<Key, Value>, inout EvictedEntries<Key, Value>) -> Void
  ) throws(Failure) -> Result {
    var gone = EvictedEntries<Key, Value>(isHeard: events.isActive, handing: handing)
    blocks.lock(index)
    before(&blocks.shard(index).pointee)
    var isReleased = false
    let result: Swift.Result<Result, Failure>
    do throws(Failure) {
      result = .success(
        try ForeignCall.run(
          of: blocks.base, bytes: blocks.bytes, holding: blocks.lock(at: index),
          isReleased: &isReleased, change))
    } catch {
      result = .failure(error)
    }
    if isReleased { blocks.lock(index) }
    if case .success = result { after(&blocks.shard(index).pointee, &gone) }
    blocks.unlock(index)
    gone.finish(events, onEviction)
    return try result.get()
  }

  /// The values of several keys; keys without one are left out. As one `value(for:)` for each key,
  /// in order.
  public func values(for keys: some Sequence<Key>) -> [Key: Value] {
    var values: [Key: Value] = [:]
    values.reserveCapacity(keys.underestimatedCount)
    for key in keys { values[key] = value(for: key) }
    return values
  }

  /// The keys that have a value which may be used, in no order. Shards are looked at one after the
  /// other, so while other threads work the keys need not belong to one moment. Not a reference to
  /// any. O(entries) in time and memory.
  public var keys: [Key] {
    let now = clock.nowMicroseconds
    var keys: [Key] = []
    for index in 0..<blocks.count {
      withShard(index) { shard, _ in shard.appendKeys(to: &keys, now: now) }
    }
    return keys
  }
}
