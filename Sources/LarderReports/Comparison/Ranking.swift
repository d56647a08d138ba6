import LarderExperiments

/// The policies of one configuration by one metric, over all capacities: which one leads, by how
/// much, and whether the difference matters. Every recommendation, caption, mark and card of a
/// report is derived from it.
///
/// The leader is the policy with the least mean distance to the best over the capacities: the one
/// to choose before the capacity is known. Policies that know the future are bounds and never lead.
struct Ranking {
  let comparison: Comparison
  let metric: Metric
  let columns: [RankingColumn]
  /// The capacities with at least two policies to compare. After an interruption, a capacity may
  /// have the results of one policy alone, which does not make it a winner.
  let decided: [Int]
  let leaders: [PolicyName]

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
    // Policies with missing runs rank behind those that were run everywhere.
    let sorted = comparison.competitors.filter { policy in
      decided.contains { columns[$0].value(policy) != nil }
    }.sorted(byKey: { Self.distance($0, columns, decided) })
    leaders = sorted.filter { policy in
      decided.allSatisfy { columns[$0].value(policy) == columns[$0].value(sorted[0]) }
    }
  }

  var leader: PolicyName? { leaders.first }

  var isIndifferent: Bool {
    comparison.competitors.count > 1 && !decided.isEmpty
      && decided.allSatisfy { columns[$0].isIndifferent }
  }

  var peak: (policy: PolicyName, column: Int, value: Double)? {
    let places = columns.indices.filter { columns[$0].bestValue != nil }
    let sign = metric.better == .lower ? 1.0 : -1.0
    guard
      let column = places.sorted(byKey: { sign * (columns[$0].bestValue ?? 0) }).first,
      let entry = columns[column].entries.first
    else { return nil }
    return (entry.policy, column, entry.value.mean)
  }

  struct Exception {
    var columns: [Int]
    let policies: [PolicyName]
    let isReal: Bool
  }

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

  var largestDeficit: Double {
    leader.map { leader in decided.compactMap { columns[$0].deficit(leader) }.max() ?? 0 } ?? 0
  }

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

  func meanDeficit(_ policy: PolicyName) -> Double {
    Self.distance(policy, columns, decided)
  }
}

extension Ranking {
  /// The policies worth considering: those that lead somewhere, and those that are on average no
  /// worse than the worse of LRU and FIFO. A single policy far behind then does not affect how much
  /// the choice matters. Without LRU and FIFO, outliers far behind all others are excluded.
  var worthUsing: [PolicyName] {
    let policies = comparison.competitors.filter { policy in
      decided.contains { columns[$0].value(policy) != nil }
    }
    let bases = policies.filter(\.isBaseline).map { meanDeficit($0) }.filter(\.isFinite)
    let limit: Double
    if let worst = bases.max() {
      limit = worst + metric.noise(at: peak?.value ?? 0)
    } else {
      limit = Self.gapLimit(policies.map { meanDeficit($0) }.filter(\.isFinite).sorted())
    }
    return policies.filter { policy in
      meanDeficit(policy) <= limit || decided.contains { columns[$0].best.contains(policy) }
    }
  }

  var notWorthUsing: [PolicyName] {
    let worth = worthUsing
    return comparison.competitors.filter { policy in
      !worth.contains(policy) && decided.contains { columns[$0].value(policy) != nil }
    }.sorted(byKey: { meanDeficit($0) })
  }

  /// The largest distance that is no outlier: three times that of the policy before it.
  private static func gapLimit(_ distances: [Double]) -> Double {
    for (near, far) in zip(distances, distances.dropFirst())
    where near > 0 && far > 3 * near && far > near + 0.02 {
      // A group that most policies belong to is no outlier.
      let apart = distances.count { $0 >= far }
      if apart * 3 <= distances.count { return near }
    }
    return .infinity
  }
}

struct RankingColumn {
  struct Entry {
    let policy: PolicyName
    let value: Spread
  }

  let entries: [Entry]
  private let comparison: Comparison
  private let column: Int
  private let metric: Metric

  init(_ comparison: Comparison, _ column: Int, by metric: Metric) {
    self.comparison = comparison
    self.column = column
    self.metric = metric
    let sign = metric.better == .lower ? 1.0 : -1.0
    entries = comparison.competitors.compactMap { policy in
      comparison.spread(policy, column, of: metric.value).map { Entry(policy: policy, value: $0) }
    }.sorted(byKey: { sign * $0.value.mean })
  }

  var best: [PolicyName] {
    guard let top = entries.first else { return [] }
    return entries.prefix { $0.value.mean == top.value.mean }.map(\.policy)
  }

  var bestValue: Double? { entries.first?.value.mean }

  func value(_ policy: PolicyName) -> Double? {
    entries.first { $0.policy == policy }?.value.mean
  }

  func deficit(_ policy: PolicyName) -> Double? {
    guard let bestValue, let own = value(policy) else { return nil }
    return abs(bestValue - own)
  }

  func range(of policies: [PolicyName]) -> Double {
    policies.compactMap { deficit($0) }.max().map { worst in
      worst - (policies.compactMap { deficit($0) }.min() ?? 0)
    } ?? 0
  }

  var isIndifferent: Bool {
    range(of: entries.map(\.policy)) < metric.noise(at: bestValue ?? 0)
  }

  /// True if the best is better than `policy` by more than noise, and with every seed.
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
  func sorted(byKey key: (Element) -> Double) -> [Element] {
    enumerated().map { (key: key($0.element), number: $0.offset, element: $0.element) }
      .sorted { ($0.key, $0.number) < ($1.key, $1.number) }.map(\.element)
  }
}

/// The result of a ranking, or of several with the same leaders, in the words that
/// recommendations, cards and captions share:
///
///     s3-fifo is best at every capacity
///     gdsf is within 0.04 points of the best at every capacity, not significant
///     gdsf is best at 2 of 3 capacities; at 20, lru is 4.00 points better
struct RankingWords {
  let rankings: [Ranking]

  init(_ rankings: [Ranking]) { self.rankings = rankings }

  private var ranking: Ranking { rankings[0] }
  private var comparison: Comparison { ranking.comparison }
  private var metric: Metric { ranking.metric }

  private static let exceptionsMax = 2

  var nothing: String? {
    guard ranking.decided.isEmpty else { return nil }
    if comparison.competitors.isEmpty { return "only policies that know the future were run" }
    return ranking.columns.allSatisfy(\.entries.isEmpty)
      ? "no requests were counted" : "no capacity has results of two policies yet"
  }

  var leaders: [Inline] { Inline.names(ranking.leaders.map { .code($0.text) }) }

  var standing: String {
    if rankings.allSatisfy({ $0.comparison.competitors.count == 1 }) { return "the only policy" }
    if rankings.allSatisfy(\.isIndifferent) { return indifference }
    let decided = rankings.reduce(0) { $0 + $1.decided.count }
    let everywhere = decided > 1 ? " at every capacity" : ""
    let exceptions = rankings.flatMap(\.exceptions)
    guard !exceptions.isEmpty else { return "best\(everywhere)" }
    let behind = exceptions.filter(\.isReal).reduce(0) { $0 + $1.columns.count }
    if behind == 0 {
      let deficit = rankings.map(\.largestDeficit).max() ?? 0
      return "within \(metric.gap(deficit, 0)) of the best\(everywhere), not significant"
    }
    return behind == decided
      ? "best on average" : "best at \(decided - behind) of \(decided) capacities"
  }

  private var indifference: String {
    let widest =
      rankings.flatMap { ranking in
        ranking.decided.map { ranking.columns[$0].range(of: ranking.comparison.competitors) }
      }.max() ?? 0
    return widest == 0
      ? "the policy does not matter: equal \(metric.name)s"
      : "the policy does not matter: at most \(metric.gap(widest, 0)) apart"
  }

  var exceptions: [Inline] {
    let real = ranking.exceptions.filter(\.isReal)
    guard rankings.count == 1, let leader = ranking.leader else { return [] }
    let listed = real.prefix(Self.exceptionsMax).flatMap { exception -> [Inline] in
      [.text("; at \(titles(exception.columns)), ")]
        + Inline.names(exception.policies.map { .code($0.text) })
        + [.text(exception.policies.count > 1 ? " are " : " is ")]
        + [.text("\(gap(leader, exception.columns)) better")]
    }
    let rest = real.dropFirst(Self.exceptionsMax).reduce(0) { $0 + $1.columns.count }
    return listed
      + (rest == 0
        ? []
        : [.text("; others are better at \(rest) more \(rest == 1 ? "capacity" : "capacities")")])
  }

  var sentence: [Inline] {
    if ranking.isIndifferent { return [.text(Self.capitalised(indifference))] }
    return leaders + [.text(ranking.leaders.count > 1 ? " are " : " is "), .text(standing)]
      + exceptions
  }

  var caption: String {
    if let nothing { return Self.capitalised(nothing) + "." }
    guard let leader = ranking.leader else { return "" }
    var text = Inline.plain(sentence)
    let others = comparison.competitors.filter { !ranking.leaders.contains($0) }
    if !ranking.isIndifferent, let other = comparison.baseline(for: leader) ?? others.first,
      let widest = ranking.widest(from: other)
    {
      text += ranking.decided.count > 1 ? ". At \(title(widest.column)) it has " : ": "
      text += "\(metric.unit.value(widest.own)), "
      text += difference(widest.own, widest.other, other.text)
      if let bound = comparison.offline.first,
        let value = comparison.spread(bound, widest.column, of: metric.value)?.mean
      {
        text += " and \(difference(widest.own, value, comparison.title(of: bound)))"
      }
    }
    return text + "."
  }

  static func capitalised(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  private func difference(_ own: Double, _ other: Double, _ name: String) -> String {
    "\(metric.gap(own, other)) \(own >= other ? "above" : "below") \(name)"
  }

  private func gap(_ policy: PolicyName, _ columns: [Int]) -> String {
    let gaps = columns.compactMap { column -> (own: Double, best: Double)? in
      guard let own = ranking.columns[column].value(policy),
        let best = ranking.columns[column].bestValue
      else { return nil }
      return (own, best)
    }
    guard let widest = gaps.sorted(byKey: { -abs($0.own - $0.best) }).first else { return "" }
    return (gaps.count > 1 ? "up to " : "") + metric.gap(widest.best, widest.own)
  }

  func title(_ column: Int) -> String { comparison.columns[column].title }

  func titles(_ columns: [Int]) -> String {
    Inline.plain(Inline.names(columns.map { .text(title($0)) }))
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
    var title: String { Inline.plain(Inline.names(names)) }
    var reached: Double { ranking.peak?.value ?? -1 }
    func value(at title: String) -> Double? {
      comparison.columns.firstIndex { $0.title == title }.flatMap { ranking.columns[$0].bestValue }
    }
  }

  let trace: String
  private(set) var entries: [Entry]

  static func all(_ comparisons: [Comparison]) -> [ConfigurationRanking] {
    var rankings: [ConfigurationRanking] = []
    for comparison in comparisons {
      let index = rankings.firstIndex { $0.trace == comparison.trace } ?? rankings.endIndex
      if index == rankings.endIndex {
        rankings.append(ConfigurationRanking(trace: comparison.trace, entries: []))
      }
      if let same = rankings[index].entries.firstIndex(where: {
        $0.comparison.hasSameHits(as: comparison)
      }) {
        rankings[index].entries[same].comparisons.append(comparison)
      } else {
        rankings[index].entries.append(
          Entry(comparisons: [comparison], ranking: Ranking(comparison)))
      }
    }
    return rankings
  }

  var byReach: [Entry] { entries.filter { $0.reached >= 0 }.sorted(byKey: { -$0.reached }) }

  /// The entry that a report shows in full: the one with the highest hit ratio of those that have
  /// policies to choose from, if any; the first in the plan if there is no real difference.
  var first: Entry? {
    let several = byReach.filter { $0.comparison.competitors.count > 1 }
    let shown = several.isEmpty ? byReach : several
    guard let best = shown.first?.reached else { return entries.first }
    return entries.first { entry in
      entry.reached > best - Metric.noisePoints / 100
        && shown.contains { $0.title == entry.title }
    }
  }

  var commonCapacities: [String] {
    // Hits of prefixes and of blocks are not comparable.
    guard Set(entries.map(\.comparison.countsBytes)).count == 1,
      Set(entries.map(\.ranking.metric.name)).count == 1
    else { return [] }
    var seen: Set<String> = []
    let titles = entries.flatMap { $0.comparison.columns.map(\.title) }
    return titles.filter { seen.insert($0).inserted }.filter { title in
      entries.count { $0.value(at: title) != nil } > 1
    }
  }

  func deficit(_ entry: Entry, at title: String) -> Double? {
    guard let best = entries.compactMap({ $0.value(at: title) }).max(),
      let own = entry.value(at: title)
    else { return nil }
    return best - own
  }
}

extension Comparison {
  fileprivate func hasSameHits(as other: Comparison) -> Bool {
    guard countsBytes == other.countsBytes, policies == other.policies,
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
