import LarderEngine

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
