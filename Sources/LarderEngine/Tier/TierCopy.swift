/// What a simulated tier knows of the copy of an object that answers a get.
@usableFromInline
struct TierCopy {
  /// Its size, in units of the capacity.
  @usableFromInline var size: UInt32
  /// Whether it is older than the origin's.
  @usableFromInline var isStale: Bool
  /// When it expires, microseconds.
  @usableFromInline var expires: UInt64
  /// What fetching it cost.
  @usableFromInline var cost: Float

  /// A copy from its parts.
  @inlinable
  @inline(__always)
  init(size: UInt32, isStale: Bool, expires: UInt64, cost: Float) {
    self.size = size
    self.isStale = isStale
    self.expires = expires
    self.cost = cost
  }
}
