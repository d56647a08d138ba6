/// What a set says of an entry beside its key and value, in the engine's units.
@usableFromInline
struct MemoryEntry {
  /// Cost against the limit; more than 32 bits hold is more than any shard takes.
  @usableFromInline var size: UInt32
  /// Time to live, microseconds; 0 for none of its own.
  @usableFromInline var timeToLive: UInt64
  /// When it expires at the latest, microseconds; `UInt64.max` for never.
  @usableFromInline var expires: UInt64
  /// What fetching it again costs.
  @usableFromInline var fetchCost: Float
  /// Whether it survives cleaning.
  @usableFromInline var isPermanent: Bool

  @inlinable
  @inline(__always)
  init(
    cost: Int, timeToLive: Duration?, expires: UInt64 = .max, fetchCost: Float, isPermanent: Bool
  ) {
    size = UInt32(clamping: cost)
    let life = timeToLive.map { $0 > .zero ? max(1, $0.microseconds) : 0 }
    self.timeToLive = life ?? 0
    // A life of nothing is over at once, where the tier takes 0 for none.
    self.expires = life == 0 ? 0 : expires
    self.fetchCost = fetchCost.asFetchCost
    self.isPermanent = isPermanent
  }
}
