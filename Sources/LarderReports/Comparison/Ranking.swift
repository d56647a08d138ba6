import LarderSimulation

/// The policies of one configuration by one metric, over all capacities: which one leads, by how
/// much, and whether the difference matters. Every recommendation, caption, mark and card of a
/// report comes from here.
///
/// The leader is the policy with the least mean distance to the best over the capacities, which is
/// the one to take before the capacity is known. Policies that know the future are bounds and never
/// lead.
struct Ranking {
  /// What is ranked.
  let comparison: Comparison
  /// What it is ranked by.
  let metric: Metric
  /// The ranking at each capacity.
  let columns: [RankingColumn]
  /// The capacities at which there is something to compare. After an interruption a capacity may
  /// have one policy's results alone, which is no victory.
  let decided: [Int]
  /// The policies to take: several when they are equal everywhere; none where nothing is decided.
  let leaders: [PolicyName]

  /// Ranks `comparison` by its main metric, unless another is given. O(c * n log n) in capacities
  /// and policies.
  init(_ comparison: Comparison, by other: Metric? = nil) {
    let metric = other ?? comparison.mainMetric
    self.comparison = comparison
    self.metric = metric
    let columns = comparison.columns.indices.map {
      RankingColumn(comparison, $0, by: metric)
    }
    let needed = max(1, min(2, comparison.competitors.count))
    let decided = columns.indices.filter { columns[$0].entries.count >= needed }
    self.columns = columns
    self.decided = decided
    // Whoever was not run everywhere comes behind all who were.
    let sorted = comparison.competitors.filter { policy in
      decided.contains { columns[$0].value(policy) != nil }
    }.sorted(byKey: { Self.distance($0, columns, decided) })
    leaders = sorted.filter { policy in
      decided.allSatisfy { columns[$0].value(policy) == columns[$0].value(sorted[0]) }
    }
  }

  /// The first of the leaders.
  var leader: PolicyName? { leaders.first }

  /// True where no policy is better than another by more than noise at any capacity.
  var isIndifferent: Bool {
    comparison.competitors.count > 1 && !decided.isEmpty
      && decided.allSatisfy { columns[$0].isIndifferent }
  }

  /// The best value that a policy reaches, with where; nil where there is none. Not affected by
  /// policies that know the future.
  var peak: (policy: PolicyName, column: Int, value: Double)? {
    let places = columns.indices.filter { columns[$0].bestValue != nil }
    let sign = metric.better == .lower ? 1.0 : -1.0
    guard
      let column = places.sorted(byKey: { sign * (columns[$0].bestValue ?? 0) }).first,
      let entry = columns[column].entries.first
    else { return nil }
    return (entry.policy, column, entry.value.mean)
  }

  /// Capacities at which other policies are better than the leader.
  struct Exception {
    /// The capacities.
    var columns: [Int]
    /// The best policies there.
    let policies: [PolicyName]
    /// Whether the difference is real, and not noise.
    let isReal: Bool
  }

  /// Where the leader is not the best, by who is; those that matter first.
  var exceptions: [Exception] {
    guard let leader else { return [] }
    var found: [Exception] = []
    for column in decided where !columns[column].best.contains(leader) {
      let best = columns[column].best
      let isReal = columns[column].isReal(behind: leader)
      if let index = found.firstIndex(where: { $0.policies == best && $0.isReal == isReal }) {
        found[index].columns.append(column)
      } else {
        found.append(Exception(columns: [column], policies: best, isReal: isReal))
      }
    }
    return found.filter(\.isReal) + found.filter { !$0.isReal }
  }

  /// The largest distance of the leader to the best.
  var largestDeficit: Double {
    leader.map { leader in decided.compactMap { columns[$0].deficit(leader) }.max() ?? 0 } ?? 0
  }

  /// The capacity at which the leader is furthest from `other`, which may know the future; nil
  /// where both were run nowhere.
  func widest(from other: PolicyName) -> (column: Int, own: Double, other: Double)? {
    guard let leader else { return nil }
    let gaps = decided.compactMap { column -> (column: Int, own: Double, other: Double)? in
      guard let own = columns[column].value(leader),
        let other = comparison.spread(other, column, of: metric.value)?.mean
      else { return nil }
      return (column, own, other)
    }
    return gaps.sorted(byKey: { -abs($0.own - $0.other) }).first
  }

  private static func distance(
    _ policy: PolicyName, _ columns: [RankingColumn], _ decided: [Int]
  ) -> Double {
    let known = decided.compactMap { columns[$0].deficit(policy) }
    guard known.count == decided.count, !known.isEmpty else { return .infinity }
    return known.reduce(0, +) / Double(known.count)
  }

  /// A policy's mean distance to the best; infinite where it was not run everywhere.
  func meanDeficit(_ policy: PolicyName) -> Double {
    Self.distance(policy, columns, decided)
  }
}
