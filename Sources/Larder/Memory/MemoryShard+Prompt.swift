import LarderEngine

/// Entries that leave when they expire, and not when somebody finds them: `promptExpiry`.
extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  /// Notes when an entry that was stored expires, and has the alarm set.
  @usableFromInline
  @inline(never)
  mutating func plan(_ id: ObjectID, now: UInt64) {
    guard let prompt else { return }
    let leaving = leaving(id, now)
    wheel?.set(id, expires: leaving, now: now)
    if let instant = wheel?.nextInstant, instant != .max { prompt.wake(at: instant) }
  }

  /// When an entry is to leave if nothing happens until then: that of one that is kept beyond its
  /// expiry is asked about again after as long as it has been kept, so it stays for up to twice
  /// as long as it has to.
  private func leaving(_ id: ObjectID, _ now: UInt64) -> UInt64 {
    let expires = expiry(id)
    guard let keepsExpired, expires <= now,
      keepsExpired(UnsafePointer(records.value(id)), expires)
    else { return expires }
    let (leaving, isNever) = now.addingReportingOverflow(
      max(now - expires, prompt?.granule ?? 0))
    return isNever ? .max : leaving
  }

  /// Takes the ids out of the wheel whose entries may have expired by now.
  mutating func takeDue(now: UInt64) -> [ObjectID] {
    let (tier, idle) = (tier, idle)
    return wheel?.advance(to: now) { id in
      guard tier.contains(id) else { return nil }
      return min(tier.expiry(id), idle?[id] ?? .max)
    } ?? []
  }

  /// Removes the entries of ids that were taken out if they have expired, and notes the expiry of
  /// others again. Returns how many were removed.
  mutating func removeDue(
    _ ids: some Sequence<ObjectID>, now: UInt64, _ gone: inout EvictedEntries<Key, Value>
  ) -> Int {
    var count = 0
    for id in ids where tier.contains(id) {
      let leaving = leaving(id, now)
      if leaving > now {
        wheel?.set(id, expires: leaving, now: now)
        continue
      }
      tier.remove(id)
      depart(id, .expire, &gone)
      count += 1
    }
    totals.swept += UInt64(count)
    return count
  }
}
