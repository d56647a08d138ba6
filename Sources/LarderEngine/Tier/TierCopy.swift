/// What a simulated tier knows of the copy of an object that answers a get.
struct TierCopy {
  /// Its size, in units of the capacity.
  var size: UInt32
  /// Whether it is older than the origin's.
  var isStale: Bool
  /// When it expires, microseconds.
  var expires: UInt64
  /// What fetching it cost.
  var cost: Float
}
