import LarderEngine

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
  @discardableResult
  public func update<Result>(
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
