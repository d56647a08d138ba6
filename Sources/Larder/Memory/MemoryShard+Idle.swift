import LarderEngine

/// Entries that expire because nobody accesses them.
extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  /// When a resident entry expires if nobody accesses it, microseconds. (The tier knows only when
  /// it does in any case.)
  @inlinable
  func expiry(_ id: ObjectID) -> UInt64 {
    let latest = tier.expiry(id)
    guard let idle else { return latest }
    return min(latest, idle[id])
  }

  /// What a get leaves that finds an entry not accessed for too long; nil where the id has none.
  @inlinable
  @inline(never)
  mutating func endIdle(_ id: ObjectID) -> Leaving? {
    guard tier.contains(id) else { return nil }
    if keepsExpired == nil { tier.remove(id) }
    totals.misses &+= 1
    totals.idled &+= 1
    return .expired(id)
  }
}
