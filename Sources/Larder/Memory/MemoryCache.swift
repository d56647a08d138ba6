import LarderEngine
import LarderLibc
import LarderPolicies

/// A cache in memory, for use from any number of threads.
///
/// It stores values by key within its limits, and a policy chooses what to evict; a value that is
/// too large is rejected. Keys are distributed over shards, each with a lock. With FIFO, CLOCK,
/// SIEVE, S3-FIFO, QD-LP and random, a get takes no lock. Values are destroyed with no lock held.
///
/// A *permanent* entry never expires, and cleaning (`removeAll`, `removeExpired`, `trim(toAge:)`)
/// skips it; it can be removed by key, replaced, or evicted by the policy.
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
  @usableFromInline let weigh: (@Sendable (Value) -> Int)?
  @usableFromInline let timeToLive: (@Sendable (Key, Value) -> Duration?)?
  private var pressure: CacheEventToken?
  let prompt: PromptExpiry?
  @usableFromInline let loads: MemoryLoads<Key, Value>
  let current: Locked<CurrentLimits>
  /// Microseconds after which `value(for:load:)` reloads a value; nil for never.
  let refreshAge: UInt64?
  /// Microseconds after expiry during which `value(for:load:)` still returns a value; 0 for none.
  let staleLife: UInt64

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - configuration: The configuration.
  ///   - weigh: Weight of a value that is stored without one; a limit on weight needs it.
  ///   - timeToLive: Lifetime of a value that is stored without one; nil for `limits.age`.
  ///   - onRemoval: Called for each entry that leaves and each value that is rejected, before the
  ///     operation returns, with no lock held; not for what remains when the cache is deallocated.
  /// - Throws: `MemoryCacheError`, which names the policy or number that is invalid.
  public convenience init(
    _ configuration: MemoryCacheConfiguration, weigh: (@Sendable (Value) -> Int)? = nil,
    timeToLive: (@Sendable (Key, Value) -> Duration?)? = nil,
    onRemoval: (@Sendable (_ key: Key, _ value: Value, MemoryRemovalReason) -> Void)? = nil
  ) throws(MemoryCacheError) {
    if let weight = configuration.limits.weight, weigh == nil {
      throw .limit(
        "weight", "\(weight)",
        expected: "a cache made with `weigh:`, or nil, because values without a weight would each "
          + "count 1")
    }
    var onEviction: (@Sendable (MemoryEviction<Key, Value>) -> Void)?
    if let onRemoval { onEviction = { onRemoval($0.key, $0.value, $0.reason) } }
    try self.init(
      configuration, onEviction: onEviction, tellsAll: true, weigh: weigh, timeToLive: timeToLive)
  }

  /// - Parameters:
  ///   - onEviction: Receives the entries evicted to make room, and with `tellsAll` all others that
  ///     leave, on the thread of the operation and before it returns, with no lock held.
  ///   - afterSweep: Called when `promptExpiry` has removed expired entries; no lock is held.
  ///   - keepsExpired: Returns true if a value that was found expired is kept; a get counts it as a
  ///     miss. Must not call the cache.
  package init(
    _ configuration: MemoryCacheConfiguration,
    onEviction: (@Sendable (MemoryEviction<Key, Value>) -> Void)?, tellsAll: Bool = false,
    weigh: (@Sendable (Value) -> Int)? = nil,
    timeToLive: (@Sendable (Key, Value) -> Duration?)? = nil,
    afterSweep: @escaping @Sendable () -> Void = {},
    keepsExpired: (@Sendable (UnsafePointer<Value>, Expiry) -> Bool)? = nil
  ) throws(MemoryCacheError) {
    self.configuration = configuration
    self.onEviction = onEviction
    self.weigh = weigh
    self.timeToLive = timeToLive
    current = Locked(CurrentLimits(limits: configuration.limits))
    handing = onEviction == nil ? .none : tellsAll ? .all : .evictions
    hasher = KeyHasher(configuration.hashing, configuration.fingerprints)
    clock = configuration.clock
    refreshAge = configuration.refreshAfterWrite?.microseconds
    staleLife = configuration.staleWhileRevalidate?.microseconds ?? 0
    let prompt = configuration.makePromptExpiry()
    self.prompt = prompt
    let now = configuration.clock.time
    let keepsExpired = keepsExpired ?? configuration.keepingStale(Value.self)
    let count = try configuration.shardCount()
    try configuration.check(shards: count)
    loads = MemoryLoads(shards: count, max: configuration.loadsMax)
    let group = PolicyGroup(parts: count)
    var made: [(tier: CacheTier, setup: CacheTierSetup)] = []
    do {
      for shard in 0..<count {
        var setup = try configuration.tierSetup(shard: shard, of: count, room: 1, group: group)
        setup.objects = min(Self.firstRoom, setup.objectsMax) + 1
        setup.keepsExpired = keepsExpired != nil
        made.append((try PolicyRegistry.makeCacheTier(setup), setup))
      }
    } catch {
      throw .policy(error)
    }
    let isShared = made.allSatisfy { $0.tier.hitWords() != nil }
    blocks = ShardBlocks(
      count: count, slots: isShared ? ReaderSlots(threads: systemProcessors * 2) : nil
    ) { [hasher] index, place in
      MemoryShard(
        made[index].tier, made[index].setup, isWeighed: configuration.limits.weight != nil,
        weightMin: configuration.isSimulated ? 0 : 1, hasher, place, keepsExpired: keepsExpired,
        idleLife: configuration.expireAfterAccess.map { max(1, $0.microseconds) },
        prompt: prompt, jitter: configuration.limits.jitter, jitterSeed: configuration.seed,
        now: now)
    }
    prompt?.start { [weak self] in
      self?.removeDue()
      afterSweep()
    }
    if configuration.observesMemoryPressure, !configuration.isSimulated {
      pressure = try configuration.pressureHub.join { [weak self] in self?.handle($0) }
    }
  }

  /// Creates an empty cache with limits, and otherwise the default configuration.
  ///
  ///     let cache = try MemoryCache<URL, Image>(
  ///       limits: MemoryCacheLimits(weight: 50 << 20), weigh: { $0.width * $0.height * 4 })
  public convenience init(
    limits: MemoryCacheLimits, policy: CachePolicy = .lru,
    weigh: (@Sendable (Value) -> Int)? = nil
  ) throws(MemoryCacheError) {
    try self.init(MemoryCacheConfiguration(limits: limits, policy: policy), weigh: weigh)
  }

  /// Creates an empty cache for up to `count` entries that evicts with LRU. Cannot fail: a count
  /// less than 1 counts as 1, and one above `MemoryCacheLimits.largest` as that.
  public convenience init(count: Int) {
    let limits = MemoryCacheLimits(count: min(max(count, 1), MemoryCacheLimits.largest))
    do throws(MemoryCacheError) {
      try self.init(limits: limits)
    } catch {
      preconditionFailure("cache of \(count) entries: \(error)")
    }
  }

  /// Creates an empty cache for up to `count` entries that evicts with `policy`.
  public convenience init(count: Int, policy: CachePolicy) throws(MemoryCacheError) {
    try self.init(limits: MemoryCacheLimits(count: count), policy: policy)
  }

  deinit {
    prompt?.stop()
    // Counts the last gets.
    recorder.end()
    blocks.destroy()
  }

  /// Returns the value of a key and counts as an access; nil if it has none. An expired value is
  /// removed. Amortised O(1), or the cost of the policy.
  @inlinable public func value(for key: Key) -> Value? { get(key) { $0.pointee } }

  /// Returns the result of `read` for a value that is passed in place, which avoids copying parts
  /// that the caller does not need. The value cannot change during the call; `read` must not call
  /// the cache, and returns nil only if the value counts as missing.
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

  /// Gets a value without a lock. Returns false if the get must be repeated under the lock: the
  /// entry was being written or has to be removed, or the shard could not be read.
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
    var isDecided = outcome != .unknown
    if outcome == .hit {
      slot.countHit()
    } else if outcome == .miss {
      isDecided = blocks.view(index).pointee.hasAllKeys
      if isDecided {
        slot.countMiss()
        blocks.prefetchState(index)
      }
    }
    slot.leave()
    return isDecided
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

  /// Stores a value for a key, replacing any previous value. Returns false if the value was not
  /// stored: it is too large, or the policy did not admit it. Amortised O(1), or the policy's.
  ///
  /// - Parameters:
  ///   - value: Value to store.
  ///   - key: Its key.
  ///   - weight: Weight against the limit, clamped to 1 to 2^32 - 1; nil for what `weigh` returns.
  ///   - timeToLive: Lifetime; nil for the cache's, zero or less to remove the previous value.
  ///   - fetchCost: Cost of fetching the value again, in any unit, for policies that use it.
  ///   - isPermanent: True if cleaning skips the entry.
  @inlinable @discardableResult public func set(
    _ value: Value, for key: Key, weight: Int? = nil, timeToLive: Duration? = nil,
    fetchCost: Float = 1, isPermanent: Bool = false
  ) -> Bool {
    var timeToLive = timeToLive
    if let own = self.timeToLive, timeToLive == nil, !isPermanent { timeToLive = own(key, value) }
    if let timeToLive, timeToLive <= .zero, !isPermanent { return refuseExpired(value, key) }
    let entry = MemoryEntry(
      cost: weight ?? weigh?(value) ?? 1, timeToLive: timeToLive, fetchCost: fetchCost,
      isPermanent: isPermanent)
    return store(value, for: key, entry) == .stored
  }

  /// Stores a value that expires at a given time of the cache's clock, or earlier by `limits.age`,
  /// and returns the result; otherwise works like `set`.
  @inlinable @discardableResult package func set(
    _ value: Value, for key: Key, weight: Int = 1, expiry: Expiry,
    fetchCost: Float = 1, isPermanent: Bool = false
  ) -> MemoryStored {
    store(
      value, for: key,
      MemoryEntry(
        cost: weight, timeToLive: nil, expiry: expiry, fetchCost: fetchCost,
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
      now: clock.time, &gone)
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

  /// Removes a key, permanent or not, and returns its value unless that has expired. The policy
  /// forgets the key, too. Amortised O(1), or the cost of the policy.
  @discardableResult public func remove(_ key: Key) -> Value? {
    let hash = hasher.hash(key)
    defer { if events.watchesChanges(hash) { noteRemoval(key, hash) } }
    return withShard(blocks.index(hash)) { shard, gone in
      loads.forget(key)
      if events.watchesChanges(hash) { revokeAbsence(of: key) }
      return shard.remove(
        key, UInt32(truncatingIfNeeded: hash >> 32), now: clock.time, &gone)
    }
  }

  @usableFromInline @inline(never) func refuseExpired(_ value: Value, _ key: Key) -> Bool {
    let hash = hasher.hash(key)
    withShard(blocks.index(hash)) { shard, gone in
      loads.forget(key)
      if events.watchesChanges(hash) { revokeAbsence(of: key) }
      shard.totals.sets &+= 1
      shard.totals.expiredSets &+= 1
      shard.refuse(key, value, &gone)
      _ = shard.remove(
        key, UInt32(truncatingIfNeeded: hash >> 32), now: clock.time, &gone)
    }
    if events.watchesChanges(hash) { noteRemoval(key, hash) }
    return false
  }

  /// Calls `body` with a locked shard. One of many calls in turn lets threads that sleep at the
  /// lock wake up and have it.
  func withShard<Result, Failure: Error>(
    _ index: Int, inSteps: Bool = false, handing: MemoryHanding? = nil,
    _ body: (inout MemoryShard<Key, Value>, inout EvictedEntries<Key, Value>) throws(Failure) ->
      Result
  ) throws(Failure) -> Result {
    var gone = EvictedEntries<Key, Value>(
      isHeard: events.isActive, handing: handing ?? self.handing)
    blocks.lock(index)
    let result: Swift.Result<Result, Failure>
    do throws(Failure) {
      result = .success(try body(&blocks.shard(index).pointee, &gone))
    } catch {
      result = .failure(error)
    }
    let isAwaited = inSteps && blocks.lock(at: index).isAwaited
    blocks.unlock(index)
    gone.finish(events, onEviction)
    if isAwaited { usleep(50) }
    return try result.get()
  }

  /// Calls `body` with the locked shard of a key, the part of its hash that the shard uses, and the
  /// time.
  func withShard<Result>(
    of key: Key,
    _ body: (
      inout MemoryShard<Key, Value>, _ hash: UInt32, _ now: UInt64,
      inout EvictedEntries<Key, Value>
    ) -> Result
  ) -> Result {
    let hash = hasher.hash(key)
    return withShard(blocks.index(hash)) { shard, gone in
      body(&shard, UInt32(truncatingIfNeeded: hash >> 32), clock.time, &gone)
    }
  }
}

extension MemoryCache {
  #if LARDER_SCHEDULES
    // Grows with the few keys of a schedule.
    private static var firstRoom: Int { 1 }
  #else
    private static var firstRoom: Int { 1023 }
  #endif
}

private var systemProcessors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

extension MemoryCache {
  /// Returns true if a key has a value that has not expired; not counted as an access.
  public func contains(_ key: Key) -> Bool {
    withShard(of: key) { shard, hash, now, _ in shard.live(key, hash, now: now) != nil }
  }

  package func expiry(of key: Key) -> Expiry? {
    withShard(of: key) { shard, hash, now, _ in
      shard.live(key, hash, now: now).map { shard.expiry($0) }
    }
  }

  package func renew(_ key: Key, timeToLive: Duration?) {
    withShard(of: key) { shard, hash, now, _ in
      shard.renew(key, hash, timeToLive: timeToLive?.microseconds ?? 0, now: now)
    }
  }

  func expired(_ key: Key) -> (value: Value, expiry: Expiry)? {
    withShard(of: key) { shard, hash, now, _ in shard.expired(key, hash, now: now) }
  }

  func peek(_ key: Key) -> Value? {
    withShard(of: key) { shard, hash, now, _ in
      shard.live(key, hash, now: now).map { shard.records.value($0).pointee }
    }
  }

  func fetchCost(of key: Key) -> Float? {
    withShard(of: key) { shard, hash, _, _ in
      shard.resident(key, hash).map { shard.tier.cost($0) }
    }
  }
}

extension MemoryCache {
  /// Replaces the value of a key by one that depends on it, in one step, and returns the result of
  /// `body`.
  ///
  ///     cache.update("visits") { count in count = (count ?? 0) + 1 }
  ///
  /// `body` receives nil if there is no value; if it leaves nil, the key is removed; if it throws,
  /// nothing changes. It is called with a lock held, and must be short and not call the cache,
  /// which traps in debug builds. The entry stays permanent, and keeps weight and expiry unless
  /// there are new ones; an expiry within little more than a second of the limit on age counts as
  /// that limit, which begins anew. Not an access; counts as a set.
  @discardableResult public func update<Result>(
    _ key: Key, weight: Int? = nil, timeToLive: Duration? = nil, fetchCost: Float = 1,
    _ body: (inout Value?) throws -> Result
  ) rethrows -> Result {
    let hash = hasher.hash(key)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    var entry = MemoryEntry(
      cost: 1, timeToLive: nil, fetchCost: fetchCost, isPermanent: false)
    var isUseless = false
    // Destroyed after the lock is released: its deinitialiser may call the cache.
    var old: Value?
    var new: Value?
    var now: UInt64 = 0
    let result = try withStep(blocks.index(hash)) { shard in
      now = clock.time
      old = shard.value(key, upper, now: now, &entry)
      new = old
    } change: { () throws in
      let result = try body(&new)
      guard let new else { return result }
      if let weight = weight ?? weigh?(new) { entry.size = UInt32(clamping: weight) }
      if !entry.isPermanent, let life = timeToLive ?? self.timeToLive?(key, new) {
        entry.live(for: life)
        isUseless = life <= .zero
      }
      return result
    } after: { shard, gone in
      loads.forget(key)
      if events.watchesChanges(hash) { revokeAbsence(of: key) }
      if let new, !isUseless {
        let stored = shard.set(
          key, upper, fingerprint: hasher.fingerprint(key, hash), new, entry, now: now, &gone)
        if stored == .stored { gone.note(.set, key) }
      } else {
        if let new {
          shard.totals.sets &+= 1
          shard.totals.expiredSets &+= 1
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

  /// Holds a shard's lock for the three parts of an update. `change` is the caller's; if it throws,
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

  /// Returns the values of several keys, without keys that have none. Equivalent to one
  /// `value(for:)` per key, in order.
  public func values(for keys: some Sequence<Key>) -> [Key: Value] {
    var values: [Key: Value] = [:]
    values.reserveCapacity(keys.underestimatedCount)
    for key in keys { values[key] = value(for: key) }
    return values
  }

  /// Keys whose values have not expired, unordered; no snapshot while other threads write. Not
  /// counted as accesses. O(entries) in time and memory.
  public var keys: [Key] { keys(at: clock.time) }

  func keys(at now: UInt64) -> [Key] {
    var keys: [Key] = []
    for index in 0..<blocks.count {
      _ = walk(index) { shard, ids, _ in
        shard.append(ids, to: &keys, now: now)
        return 0
      }
    }
    return keys
  }
}
