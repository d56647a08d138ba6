import LarderExperiments

/// The policies of one configuration by one metric, over all capacities: which one leads, by how
/// much, and whether the difference matters. Every recommendation, caption, mark and card of a
/// report is derived from it.
///
/// The leader is the simplest policy that is nowhere worse by more than noise than the one with the
/// least mean distance to the best over the capacities: the one to choose before the capacity is
/// known. Policies that know the future are bounds and never lead.
struct Ranking {
  typealias Entry = (policy: PolicyName, value: Double)

  let comparison: Comparison
  let metric: Metric
  /// The competitors at each capacity, best first; equal ones in plan order.
  let entries: [[Entry]]
  /// The capacities with at least two policies to compare. After an interruption, a capacity may
  /// have the results of one policy alone, which does not make it a winner.
  let decided: [Int]
  /// The recommended policy.
  private(set) var leader: PolicyName?

  init(_ comparison: Comparison, by other: Metric? = nil) {
    let metric = other ?? comparison.mainMetric
    self.comparison = comparison
    self.metric = metric
    let competitors = comparison.competitors
    let entries = comparison.columns.indices.map { column in
      competitors.compactMap { policy -> Entry? in
        comparison.spread(policy, column, of: metric.value).map { (policy, $0.mean) }
      }.sorted { metric.key($0.value) }
    }
    let needed = max(1, min(2, competitors.count))
    decided = entries.indices.filter { entries[$0].count >= needed }
    self.entries = entries
    leader = Choice.simplest(of: ranked, by: \.simplicity) { policy, first in
      decided.allSatisfy { column in
        guard let own = value(policy, column), let best = value(first, column) else { return false }
        return !metric.matters(metric.key(own) - metric.key(best), at: best)
      }
    }
  }

  /// The policies, best first. Those with missing runs rank behind those that were run everywhere.
  private var ranked: [PolicyName] {
    comparison.competitors.filter { policy in decided.contains { value(policy, $0) != nil } }
      .sorted(byKey: meanDeficit)
  }

  func value(_ policy: PolicyName, _ column: Int) -> Double? {
    entries[column].first { $0.policy == policy }?.value
  }

  func bestValue(_ column: Int) -> Double? { entries[column].first?.value }

  func best(_ column: Int) -> [PolicyName] {
    entries[column].filter { $0.value == bestValue(column) }.map(\.policy)
  }

  func deficit(_ policy: PolicyName, _ column: Int) -> Double? {
    guard let best = bestValue(column), let own = value(policy, column) else { return nil }
    return abs(best - own)
  }

  /// A policy's mean distance to the best; infinite if it was not run everywhere.
  func meanDeficit(_ policy: PolicyName) -> Double {
    let known = decided.compactMap { deficit(policy, $0) }
    guard known.count == decided.count, !known.isEmpty else { return .infinity }
    return known.reduce(0, +) / Double(known.count)
  }

  /// The difference between the best and the worst of `policies`.
  func range(of policies: [PolicyName], _ column: Int) -> Double {
    let deficits = policies.compactMap { deficit($0, column) }
    return (deficits.max() ?? 0) - (deficits.min() ?? 0)
  }

  /// True if no policy is better than another by more than noise at any capacity.
  var isIndifferent: Bool {
    comparison.competitors.count > 1 && !decided.isEmpty
      && decided.allSatisfy { column in
        !metric.matters(range(of: comparison.competitors, column), at: bestValue(column) ?? 0)
      }
  }

  /// True if the best is better than `policy` by more than noise, and with every seed.
  func isReal(behind policy: PolicyName, _ column: Int) -> Bool {
    guard let value = bestValue(column), let gap = deficit(policy, column),
      metric.matters(gap, at: value), let top = best(column).first
    else { return false }
    func bySeed(_ policy: PolicyName) -> [UInt64: Double] {
      comparison.records(policy, column).reduce(into: [:]) {
        $0[$1.cell.seed] = metric.value($1)
      }
    }
    let own = bySeed(policy)
    return bySeed(top).allSatisfy { seed, value in
      own[seed].map { metric.key(value) < metric.key($0) } ?? true
    }
  }

  /// The best value that a policy reaches, and where.
  var peak: (policy: PolicyName, column: Int, value: Double)? {
    entries.enumerated().compactMap { column, entries in
      entries.first.map { ($0.policy, column, $0.value) }
    }.sorted { metric.key($0.2) }.first
  }

  /// The capacity beyond which the leader's hits grow less than the capacity.
  var knee: Int? {
    let heights = decided.compactMap { column -> (column: Int, value: Double, size: Double)? in
      guard let leader, let value = value(leader, column),
        let cell = comparison.records(leader, column).first?.cell
      else { return nil }
      return (column, value, Double(cell.capacity))
    }
    let top = max(heights.map(\.value).max() ?? 0, 1e-12)
    let size = heights.map(\.size).max() ?? 1
    return heights.max { $0.value / top - $0.size / size < $1.value / top - $1.size / size }?.column
  }

  /// Capacities at which other policies are better than the leader.
  struct Exception {
    let columns: [Int]
    let policies: [PolicyName]
    /// True if the difference exceeds noise.
    let isReal: Bool
  }

  /// Capacities at which the leader is not the best, grouped by the best policies; those that
  /// matter first.
  var exceptions: [Exception] {
    guard let leader else { return [] }
    struct Key: Hashable {
      let policies: [PolicyName]
      let isReal: Bool
    }
    let found = decided.filter { !best($0).contains(leader) }
      .grouped { Key(policies: best($0), isReal: isReal(behind: leader, $0)) }
      .map { Exception(columns: $1, policies: $0.policies, isReal: $0.isReal) }
    return found.sorted { $0.isReal ? 0 : 1 }
  }

  /// The capacity with the largest distance between the leader and `other`, which may know the
  /// future; nil if no capacity has both.
  func widest(from other: PolicyName) -> (column: Int, own: Double, other: Double)? {
    guard let leader else { return nil }
    return decided.compactMap { column -> (column: Int, own: Double, other: Double)? in
      guard let own = value(leader, column),
        let other = comparison.spread(other, column, of: metric.value)?.mean
      else { return nil }
      return (column, own, other)
    }.sorted { -abs($0.own - $0.other) }.first
  }

  /// The policies that lead nowhere and are on average worse than both LRU and FIFO, the worst
  /// last. Without LRU and FIFO, outliers far behind all others. They do not affect how much the
  /// choice matters.
  var notWorthUsing: [PolicyName] {
    let bases = ranked.filter(\.isBaseline).map(meanDeficit).filter(\.isFinite)
    let limit =
      bases.max() ?? Self.gapLimit(ranked.map(meanDeficit).filter(\.isFinite))
    let top = bases.isEmpty ? 0 : peak?.value ?? 0
    return ranked.filter { policy in
      metric.matters(meanDeficit(policy) - limit, at: top)
        && !decided.contains { best($0).contains(policy) }
    }
  }

  /// The largest distance that is no outlier: three times that of the policy before it.
  private static func gapLimit(_ distances: [Double]) -> Double {
    for (near, far) in zip(distances, distances.dropFirst())
    where near > 0 && far > 3 * near && far > near + 0.02 {
      // A group that most policies belong to is no outlier.
      if distances.count(where: { $0 >= far }) * 3 <= distances.count { return near }
    }
    return .infinity
  }
}

/// A ranking in the words that recommendations, cards and captions share:
///
///     s3-fifo is best at every capacity
///     gdsf is within 0.04 points of the best at every capacity, not significant
///     gdsf is best at 2 of 3 capacities; at 20, lru is 4.00 points better
extension Ranking {
  private static let exceptionsMax = 2

  func title(_ column: Int) -> String { comparison.columns[column].title }

  /// The reason why there is no choice, without a full stop; nil if there is one.
  var nothing: String? {
    guard decided.isEmpty else { return nil }
    if comparison.competitors.isEmpty { return "only policies that know the future were run" }
    return entries.allSatisfy(\.isEmpty)
      ? "no requests were counted" : "no capacity has results of two policies yet"
  }

  /// The capacities at which another policy is significantly better, and by how much; begins with a
  /// semicolon.
  var exceptionWords: Line {
    let real = exceptions.filter(\.isReal)
    guard let leader else { return "" }
    let listed = real.prefix(Self.exceptionsMax).reduce("" as Line) { line, exception in
      let titles = Line.names(exception.columns.map { .text(title($0)) })
      let names = Line.names(exception.policies.map { .code($0.text) })
      let verb = exception.policies.count > 1 ? "are" : "is"
      let gaps = exception.columns.compactMap { column in
        deficit(leader, column).map { (column, $0) }
      }
      let gap = gaps.sorted { -$0.1 }.first.map { column, _ in
        metric.gap(bestValue(column) ?? 0, value(leader, column) ?? 0)
      }
      let limit = gaps.count > 1 ? "up to " : ""
      return line + "; at \(titles), \(names) \(verb) \(limit)\(gap ?? "") better"
    }
    let rest = real.dropFirst(Self.exceptionsMax).reduce(0) { $0 + $1.columns.count }
    let more: Line = "; others are better at \(rest) more \(rest == 1 ? "capacity" : "capacities")"
    return rest == 0 ? listed : listed + more
  }

  /// The sentence, without a full stop.
  var sentence: Line {
    let standing = [self].standing
    guard let leader, !isIndifferent else { return Line(text: standing.capitalisedFirst) }
    return "\(code: leader.text) is \(standing)\(exceptionWords)"
  }

  /// The caption of the metric's chart: the sentence, and the largest lead.
  var caption: String {
    if let nothing { return nothing.capitalisedFirst + "." }
    guard let leader else { return "" }
    var text = sentence.plain
    let others = comparison.competitors.filter { $0 != leader }
    if !isIndifferent, let other = comparison.baseline(for: leader) ?? others.first,
      let widest = widest(from: other)
    {
      func difference(_ value: Double, _ name: String) -> String {
        "\(metric.gap(widest.own, value)) \(widest.own >= value ? "above" : "below") \(name)"
      }
      text += decided.count > 1 ? ". At \(title(widest.column)) it has " : ": "
      text += "\(metric.unit.value(widest.own)), \(difference(widest.other, other.text))"
      if let bound = comparison.offline.first,
        let value = comparison.spread(bound, widest.column, of: metric.value)?.mean
      {
        text += " and \(difference(value, comparison.title(of: bound)))"
      }
    }
    return text + "."
  }
}

/// Several rankings with the same leader.
extension [Ranking] {
  var standing: String {
    let metric = self[0].metric
    if allSatisfy({ $0.comparison.competitors.count == 1 }) { return "the only policy" }
    if allSatisfy(\.isIndifferent) {
      let widest =
        flatMap { ranking in
          ranking.decided.map { ranking.range(of: ranking.comparison.competitors, $0) }
        }.max() ?? 0
      return widest == 0
        ? "the policy does not matter: equal \(metric.name)s"
        : "the policy does not matter: at most \(metric.gap(widest, 0)) apart"
    }
    let decided = reduce(0) { $0 + $1.decided.count }
    let everywhere = decided > 1 ? " at every capacity" : ""
    let exceptions = flatMap(\.exceptions)
    guard !exceptions.isEmpty else { return "best\(everywhere)" }
    let behind = exceptions.filter(\.isReal).reduce(0) { $0 + $1.columns.count }
    if behind == 0 {
      let deficits = flatMap { ranking in
        ranking.decided.compactMap { column in
          ranking.leader.flatMap { ranking.deficit($0, column) }
        }
      }
      return "within \(metric.gap(deficits.max() ?? 0, 0)) of the best\(everywhere), "
        + "not significant"
    }
    return behind == decided
      ? "best on average" : "best at \(decided - behind) of \(decided) capacities"
  }
}

/// The configurations of one trace by hit ratio, or by prefix hit ratio if prefixes are counted:
/// the best each reaches, and the best at equal capacity. Configurations with equal hits everywhere
/// are one entry.
struct ConfigurationRanking {
  struct Entry {
    var comparisons: [Comparison]
    let ranking: Ranking

    var comparison: Comparison { ranking.comparison }
    var names: [Inline] { comparisons.map { .strong($0.configuration) } }
    var title: String { Line.names(names).plain }
    var reached: Double { ranking.peak?.value ?? -1 }

    func value(at title: String) -> Double? {
      comparison.columns.firstIndex { $0.title == title }.flatMap { ranking.bestValue($0) }
    }
  }

  let trace: String
  let entries: [Entry]

  static func all(_ comparisons: [Comparison]) -> [ConfigurationRanking] {
    comparisons.grouped(by: \.trace).map { trace, comparisons in
      var entries: [Entry] = []
      for comparison in comparisons {
        if let same = entries.firstIndex(where: { $0.comparison.hasSameHits(as: comparison) }) {
          entries[same].comparisons.append(comparison)
        } else {
          entries.append(Entry(comparisons: [comparison], ranking: Ranking(comparison)))
        }
      }
      return ConfigurationRanking(trace: trace, entries: entries)
    }
  }

  var byReach: [Entry] { entries.filter { $0.reached >= 0 }.sorted { -$0.reached } }

  /// The entry that a report shows in full: the one with the highest hit ratio of those that have
  /// policies to choose from, if any; the first in the plan if there is no real difference.
  var first: Entry? {
    let several = byReach.filter { $0.comparison.competitors.count > 1 }
    let shown = several.isEmpty ? byReach : several
    guard let best = shown.first?.reached else { return entries.first }
    return entries.first { entry in
      !Choice.isBetter(best, than: entry.reached)
        && shown.contains { $0.title == entry.title }
    }
  }

  /// The capacities, as written, that at least two entries have in one unit.
  var commonCapacities: [String] {
    // Hits of prefixes and of blocks are not comparable.
    guard Set(entries.map(\.comparison.countsBytes)).count == 1,
      Set(entries.map(\.ranking.metric.name)).count == 1
    else { return [] }
    return entries.flatMap { $0.comparison.columns.map(\.title) }.distinct.filter { title in
      entries.count { $0.value(at: title) != nil } > 1
    }
  }

  func deficit(_ entry: Entry, at title: String) -> Double? {
    guard let best = entries.compactMap({ $0.value(at: title) }).max() else { return nil }
    return entry.value(at: title).map { best - $0 }
  }
}

extension Comparison {
  fileprivate func hasSameHits(as other: Comparison) -> Bool {
    guard unit == other.unit, policies == other.policies,
      columns.map(\.title) == other.columns.map(\.title), has({ $0.counts.hitRatio })
    else { return false }
    return policies.allSatisfy { policy in
      columns.indices.allSatisfy { column in
        let (own, others) = (records(policy, column), other.records(policy, column))
        return own.count == others.count && zip(own, others).allSatisfy { $0.hasSameHits(as: $1) }
      }
    }
  }
}

extension Record {
  fileprivate func hasSameHits(as other: Record) -> Bool {
    prefix == other.prefix && cell.seed == other.cell.seed && cell.capacity == other.cell.capacity
      && counts.requests == other.counts.requests && counts.hits == other.counts.hits
      && counts.bytesRequested == other.counts.bytesRequested
      && counts.bytesHit == other.counts.bytesHit && counts.staleHits == other.counts.staleHits
  }
}
