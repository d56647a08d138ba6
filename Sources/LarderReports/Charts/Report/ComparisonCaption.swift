import LarderSystem
import LarderWorkloads

/// What there is to see in the charts of one configuration, computed from its records.
struct ComparisonCaption {
  let comparison: Comparison

  /// Who leads how often, and by how much where it leads the most.
  func ranking(_ quantity: ComparisonCharts.Quantity) -> String {
    let sign = quantity.better == .higher ? 1.0 : -1.0
    let rankings = comparison.columns.indices.map { column in
      Ranking(comparison, column: column) { record in quantity.value(record).map { $0 * sign } }
    }
    let ranked = rankings.indices.filter { !rankings[$0].entries.isEmpty }
    guard let leader = leader(rankings, ranked) else {
      return "Only policies that know the future were run."
    }
    let columns = ranked.filter { rankings[$0].best.contains(leader) }
    let superlative = "the \(quantity.better == .higher ? "highest" : "lowest") \(quantity.name)"
    let all = columns.count == ranked.count
    let place = all ? "every capacity" : "\(columns.count) of \(ranked.count) capacities"
    let at = ranked.count == 1 ? "" : " at \(place)"
    var text = "\(leader.text) has \(superlative)\(at)"
    if let widest = widest(leader, columns, quantity) {
      text += ranked.count == 1 ? ": " : "; at \(comparison.columns[widest.column].title) it is "
      text += widest.words
    }
    text += "."
    if comparison.kind == .hybrid, quantity.showsOffline, comparison.columns.count > 1 {
      text += " Capacities are of the disk tier."
    }
    return text
  }

  /// Who is first at most capacities; of equals the first in the plan.
  private func leader(_ rankings: [Ranking], _ ranked: [Int]) -> PolicyName? {
    var best: (policy: PolicyName, count: Int)?
    for policy in comparison.competitors {
      let count = ranked.count { rankings[$0].best.contains(policy) }
      if count > (best?.count ?? 0) { best = (policy, count) }
    }
    return best?.policy
  }

  /// Where the leader is farthest ahead of what people use without thinking.
  private func widest(
    _ leader: PolicyName, _ columns: [Int], _ quantity: ComparisonCharts.Quantity
  ) -> (column: Int, words: String)? {
    let measured =
      comparison.baseline(for: leader) ?? comparison.competitors.first { $0 != leader }
    var best: (column: Int, gain: Double)?
    for column in columns {
      guard let own = mean(leader, column, quantity) else { continue }
      let gain = measured.flatMap { mean($0, column, quantity) }.map { abs(own - $0) } ?? 0
      if gain > (best?.gain ?? -1) { best = (column, gain) }
    }
    guard let best, let own = mean(leader, best.column, quantity) else { return nil }
    var words = quantity.unit.value(own)
    if let measured, let other = mean(measured, best.column, quantity) {
      words += ", \(difference(own, other, quantity)) \(measured.text)"
    }
    if quantity.showsOffline, let bound = comparison.offline.first,
      let value = mean(bound, best.column, quantity)
    {
      words += " and \(difference(own, value, quantity)) \(bound.text), which knows the future"
    }
    return (best.column, words)
  }

  private func mean(
    _ policy: PolicyName, _ column: Int, _ quantity: ComparisonCharts.Quantity
  ) -> Double? {
    comparison.spread(policy, column, of: quantity.value)?.mean
  }

  /// How far one value is above or below another, in points of a share and else in per cent.
  private func difference(
    _ own: Double, _ other: Double, _ quantity: ComparisonCharts.Quantity
  ) -> String {
    let change = own - other
    let direction = change >= 0 ? "above" : "below"
    if quantity.unit == .percent || quantity.unit == .points {
      return "\(ChartUnit.points.value(abs(change))) \(direction)"
    }
    guard other != 0, let share = NumberText.fixed(abs(change / other) * 100, decimals: 1) else {
      return "\(quantity.unit.value(abs(change))) \(direction)"
    }
    return "\(share) % \(direction)"
  }

  /// How the hits are divided.
  func tiers() -> String {
    var memory: [Double] = []
    var disk: [Double] = []
    for policy in comparison.competitors {
      for column in comparison.columns.indices {
        if let spread = comparison.spread(policy, column, of: { $0.share(\.memoryHits) }) {
          memory.append(spread.mean)
        }
        if let spread = comparison.spread(policy, column, of: { $0.share(\.diskHits) }) {
          disk.append(spread.mean)
        }
      }
    }
    let charts = ComparisonCharts(comparison: comparison, name: "", styles: PolicyStyles([]))
    let isShort = charts.shownColumns.count < comparison.columns.count
    return "\(range(memory)) of the requests are memory hits, and \(range(disk)) are disk hits."
      + (isShort ? " The chart shows some of the capacities; the table has all." : "")
  }

  private func range(_ values: [Double]) -> String {
    guard let least = values.min(), let most = values.max() else { return "none" }
    let (low, high) = (ChartUnit.percent.value(least), ChartUnit.percent.value(most))
    return low == high ? low : "\(low.dropLast(2)) to \(high)"
  }
}
