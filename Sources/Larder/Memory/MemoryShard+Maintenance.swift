import LarderEngine
import LarderPolicies

/// Operations that do not run once per request.
extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  /// Bytes of keys, values and all bookkeeping, without the memory they point to.
  var residentBytes: Int {
    records.bytes + tier.stateBytes + (idle?.bytes ?? 0) + (wheel?.bytes ?? 0)
  }

  /// Returns every id that has a key, except ghosts known by their slots. O(ids).
  func ids() -> [ObjectID] {
    placesGhosts
      ? directory.ids().filter { !ShardRecords<Key, Value>.isGhost($0) } : directory.ids()
  }

  /// Returns true if a key has a value that has not expired; not counted as an access.
  func contains(_ key: Key, _ hash: UInt32, now: UInt64) -> Bool {
    expiry(key, hash, now: now) != nil
  }

  /// Returns the expiry of an entry that has not expired.
  func expiry(_ key: Key, _ hash: UInt32, now: UInt64) -> Expiry? {
    let id = find(key, hash)
    guard id != .none, tier.contains(id) else { return nil }
    let expiry = expiry(id)
    return expiry.isOver(at: now) ? nil : expiry
  }

  /// Gives an entry that has not expired a new TTL from now on, in microseconds, 0 for none of its
  /// own; a permanent one is unchanged. Not counted as an access.
  mutating func renew(_ key: Key, _ hash: UInt32, timeToLive: UInt64, now: UInt64) {
    let id = find(key, hash)
    guard id != .none, tier.contains(id), !expiry(id).isOver(at: now),
      records.stamp(id).pointee & Self.permanentBit == 0
    else { return }
    let end = self.expiry(timeToLive, hash, now)
    if end != Request.noExpiry, !expires { beginExpiries() }
    tier.renew(id, end)
    if expires { plan(id, now: now) }
  }

  /// Returns the value of a key if it has not expired; not counted as an access.
  func value(_ key: Key, _ hash: UInt32, now: UInt64) -> Value? {
    let id = find(key, hash)
    guard id != .none, tier.contains(id), !expiry(id).isOver(at: now) else { return nil }
    return records.value(id).pointee
  }

  /// Returns the value of a key if it has not expired, and puts what an update keeps of its entry
  /// in `entry`.
  func value(_ key: Key, _ hash: UInt32, now: UInt64, _ entry: inout MemoryEntry) -> Value? {
    let id = find(key, hash)
    guard id != .none, tier.contains(id), !expiry(id).isOver(at: now) else { return nil }
    let stamp = records.stamp(id).pointee
    entry.size = tier.size(id)
    entry.isPermanent = stamp & Self.permanentBit != 0
    let end = tier.expiry(id)
    // An entry that ends with the limit on age has no expiry of its own.
    let isOwn = !ages || created(stamp).map { end < expiry(0, hash, $0.microseconds) } ?? true
    entry.expiry = isOwn ? Expiry(end) : .never
    return records.value(id).pointee
  }

  /// Appends the keys of all entries that have not expired.
  func appendKeys(to keys: inout [Key], now: UInt64) {
    for id in ids() where tier.contains(id) && !expiry(id).isOver(at: now) {
      keys.append(records.key(id).pointee)
    }
  }

  /// Returns the value of a key that has expired and was kept, with its expiry. Not counted as an
  /// access.
  func expired(_ key: Key, _ hash: UInt32, now: UInt64) -> (value: Value, expiry: Expiry)? {
    let id = find(key, hash)
    guard id != .none, tier.contains(id) else { return nil }
    let expiry = expiry(id)
    return expiry.isOver(at: now) ? (records.value(id).pointee, expiry) : nil
  }

  /// Removes the entry of a key if it has expired, and returns whether it had. Reported as an
  /// expiration, which a get has counted already.
  mutating func removeExpired(
    _ key: Key, _ hash: UInt32, now: UInt64, _ gone: inout EvictedEntries<Key, Value>
  ) -> Bool {
    let id = find(key, hash)
    guard id != .none, tier.contains(id), expiry(id).isOver(at: now) else { return false }
    tier.remove(id)
    depart(id, .expire, &gone)
    return true
  }

  /// Removes a key, its ghost included, and returns its value unless that has expired.
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
    let isUsable = wasThere && !expiry(id).isOver(at: now)
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

  /// Removes every entry that is not permanent, or every entry, and all ghosts. O(ids). Returns the
  /// number of removed entries.
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

  /// Removes expired entries that need not be kept. O(ids). Returns their number.
  mutating func removeExpired(now: UInt64, _ gone: inout EvictedEntries<Key, Value>) -> Int {
    guard expires else { return 0 }
    let count = removeResidents(.expire, &gone) { shard, id in
      let expiry = shard.expiry(id)
      guard expiry.isOver(at: now) else { return false }
      return !(shard.keepsExpired?(UnsafePointer(shard.records.value(id)), expiry) ?? false)
    }
    totals.swept += UInt64(count)
    return count
  }

  /// Removes entries stored before `instant`, to the precision of stamps, that are not permanent.
  /// O(ids). Returns their number.
  mutating func removeStored(before instant: UInt64, _ gone: inout EvictedEntries<Key, Value>)
    -> Int
  {
    // The bit of a permanent entry makes its stamp later than any time.
    let stamp = stamp(instant)
    let count = removeResidents(.evict(.trim), &gone) { shard, id in
      shard.records.stamp(id).pointee < stamp
    }
    totals.trimmed += UInt64(count)
    return count
  }

  /// Removes the entries, except permanent ones, whose values match. O(ids). Returns their number.
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

  /// Evicts entries, chosen by the policy, until at most `used` units and `count` entries are left.
  /// Returns their number.
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
  /// Changes the limits of the shard, unless a later call already has, and returns the number of
  /// entries evicted because they no longer fitted. O(ids).
  ///
  /// - Parameter number: Number of this call among those on the cache.
  /// - Parameter jitter: See `MemoryCacheLimits.ageJitter`; applies to entries stored from now on.
  /// - Throws: `PolicyError` if the policy does not support the limits; nothing has changed then.
  mutating func resize(
    _ setup: CacheTierSetup, jitter: UInt32, number: UInt64, now: UInt64,
    _ gone: inout EvictedEntries<Key, Value>
  ) throws(PolicyError) -> Int {
    guard number > limitsNumber else { return 0 }
    limitsNumber = number
    try resizeTier(setup)
    // Another capacity means a new policy, which has no ghosts.
    let isFresh = placesGhosts && tier.ghostCount == 0
    if isFresh { forgetPlaces(&gone) }
    let given = tier.victims.count
    for place in 0..<given { vacate(tier.victims[place], .evict(.trim), &gone) }
    for place in 0..<given { letGo(tier.victims[place], &gone) }
    // A policy with a longer ghost list may put more ghosts into the slots than the directory is
    // made for; start with these slots and make more only when needed.
    if isFresh, records.room + min(records.ghosts, tier.ghostsMax) > records.keysMax {
      grow(to: records.room, ghosts: records.ghosts)
    }
    totals.trimmed += UInt64(given)
    ages = setup.timeToLiveMicroseconds != nil
    self.jitter = jitter
    roomMax = Self.roomMax(
      residents: setup.objectsMax, ghosts: placesGhosts ? 0 : tier.ghostsMax)
    releaseForgotten(&gone)
    if let age = setup.timeToLiveMicroseconds { shortenLives(to: age, now: now) }
    return given
  }

  private func resizeTier(_ setup: CacheTierSetup) throws(PolicyError) {
    // The policy's words move.
    place.close()
    defer { place.open(records, directory, tier, idle) }
    try PolicyRegistry.resize(tier, to: setup) { [records, hasher] id in
      let key = records.key(id).pointee
      return hasher.fingerprint(key, hasher.hash(key))
    }
  }

  /// Removes the keys of all ghosts known by their slots, after the policy has lost its ghosts.
  /// O(ids).
  private mutating func forgetPlaces(_ gone: inout EvictedEntries<Key, Value>) {
    for id in directory.ids() where ShardRecords<Key, Value>.isGhost(id) {
      releaseGhost(ShardRecords<Key, Value>.ghostPlace(id), &gone)
    }
  }

  /// Frees the ids of ghosts that the policy has forgotten. O(ids).
  private mutating func releaseForgotten(_ gone: inout EvictedEntries<Key, Value>) {
    for id in ids() where !tier.contains(id) && !tier.remembers(id) {
      release(id, &gone)
    }
  }

  /// Limits the expiry of every entry that is not permanent to the time that `limit` returns for
  /// its value. O(ids).
  mutating func shortenLives(
    to limit: (UnsafePointer<Value>) -> Expiry, now: UInt64
  ) {
    for id in ids() where tier.contains(id) {
      guard records.stamp(id).pointee & Self.permanentBit == 0 else { continue }
      let limit = limit(UnsafePointer(records.value(id))).microseconds
      if tier.expiry(id) <= limit { continue }
      if !expires { beginExpiries() }
      tier.renew(id, limit)
      plan(id, now: now)
    }
  }

  /// Limits the lifetime of every entry to `age` microseconds from its storage, as precisely as
  /// that is known. Permanent entries and those being refreshed are unchanged. O(ids).
  private mutating func shortenLives(to age: UInt64, now: UInt64) {
    for id in ids() where tier.contains(id) {
      let stamp = records.stamp(id).pointee
      guard stamp < Self.permanentBit - 1 else { continue }
      let limit = Expiry(after: age, from: (UInt64(stamp) + 1 + stampOrigin) << 20).microseconds
      if tier.expiry(id) <= limit { continue }
      if !expires { beginExpiries() }
      tier.renew(id, limit)
      plan(id, now: now)
    }
  }
}

/// Refreshes of values that are still returned meanwhile. An entry that is being refreshed has a
/// stamp that no set writes, so a replacement is detected without another word per entry or a
/// branch in a set.
extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  /// Stamp of an entry that is being refreshed: later than any time, so trimming by age skips it.
  private static var refreshingStamp: UInt32 { permanentBit - 1 }

  /// Time at which an entry with this stamp was stored, to the precision of stamps; nil if it is
  /// being refreshed.
  func created(_ stamp: UInt32) -> CacheInstant? {
    if stamp == Self.refreshingStamp { return nil }
    return CacheInstant(
      microseconds: (UInt64(stamp & ~Self.permanentBit) + stampOrigin) << 20)
  }

  /// Returns true if a value that has not expired was stored before `instant`, to the precision of
  /// stamps, and is neither permanent nor being refreshed.
  func isDue(_ key: Key, _ hash: UInt32, before instant: UInt64, now: UInt64) -> Bool {
    let id = find(key, hash)
    guard id != .none, tier.contains(id), !expiry(id).isOver(at: now) else { return false }
    return records.stamp(id).pointee < self.stamp(instant)
  }

  /// Returns the value of a key that expired less than `life` ago and was kept, and whether it is
  /// being refreshed. Not counted as an access.
  func stale(
    _ key: Key, _ hash: UInt32, life: UInt64, now: UInt64
  ) -> (value: Value, isRefreshing: Bool)? {
    let id = find(key, hash)
    guard id != .none, tier.contains(id) else { return nil }
    let expiry = expiry(id)
    guard expiry.isOver(at: now), expiry.overdue(at: now) < life else { return nil }
    return (records.value(id).pointee, records.stamp(id).pointee == Self.refreshingStamp)
  }

  /// Marks an entry as being refreshed and returns its previous stamp. Nil if it is gone, permanent
  /// or marked already, or if it has not expired and was not stored before `instant`.
  func beginRefresh(_ key: Key, _ hash: UInt32, before instant: UInt64, now: UInt64) -> UInt32? {
    let id = find(key, hash)
    guard id != .none, tier.contains(id) else { return nil }
    let stamp = records.stamp(id).pointee
    guard stamp < Self.refreshingStamp else { return nil }
    guard expiry(id).isOver(at: now) || stamp < self.stamp(instant) else { return nil }
    records.stamp(id).pointee = Self.refreshingStamp
    return stamp
  }

  /// Returns true if the entry of a key is being refreshed and was not replaced since that began.
  func isRefreshing(_ key: Key, _ hash: UInt32) -> Bool {
    let id = find(key, hash)
    return id != .none && tier.contains(id) && records.stamp(id).pointee == Self.refreshingStamp
  }

  /// Restores the stamp of an entry that is still marked, so that it can be refreshed again.
  func endRefresh(_ key: Key, _ hash: UInt32, _ stamp: UInt32) {
    guard isRefreshing(key, hash) else { return }
    records.stamp(find(key, hash)).pointee = stamp
  }
}
