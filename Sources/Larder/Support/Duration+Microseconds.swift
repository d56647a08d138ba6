extension Duration {
  /// Whole microseconds, at least 0 and at most 2^63 - 1, whatever the duration.
  @usableFromInline
  package var microseconds: UInt64 {
    guard self > .zero else { return 0 }
    // Before it is taken apart: a duration may have more seconds than `components` can say.
    guard self < .seconds(Int64.max / 1_000_000) else { return UInt64(Int64.max) }
    let (seconds, attoseconds) = components
    return UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000)
  }
}
