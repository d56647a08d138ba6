extension Float {
  /// The number as policies take it for what a fetch costs: from 0 to the largest finite one, and
  /// 1, the cost of what nothing is said of, where it is not a number.
  @inlinable
  @inline(__always)
  var asFetchCost: Float {
    if self >= 0 { return min(self, .greatestFiniteMagnitude) }
    return isNaN ? 1 : 0
  }
}
