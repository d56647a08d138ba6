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
    self.timeToLive = timeToLive.map { max(1, $0.microseconds) } ?? 0
    self.expires = expires
    self.fetchCost = fetchCost
    self.isPermanent = isPermanent
  }
}

extension Duration {
  /// Whole microseconds, at least 0 and at most 2^63 - 1.
  @usableFromInline
  package var microseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return overflows ? UInt64(Int64.max) : UInt64(product) + UInt64(attoseconds / 1_000_000_000_000)
  }
}
