/// A table of one metric: a line a policy, a column a capacity. The best is marked, and policies
/// that know the future stand below the others and are never marked.
struct ValueTable {
  /// The comparison shown.
  let comparison: Comparison
  /// What is shown.
  let metric: Metric
  /// Whether the smallest and the largest value over the seeds stand behind the mean.
  var showsRange = true

  /// The table.
  var table: Table {
    var table = Table(titles: ["policy"] + comparison.columns.map(\.title))
    let best = comparison.columns.indices.map { column in bestPolicies(column) }
    let offline = metric.showsOffline ? comparison.offline : []
    for policy in comparison.competitors + offline {
      let cells = comparison.columns.indices.map { column -> Inline in
        guard let text = text(policy, column) else { return Table.none }
        return best[column].contains(policy) ? .strong(text) : .text(text)
      }
      table.rows.append([Self.title(policy, in: comparison)] + cells)
    }
    return table
  }

  /// How a policy is named at the head of its line.
  static func title(_ policy: PolicyName, in comparison: Comparison) -> Inline {
    policy.isOffline ? .text(comparison.title(of: policy)) : .code(policy.text)
  }

  private func bestPolicies(_ column: Int) -> [PolicyName] {
    guard metric.better != .none else { return [] }
    let ranking = RankingColumn(comparison, column, by: metric)
    // Where all are equal there is nothing to mark.
    return ranking.best.count < ranking.entries.count ? ranking.best : []
  }

  /// The mean over the seeds, with the range where the seeds differ.
  private func text(_ policy: PolicyName, _ column: Int) -> String? {
    guard let spread = comparison.spread(policy, column, of: metric.value),
      let mean = metric.cell(spread.mean)
    else { return nil }
    guard showsRange, spread.varies, let low = metric.cell(spread.smallest),
      let high = metric.cell(spread.largest),
      low != high
    else { return mean }
    return "\(mean) (\(low)–\(high))"
  }
}
