import LarderSimulation

/// A table of one quantity: a line a policy, a column a capacity. The best is marked, and policies
/// that know the future stand below the others and are never marked.
struct ValueTable {
  /// Which end of the scale is the better one.
  enum Better {
    case higher
    case lower
    /// Neither: nothing is marked.
    case none
  }

  /// The comparison shown.
  let comparison: Comparison
  /// Which end is marked.
  let better: Better
  /// Whether policies that know the future are shown.
  var showsOffline = true
  /// Whether the smallest and the largest value over the seeds stand behind the mean.
  var showsRange = true
  /// The quantity of a record; nil where it does not exist.
  let value: (Record) -> Double?
  /// A value as text.
  let format: (Double) -> String?

  /// The table.
  var table: Table {
    var table = Table(titles: ["policy"] + comparison.columns.map(\.title))
    let best = comparison.columns.indices.map { column in bestPolicies(column) }
    let offline = showsOffline ? comparison.offline : []
    for policy in comparison.competitors + offline {
      let cells = comparison.columns.indices.map { column -> Inline in
        guard let text = text(policy, column) else { return Table.none }
        return best[column].contains(policy) ? .strong(text) : .text(text)
      }
      table.rows.append([Self.title(policy)] + cells)
    }
    return table
  }

  /// How a policy is named at the head of its line.
  static func title(_ policy: PolicyName) -> Inline {
    if policy.isUpperBound { return .text("\(policy.text) (upper bound)") }
    return policy.isOffline ? .text("\(policy.text) (knows the future)") : .code(policy.text)
  }

  private func bestPolicies(_ column: Int) -> [PolicyName] {
    guard better != .none else { return [] }
    let sign = better == .higher ? 1.0 : -1.0
    let ranking = Ranking(comparison, column: column) { record in value(record).map { sign * $0 } }
    // Where all are equal there is nothing to mark.
    return ranking.best.count < ranking.entries.count ? ranking.best : []
  }

  /// The mean over the seeds, with the range where the seeds differ.
  private func text(_ policy: PolicyName, _ column: Int) -> String? {
    guard let spread = comparison.spread(policy, column, of: value),
      let mean = format(spread.mean)
    else { return nil }
    guard showsRange, spread.varies, let low = format(spread.smallest),
      let high = format(spread.largest),
      low != high
    else { return mean }
    return "\(mean) (\(low)–\(high))"
  }
}
