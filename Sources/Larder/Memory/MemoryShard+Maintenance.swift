import LarderEngine
import LarderPolicies

extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  var residentBytes: Int {
    records.bytes + directory.bytes + tier.stateBytes + (idle?.bytes ?? 0) + (wheel?.bytes ?? 0)
  }

  func ids() -> [ObjectID] {
    placesGhosts
      ? directory.ids().filter { !ShardRecords<Key, Value>.isGhost($0) } : directory.ids()
  }

  /// Returns the id of a key that has a value, expired or not.
  mutating func resident(_ key: Key, _ hash: UInt32) -> ObjectID? {
    let id = find(key, hash)
    return id != .none && tier.contains(id) ? id : nil
  }

  /// Returns the id of a key whose value has not expired; not counted as an access.
  mutating func live(_ key: Key, _ hash: UInt32, now: UInt64) -> ObjectID? {
    guard let id = resident(key, hash), !expiry(id).isOver(at: now) else { return nil }
    return id
  }

  mutating func renew(_ key: Key, _ hash: UInt32, timeToLive: UInt64, now: UInt64) {
    guard let id = live(key, hash, now: now), records.stamp(id).pointee & Self.permanentBit == 0
    else { return }
    let end = self.expiry(timeToLive, hash, now)
    if end != Request.noExpiry, !expires { beginExpiries() }
    tier.renew(id, end)
    if expires { plan(id, now: now) }
  }

  mutating func value(_ key: Key, _ hash: UInt32, now: UInt64, _ entry: inout MemoryEntry) -> Value?
  {
    guard let id = live(key, hash, now: now) else { return nil }
    let stamp = records.stamp(id).pointee
    entry.size = tier.size(id)
    entry.isPermanent = stamp & Self.permanentBit != 0
    let end = tier.expiry(id)
    // An entry that ends with the limit on age has no expiry of its own.
    let isOwn = !ages || created(stamp).map { end < expiry(0, hash, $0.microseconds) } ?? true
    entry.expiry = isOwn ? Expiry(end) : .never
    return records.value(id).pointee
  }

  func append(_ ids: Range<ObjectID>, to keys: inout [Key], now: UInt64) {
    for id in ids where tier.contains(id) && !expiry(id).isOver(at: now) {
      keys.append(records.key(id).pointee)
    }
  }

  mutating func expired(_ key: Key, _ hash: UInt32, now: UInt64) -> (value: Value, expiry: Expiry)?
  {
    guard let id = resident(key, hash) else { return nil }
    let expiry = expiry(id)
    return expiry.isOver(at: now) ? (records.value(id).pointee, expiry) : nil
  }

  mutating func removeExpired(
    _ key: Key, _ hash: UInt32, now: UInt64, _ gone: inout EvictedEntries<Key, Value>
  ) -> Bool {
    guard let id = resident(key, hash), expiry(id).isOver(at: now) else { return false }
    tier.remove(id)
    depart(id, .expire, &gone)
    return true
  }

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

  mutating func removeAll(
    _ ids: Range<ObjectID>, includingPermanent: Bool, _ gone: inout EvictedEntries<Key, Value>
  ) -> Int {
    var count = 0
    for id in ids {
      let wasThere = tier.contains(id)
      if wasThere, !includingPermanent, records.stamp(id).pointee & Self.permanentBit != 0 {
        continue
      }
      // Otherwise the id is free: its record may still have a hash or trivial key.
      if !wasThere, !directory.contains(hash(id), id) { continue }
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

  /// Forgets the oldest ghosts in slots, up to `ShardWalk.step`; returns true if there are more.
  mutating func forgetGhosts(_ gone: inout EvictedEntries<Key, Value>) -> Bool {
    for _ in 0..<min(tier.ghostCount, ShardWalk.step) { releaseGhost(tier.dropGhost(nil), &gone) }
    return tier.ghostCount > 0
  }

  mutating func removeExpired(
    _ ids: Range<ObjectID>, now: UInt64, _ gone: inout EvictedEntries<Key, Value>
  ) -> Int {
    guard expires else { return 0 }
    let count = removeResidents(ids, .expire, &gone) { shard, id in
      let expiry = shard.expiry(id)
      guard expiry.isOver(at: now) else { return false }
      return !(shard.keepsExpired?(UnsafePointer(shard.records.value(id)), expiry) ?? false)
    }
    totals.swept += UInt64(count)
    return count
  }

  mutating func removeStored(
    _ ids: Range<ObjectID>, before instant: UInt64, _ gone: inout EvictedEntries<Key, Value>
  ) -> Int {
    // The bit of a permanent entry makes its stamp later than any time.
    let stamp = stamp(instant)
    return trim(ids, &gone) { shard, id in shard.records.stamp(id).pointee < stamp }
  }

  mutating func removeValues(
    _ ids: Range<ObjectID>, _ gone: inout EvictedEntries<Key, Value>,
    where isChosen: (UnsafePointer<Value>) -> Bool
  ) -> Int {
    trim(ids, &gone) { shard, id in
      shard.records.stamp(id).pointee & Self.permanentBit == 0
        && isChosen(UnsafePointer(shard.records.value(id)))
    }
  }

  private mutating func trim(
    _ ids: Range<ObjectID>, _ gone: inout EvictedEntries<Key, Value>,
    where isChosen: (borrowing MemoryShard, ObjectID) -> Bool
  ) -> Int {
    let count = removeResidents(ids, .evict(.trim), &gone, where: isChosen)
    totals.trimmed += UInt64(count)
    return count
  }

  /// Evicts as many entries as needed, up to `ShardWalk.step`.
  mutating func trim(
    to goal: (used: UInt64, count: Int), _ reason: EvictionReason,
    _ gone: inout EvictedEntries<Key, Value>
  ) -> Int {
    var given = 0
    while given < ShardWalk.step, tier.count > 0, tier.used > goal.used || tier.count > goal.count {
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
    _ ids: Range<ObjectID>, _ kind: CacheEventKind, _ gone: inout EvictedEntries<Key, Value>,
    where isChosen: (borrowing MemoryShard, ObjectID) -> Bool
  ) -> Int {
    var count = 0
    for id in ids where tier.contains(id) && isChosen(self, id) {
      tier.remove(id)
      depart(id, kind, &gone)
      count += 1
    }
    return count
  }
}

extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  /// Begins a change of the limits, and returns the number of evicted entries; nil during another
  /// change, and while there are ghosts to be forgotten first.
  mutating func resize(
    _ setup: CacheTierSetup, jitter: UInt32, number: UInt64,
    _ gone: inout EvictedEntries<Key, Value>
  ) throws(PolicyError) -> Int? {
    if tier.isChanging { return nil }
    guard number > limitsNumber else { return 0 }
    if setup.capacity != capacity, forgetGhosts(&gone) { return nil }
    (limitsNumber, capacity) = (number, setup.capacity)
    // The policy's words move.
    place.close()
    defer { place.open(records, directory, tier, idle) }
    try PolicyRegistry.resize(&tier, to: setup)
    if placesGhosts, tier.ghostCount == 0 {
      // A policy with a longer ghost list may put more ghosts into the slots than the directory is
      // made for; start with these slots and make more only when needed.
      growDirectory()
    }
    ages = setup.timeToLiveMicroseconds != nil
    self.jitter = jitter
    roomMax = Self.roomMax(
      residents: setup.objectsMax, ghosts: placesGhosts ? 0 : tier.ghostsMax)
    return dropTrimmed(&gone)
  }

  /// Continues a change of the policy, and returns the number of evicted entries; nil if none is
  /// under way.
  mutating func continueChange(_ gone: inout EvictedEntries<Key, Value>) -> Int? {
    guard tier.isChanging else { return nil }
    tier.moveWaiting { [records, hasher] id in
      let key = records.key(id).pointee
      return hasher.fingerprint(key, hasher.hash(key))
    }
    if !tier.isChanging {
      // Hits need no lock again.
      place.close()
      place.open(records, directory, tier, idle)
    }
    return dropTrimmed(&gone)
  }

  private mutating func dropTrimmed(_ gone: inout EvictedEntries<Key, Value>) -> Int {
    let count = tier.victims.count
    for place in 0..<count { vacate(tier.victims[place], .evict(.trim), &gone) }
    for place in 0..<count { letGo(tier.victims[place], &gone) }
    totals.trimmed += UInt64(count)
    return count
  }

  mutating func releaseForgotten(
    _ ids: Range<ObjectID>, _ gone: inout EvictedEntries<Key, Value>
  ) {
    for id in ids where !tier.contains(id) && !tier.remembers(id) {
      // Otherwise it is free.
      if directory.contains(hash(id), id) { release(id, &gone) }
    }
  }

  mutating func shortenLives(
    _ ids: Range<ObjectID>, to limit: (UnsafePointer<Value>) -> Expiry, now: UInt64
  ) {
    for id in ids where tier.contains(id) {
      guard records.stamp(id).pointee & Self.permanentBit == 0 else { continue }
      shortenLife(of: id, to: limit(UnsafePointer(records.value(id))), now: now)
    }
  }

  /// Limits the lifetime of every entry to `age` microseconds from its storage, as precisely as
  /// that is known. Permanent entries and those being refreshed are unchanged.
  mutating func shortenLives(_ ids: Range<ObjectID>, toAge age: UInt64, now: UInt64) {
    for id in ids where tier.contains(id) {
      let stamp = records.stamp(id).pointee
      guard stamp < Self.permanentBit - 1 else { continue }
      let limit = Expiry(after: age, from: (UInt64(stamp) + 1 + stampOrigin) << 20)
      shortenLife(of: id, to: limit, now: now)
    }
  }

  private mutating func shortenLife(of id: ObjectID, to limit: Expiry, now: UInt64) {
    if tier.expiry(id) <= limit.microseconds { return }
    if !expires { beginExpiries() }
    tier.renew(id, limit.microseconds)
    plan(id, now: now)
  }
}

/// Refreshes of values that are still returned meanwhile. An entry that is being refreshed has a
/// stamp that no set writes, so a replacement is detected without another word per entry or a
/// branch in a set.
extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  private static var refreshingStamp: UInt32 { permanentBit - 1 }

  func created(_ stamp: UInt32) -> CacheInstant? {
    if stamp == Self.refreshingStamp { return nil }
    return CacheInstant(
      microseconds: (UInt64(stamp & ~Self.permanentBit) + stampOrigin) << 20)
  }

  mutating func isDue(_ key: Key, _ hash: UInt32, before instant: UInt64, now: UInt64) -> Bool {
    guard let id = live(key, hash, now: now) else { return false }
    return records.stamp(id).pointee < self.stamp(instant)
  }

  mutating func stale(
    _ key: Key, _ hash: UInt32, life: UInt64, now: UInt64
  ) -> (value: Value, isRefreshing: Bool)? {
    guard let id = resident(key, hash) else { return nil }
    let expiry = expiry(id)
    guard expiry.isOver(at: now), expiry.overdue(at: now) < life else { return nil }
    return (records.value(id).pointee, records.stamp(id).pointee == Self.refreshingStamp)
  }

  mutating func beginRefresh(_ key: Key, _ hash: UInt32, before instant: UInt64, now: UInt64)
    -> UInt32?
  {
    guard let id = resident(key, hash) else { return nil }
    let stamp = records.stamp(id).pointee
    guard stamp < Self.refreshingStamp else { return nil }
    guard expiry(id).isOver(at: now) || stamp < self.stamp(instant) else { return nil }
    records.stamp(id).pointee = Self.refreshingStamp
    return stamp
  }

  mutating func isRefreshing(_ key: Key, _ hash: UInt32) -> Bool {
    resident(key, hash).map { records.stamp($0).pointee == Self.refreshingStamp } ?? false
  }

  mutating func endRefresh(_ key: Key, _ hash: UInt32, _ stamp: UInt32) {
    guard isRefreshing(key, hash) else { return }
    records.stamp(find(key, hash)).pointee = stamp
  }
}

/// A walk over the ids of a shard, in order and in parts, between which its lock is released. An
/// entry keeps its id; ids that are first used after the beginning are not visited.
struct ShardWalk {
  static var step: Int { 256 }

  private var next: ObjectID = 1
  private var end: ObjectID?

  mutating func part(of count: Int) -> Range<ObjectID>? {
    let end = self.end ?? ObjectID(count)
    self.end = end
    guard next < end else { return nil }
    defer { next = min(end, next + ObjectID(Self.step)) }
    return next..<min(end, next + ObjectID(Self.step))
  }
}
