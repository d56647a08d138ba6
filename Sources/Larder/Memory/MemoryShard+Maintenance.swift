import LarderEngine

/// Everything that is not asked for once per request.
extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  /// Bytes that keys, values and everything about them take; not what they point to.
  var residentBytes: Int {
    records.bytes + tier.stateBytes + (idle?.bytes ?? 0) + (wheel?.bytes ?? 0)
  }

  /// Every id that has a key, but for ghosts known by their places. O(ids).
  func ids() -> [ObjectID] {
    placesGhosts
      ? directory.ids().filter { !ShardRecords<Key, Value>.isGhost($0) } : directory.ids()
  }

  /// Whether an entry is there to be used, which is not a reference to it.
  func contains(_ key: Key, _ hash: UInt32, now: UInt64) -> Bool {
    expiry(key, hash, now: now) != nil
  }

  /// When an entry that is there to be used expires, microseconds.
  func expiry(_ key: Key, _ hash: UInt32, now: UInt64) -> UInt64? {
    let id = find(key, hash)
    guard id != .none, tier.contains(id) else { return nil }
    let expires = expiry(id)
    return expires > now ? expires : nil
  }

  /// Gives an entry that is there to be used another time to live from now on, microseconds, 0 for
  /// none of its own; a permanent one stays as it is. Not a reference to it.
  mutating func renew(_ key: Key, _ hash: UInt32, timeToLive: UInt64, now: UInt64) {
    let id = find(key, hash)
    guard id != .none, tier.contains(id), expiry(id) > now,
      records.stamp(id).pointee & Self.permanentBit == 0
    else { return }
    let end = tier.expiryFrom(now, timeToLive)
    if end != Request.noExpiry, !expires { beginExpiries() }
    tier.renew(id, end)
    if expires { plan(id, now: now) }
  }

  /// The value of a key that may be used, which is not a reference to it.
  func value(_ key: Key, _ hash: UInt32, now: UInt64) -> Value? {
    let id = find(key, hash)
    guard id != .none, tier.contains(id), expiry(id) > now else { return nil }
    return records.value(id).pointee
  }

  /// Appends the keys of all entries that may be used.
  func appendKeys(to keys: inout [Key], now: UInt64) {
    for id in ids() where tier.contains(id) && expiry(id) > now {
      keys.append(records.key(id).pointee)
    }
  }

  /// The value of a key that has expired and was kept, with the instant at which it expired,
  /// microseconds. No reference to it.
  func expired(_ key: Key, _ hash: UInt32, now: UInt64) -> (value: Value, expires: UInt64)? {
    let id = find(key, hash)
    guard id != .none, tier.contains(id) else { return nil }
    let expires = expiry(id)
    return expires <= now ? (records.value(id).pointee, expires) : nil
  }

  /// Removes the entry of a key if it has expired, and says whether it had. It is told of as
  /// expired; a get has counted it.
  mutating func removeExpired(
    _ key: Key, _ hash: UInt32, now: UInt64, _ gone: inout EvictedEntries<Key, Value>
  ) -> Bool {
    let id = find(key, hash)
    guard id != .none, tier.contains(id), expiry(id) <= now else { return false }
    tier.remove(id)
    depart(id, .expire, &gone)
    return true
  }

  /// Removes what there is of a key, ghosts included, and gives its value back unless it has
  /// expired.
  mutating func remove(
    _ key: Key, _ hash: UInt32, now: UInt64, _ gone: inout EvictedEntries<Key, Value>
  ) -> Value? {
    let id = findAny(key, hash)
    guard id != .none else { return nil }
    if ShardRecords<Key, Value>.isGhost(id) {
      forgetGhost(id, &gone)
      return nil
    }
    let wasThere = tier.contains(id)
    let isUsable = wasThere && expiry(id) > now
    tier.remove(id)
    guard wasThere else {
      release(id, &gone)
      return nil
    }
    let value = isUsable ? records.value(id).pointee : nil
    totals.removals += 1
    depart(id, .remove, &gone)
    return value
  }

  /// Removes every entry that is not permanent, or every one; ghosts too. O(ids). Returns how many
  /// entries that were.
  mutating func removeAll(
    includingPermanent: Bool, _ gone: inout EvictedEntries<Key, Value>
  ) -> Int {
    var count = 0
    for id in directory.ids() {
      if ShardRecords<Key, Value>.isGhost(id) {
        forgetGhost(id, &gone)
        continue
      }
      let wasThere = tier.contains(id)
      if wasThere, !includingPermanent, records.stamp(id).pointee & Self.permanentBit != 0 {
        continue
      }
      tier.remove(id)
      if wasThere {
        count += 1
        depart(id, .remove, &gone)
      } else {
        release(id, &gone)
      }
    }
    totals.removals += UInt64(count)
    return count
  }

  /// Removes what has expired and is not to be kept. O(ids). Returns how many entries that were.
  mutating func removeExpired(now: UInt64, _ gone: inout EvictedEntries<Key, Value>) -> Int {
    guard expires else { return 0 }
    let count = removeResidents(.expire, &gone) { shard, id in
      let expires = shard.expiry(id)
      guard expires <= now else { return false }
      return !(shard.keepsExpired?(UnsafePointer(shard.records.value(id)), expires) ?? false)
    }
    totals.swept += UInt64(count)
    return count
  }

  /// Removes what was stored before `instant` by as much as stamps can tell and is not permanent.
  /// O(ids). Returns how many entries that were.
  mutating func removeStored(before instant: UInt64, _ gone: inout EvictedEntries<Key, Value>)
    -> Int
  {
    // The bit of a permanent entry makes its stamp later than every instant.
    let stamp = stamp(instant)
    let count = removeResidents(.evict(.trim), &gone) { shard, id in
      shard.records.stamp(id).pointee < stamp
    }
    totals.trimmed += UInt64(count)
    return count
  }

  /// Removes entries whose values are chosen, but for permanent ones. O(ids). Returns how many.
  mutating func removeValues(
    _ gone: inout EvictedEntries<Key, Value>, where isChosen: (UnsafePointer<Value>) -> Bool
  ) -> Int {
    let count = removeResidents(.evict(.trim), &gone) { shard, id in
      shard.records.stamp(id).pointee & Self.permanentBit == 0
        && isChosen(UnsafePointer(shard.records.value(id)))
    }
    totals.trimmed += UInt64(count)
    return count
  }

  /// Lets the policy choose what goes until no more than `used` units and `count` entries are left.
  /// Returns how many entries that were.
  mutating func trim(
    used: UInt64 = .max, count: Int = .max, _ reason: EvictionReason,
    _ gone: inout EvictedEntries<Key, Value>
  ) -> Int {
    var given = 0
    while tier.count > 0, tier.used > used || tier.count > count {
      depart(tier.giveUp(), .evict(reason), &gone)
      given += 1
    }
    if reason == .pressure {
      totals.pressed += UInt64(given)
    } else {
      totals.trimmed += UInt64(given)
    }
    return given
  }

  private mutating func removeResidents(
    _ kind: CacheEventKind, _ gone: inout EvictedEntries<Key, Value>,
    where isChosen: (borrowing MemoryShard, ObjectID) -> Bool
  ) -> Int {
    var count = 0
    for id in ids() where tier.contains(id) && isChosen(self, id) {
      tier.remove(id)
      depart(id, kind, &gone)
      count += 1
    }
    return count
  }
}

extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  /// Gives the shard other limits, unless a later call has done so, and returns how many entries no
  /// longer fitted. O(ids).
  ///
  /// - Parameter number: How many calls on the cache that was, this one included.
  /// - Throws: where the policy cannot have the limits; nothing has changed then.
  mutating func resize(
    _ setup: CacheTierSetup, number: UInt64, now: UInt64,
    _ gone: inout EvictedEntries<Key, Value>
  ) throws(PolicyError) -> Int {
    guard number > limitsNumber else { return 0 }
    limitsNumber = number
    // The policy's words are others afterwards.
    place.close()
    defer { place.open(records, directory, tier, idle) }
    let (records, hasher) = (self.records, self.hasher)
    try PolicyRegistry.resize(tier, to: setup) { id in
      let key = records.key(id).pointee
      return hasher.fingerprint(key, hasher.hash(key))
    }
    // With another capacity the policy is another one, which has forgotten the ghosts.
    let isFresh = placesGhosts && tier.ghostCount == 0
    if isFresh { forgetPlaces(&gone) }
    let given = tier.victims.count
    for place in 0..<given { vacate(tier.victims[place], .evict(.trim), &gone) }
    for place in 0..<given { letGo(tier.victims[place], &gone) }
    // A policy with room for more ghosts may fill the places that there are with more of them than
    // the directory is for; it takes no more places than these until it needs them.
    if isFresh, records.room + min(records.ghosts, tier.ghostsMax) > records.keysMax {
      grow(to: records.room, ghosts: records.ghosts)
    }
    totals.trimmed += UInt64(given)
    ages = setup.timeToLiveMicroseconds != nil
    roomMax = Self.roomMax(
      residents: setup.objectsMax, ghosts: placesGhosts ? 0 : tier.ghostsMax)
    releaseForgotten(&gone)
    if let age = setup.timeToLiveMicroseconds { shortenLives(to: age, now: now) }
    return given
  }

  /// Takes out the keys of all ghosts that are known by their places, of which the policy has none
  /// any more. O(ids).
  private mutating func forgetPlaces(_ gone: inout EvictedEntries<Key, Value>) {
    for id in directory.ids() where ShardRecords<Key, Value>.isGhost(id) {
      releaseGhost(ShardRecords<Key, Value>.ghostPlace(id), &gone)
    }
  }

  /// Takes the ids of ghosts that the policy has forgotten from their keys. O(ids).
  private mutating func releaseForgotten(_ gone: inout EvictedEntries<Key, Value>) {
    for id in ids() where !tier.contains(id) && !tier.remembers(id) {
      release(id, &gone)
    }
  }

  /// Lets no entry that is not permanent live beyond the instant that `limit` has for its value.
  /// O(ids).
  mutating func shortenLives(
    to limit: (UnsafePointer<Value>) -> (partialValue: UInt64, overflow: Bool), now: UInt64
  ) {
    for id in ids() where tier.contains(id) {
      guard records.stamp(id).pointee & Self.permanentBit == 0 else { continue }
      let (instant, isBeyondTime) = limit(UnsafePointer(records.value(id)))
      if isBeyondTime || tier.expiry(id) <= instant { continue }
      if !expires { beginExpiries() }
      tier.renew(id, instant)
      plan(id, now: now)
    }
  }

  /// Lets no entry live for longer than `age` microseconds from when it was stored, as far as that
  /// is known; permanent ones and those that are being reloaded stay as they are. O(ids).
  private mutating func shortenLives(to age: UInt64, now: UInt64) {
    for id in ids() where tier.contains(id) {
      let stamp = records.stamp(id).pointee
      guard stamp < Self.permanentBit - 1 else { continue }
      let (limit, isBeyondTime) = ((UInt64(stamp) + 1 + stampOrigin) << 20).addingReportingOverflow(
        age)
      if isBeyondTime || tier.expiry(id) <= limit { continue }
      tier.renew(id, limit)
      expires = true
      plan(id, now: now)
    }
  }
}

/// Reloading values that are still answered meanwhile. An entry that is being reloaded has a stamp
/// that no set writes, so whether it was replaced in between is known without a word in the entry
/// or a branch in a set.
extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  /// The stamp of an entry that is being reloaded: later than every instant, so trimming by age
  /// passes over it.
  private static var refreshingStamp: UInt32 { permanentBit - 1 }

  /// Whether a value that may be used was stored before `instant`, as far as stamps can tell, and
  /// is neither permanent nor being reloaded.
  func isDue(_ key: Key, _ hash: UInt32, before instant: UInt64, now: UInt64) -> Bool {
    let id = find(key, hash)
    guard id != .none, tier.contains(id), expiry(id) > now else { return false }
    return records.stamp(id).pointee < self.stamp(instant)
  }

  /// The value of a key that has expired, less than `life` ago, and was kept; and whether it is
  /// being reloaded. No reference to it.
  func stale(
    _ key: Key, _ hash: UInt32, life: UInt64, now: UInt64
  ) -> (value: Value, isRefreshing: Bool)? {
    let id = find(key, hash)
    guard id != .none, tier.contains(id) else { return nil }
    let expires = expiry(id)
    guard expires <= now, now - expires < life else { return nil }
    return (records.value(id).pointee, records.stamp(id).pointee == Self.refreshingStamp)
  }

  /// Marks an entry as being reloaded and returns the stamp that it had; nil if it is gone, or was
  /// stored neither before `instant` nor has expired, or is permanent or marked already.
  func beginRefresh(_ key: Key, _ hash: UInt32, before instant: UInt64, now: UInt64) -> UInt32? {
    let id = find(key, hash)
    guard id != .none, tier.contains(id) else { return nil }
    let stamp = records.stamp(id).pointee
    guard stamp < Self.refreshingStamp else { return nil }
    guard expiry(id) <= now || stamp < self.stamp(instant) else { return nil }
    records.stamp(id).pointee = Self.refreshingStamp
    return stamp
  }

  /// Whether the entry of a key is being reloaded, and was not replaced since that began.
  func isRefreshing(_ key: Key, _ hash: UInt32) -> Bool {
    let id = find(key, hash)
    return id != .none && tier.contains(id) && records.stamp(id).pointee == Self.refreshingStamp
  }

  /// Gives an entry its stamp back, if it is still marked: it may then be reloaded again.
  func endRefresh(_ key: Key, _ hash: UInt32, _ stamp: UInt32) {
    guard isRefreshing(key, hash) else { return }
    records.stamp(find(key, hash)).pointee = stamp
  }
}
