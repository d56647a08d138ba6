import LarderSimulation

/// The policies at one capacity, best first. Policies that know the future are bounds and do not
/// take part.
struct RankingColumn {
  /// One policy's place.
  struct Entry {
    /// The policy.
    let policy: PolicyName
    /// Its values over the seeds.
    let value: Spread
  }

  /// Best first; equals in the order of the plan.
  let entries: [Entry]
  private let comparison: Comparison
  private let column: Int
  private let metric: Metric

  /// Ranks the competitors of `comparison` at a column. O(n log n) in the policies.
  init(_ comparison: Comparison, _ column: Int, by metric: Metric) {
    self.comparison = comparison
    self.column = column
    self.metric = metric
    let sign = metric.better == .lower ? 1.0 : -1.0
    entries = comparison.competitors.compactMap { policy in
      comparison.spread(policy, column, of: metric.value).map { Entry(policy: policy, value: $0) }
    }.sorted(byKey: { sign * $0.value.mean })
  }

  /// The policies with the best value: several when they are equal.
  var best: [PolicyName] {
    guard let top = entries.first else { return [] }
    return entries.prefix { $0.value.mean == top.value.mean }.map(\.policy)
  }

  /// The best value.
  var bestValue: Double? { entries.first?.value.mean }

  /// A policy's mean over the seeds; nil where it was not run.
  func value(_ policy: PolicyName) -> Double? {
    entries.first { $0.policy == policy }?.value.mean
  }

  /// How far a policy is behind the best; nil where it was not run.
  func deficit(_ policy: PolicyName) -> Double? {
    guard let bestValue, let own = value(policy) else { return nil }
    return abs(bestValue - own)
  }

  /// The difference between the best and the worst of `policies`.
  func range(of policies: [PolicyName]) -> Double {
    policies.compactMap { deficit($0) }.max().map { worst in
      worst - (policies.compactMap { deficit($0) }.min() ?? 0)
    } ?? 0
  }

  /// True where all policies are equal but for noise.
  var isIndifferent: Bool {
    range(of: entries.map(\.policy)) < metric.noise(at: bestValue ?? 0)
  }

  /// True where the best is better than `policy` by more than noise, and with every seed.
  func isReal(behind policy: PolicyName) -> Bool {
    guard let bestValue, let gap = deficit(policy), gap >= metric.noise(at: bestValue),
      let top = best.first
    else { return false }
    let (first, own) = (bySeed(top), bySeed(policy))
    return first.allSatisfy { seed, value in
      own[seed].map { metric.better == .lower ? value < $0 : value > $0 } ?? true
    }
  }

  private func bySeed(_ policy: PolicyName) -> [UInt64: Double] {
    var values: [UInt64: Double] = [:]
    for record in comparison.records(policy, column) {
      values[record.cell.seed] = metric.value(record)
    }
    return values
  }
}

extension Sequence {
  /// The elements by a key, the smallest first; equals stay in their order. O(n log n).
  func sorted(byKey key: (Element) -> Double) -> [Element] {
    enumerated().map { (key: key($0.element), number: $0.offset, element: $0.element) }
      .sorted { ($0.key, $0.number) < ($1.key, $1.number) }.map(\.element)
  }
}
