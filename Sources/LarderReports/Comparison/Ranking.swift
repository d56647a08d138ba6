import LarderSimulation

/// The policies at one capacity, best first, by a quantity of which more is better. Those that look
/// into the future do not take part.
struct Ranking {
  /// One policy's place.
  struct Entry {
    /// The policy.
    let policy: PolicyName
    /// Its values over the seeds.
    let value: Spread
  }

  /// Best first; equals in the order of the plan.
  let entries: [Entry]

  /// Ranks the competitors of `comparison` at a column. O(n log n) in the policies.
  init(_ comparison: Comparison, column: Int, by value: (Record) -> Double?) {
    let entries = comparison.competitors.compactMap { policy in
      comparison.spread(policy, column, of: value).map { Entry(policy: policy, value: $0) }
    }
    self.entries = entries.enumerated().sorted { left, right in
      left.element.value.mean != right.element.value.mean
        ? left.element.value.mean > right.element.value.mean : left.offset < right.offset
    }.map(\.element)
  }

  /// The policies with the highest value: several when they are equal.
  var best: [PolicyName] {
    guard let top = entries.first else { return [] }
    return entries.prefix { $0.value.mean == top.value.mean }.map(\.policy)
  }

  /// The best that is not equal to the first.
  var next: Entry? { entries.dropFirst(best.count).first }

  /// By how much the first leads the next; 0 when all are equal.
  var lead: Double {
    guard let top = entries.first, let next else { return 0 }
    return top.value.mean - next.value.mean
  }

  /// The difference between the best and the worst.
  var range: Double {
    guard let top = entries.first, let last = entries.last else { return 0 }
    return top.value.mean - last.value.mean
  }
}
