/// The weights of two experts that advise on victims, LRU and LFU: whoever advised to evict what is
/// then missed loses weight (regret minimisation with multiplicative weights).
struct ExpertWeights {
  // No expert falls below this, so that the other can come back.
  private static var least: Double { 0.01 }

  /// The share of the first expert; the second has the rest.
  private(set) var first: Double

  /// Makes the first expert, or else the second, pay for its advice: its weight is multiplied by
  /// e to the power -`loss`.
  @inline(never)
  mutating func penalise(first isFirst: Bool, loss: Double) {
    let factor = DeterministicMath.exp(-loss)
    let one = isFirst ? first * factor : first
    let other = isFirst ? 1 - first : (1 - first) * factor
    let share = one / (one + other)
    first = min(max(share, ExpertWeights.least), 1 - ExpertWeights.least)
  }
}
