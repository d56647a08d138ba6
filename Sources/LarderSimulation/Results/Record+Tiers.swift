import LarderEngine

extension Record {
  /// Whether the counts say what happened in the tiers: always, but for a bound, in which nothing
  /// happens, and a cache that was executed only and does not count it.
  public var knowsTiers: Bool {
    if PolicyRegistry.isBound(cell.policy) { return false }
    return !timings.isEmpty || (executions?.first?.countsTiers ?? true)
  }

  /// What was counted in the tiers; nil where it is not known.
  public func tierCounts(_ value: (Counts) -> UInt64) -> UInt64? {
    knowsTiers ? value(counts) : nil
  }
}
