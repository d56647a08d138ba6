/// What a memory cache gave up for want of room, for whoever keeps it elsewhere; where listeners
/// want it, all that leaves or is refused.
@usableFromInline
package struct MemoryEviction<Key: Sendable, Value: Sendable>: Sendable {
  /// The key.
  package var key: Key
  /// The value that was stored under it last.
  package var value: Value
  /// What counted against the limit on costs; 1 where costs are not kept.
  package var cost: UInt32
  /// When the entry expires, microseconds of the cache's clock; `UInt64.max` for never. It may have
  /// passed already.
  package var expiresMicroseconds: UInt64
  /// Whether the entry was permanent.
  package var isPermanent: Bool
  /// Why it is not there.
  package var reason: MemoryRemovalReason

  @usableFromInline
  init(
    key: Key, value: Value, cost: UInt32, expiresMicroseconds: UInt64, isPermanent: Bool,
    reason: MemoryRemovalReason
  ) {
    self.key = key
    self.value = value
    self.cost = cost
    self.expiresMicroseconds = expiresMicroseconds
    self.isPermanent = isPermanent
    self.reason = reason
  }
}

/// What became of a value that was to be stored in memory.
@frozen
@usableFromInline
package enum MemoryStored: UInt8, Sendable {
  /// It is there.
  case stored
  /// It is larger than what fits, or the policy does not want it; what was there before is removed.
  case rejected
  /// It took another's place and was evicted again at once.
  case evicted
}
