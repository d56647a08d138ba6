/// What a ranking says, in the words that recommendations, cards and captions share.
struct RankingWords {
  let ranking: Ranking

  private var comparison: Comparison { ranking.comparison }
  private var metric: Metric { ranking.metric }

  /// The most exceptions that are told one by one.
  private static let exceptionsMax = 2

  /// Why there is nothing to choose, without a full stop; nil where there is.
  var nothing: String? {
    guard ranking.decided.isEmpty else { return nil }
    if comparison.competitors.isEmpty { return "only policies that know the future were run" }
    return ranking.columns.allSatisfy(\.entries.isEmpty)
      ? "no requests were counted" : "no capacity has results of two policies yet"
  }

  /// The leaders by name.
  var leaders: [Inline] { Inline.names(ranking.leaders.map { .code($0.text) }) }

  /// That no policy is better than another.
  var indifference: [Inline] {
    let ranges = ranking.decided.map { column in
      ranking.columns[column].range(of: comparison.competitors)
    }
    let widest = ranges.max() ?? 0
    let words =
      widest == 0
      ? "all have the same \(metric.name)"
      : "best and worst are at most \(metric.gap(widest, 0)) apart"
    return [.text("the policy does not matter here: \(words)")]
  }

  /// Where another policy is better than the leader, by how much, and whether that matters: what
  /// follows a recommendation. Empty where none is.
  var exceptions: [Inline] {
    let all = ranking.exceptions
    let real = all.filter(\.isReal)
    guard let leader = ranking.leader, let first = all.first else { return [] }
    let isBest = ranking.decided.contains { ranking.columns[$0].best.contains(leader) }
    if real.isEmpty, all.count > 1 || first.columns.count > 1 {
      return [.text(", nowhere more than \(deficit) behind the best: no real difference")]
    }
    if !isBest {
      return [.text(", nowhere the best but nowhere more than \(deficit) behind it")]
    }
    var parts: [Inline] = []
    let told = real.isEmpty ? [first] : Array(real.prefix(Self.exceptionsMax))
    for (number, exception) in told.enumerated() {
      parts.append(.text(number == 0 ? ", except at " : ", and at "))
      parts.append(.text("\(titles(exception.columns)), where "))
      parts += Inline.names(exception.policies.map { .code($0.text) })
      parts.append(.text(exception.policies.count > 1 ? " are " : " is "))
      parts.append(.text("\(gap(leader, exception.columns)) better"))
    }
    if real.isEmpty { return parts + [": no real difference"] }
    let rest = real.dropFirst(told.count).reduce(0) { $0 + $1.columns.count }
    return parts + (rest == 0 ? [] : [.text(", and at \(rest) more capacities")])
  }

  /// What there is to see in the metric's chart, as a sentence or two.
  var caption: String {
    if let nothing { return nothing.prefix(1).uppercased() + nothing.dropFirst() + "." }
    guard let leader = ranking.leader else { return "" }
    if ranking.isIndifferent {
      let text = Inline.plain(indifference)
      return text.prefix(1).uppercased() + text.dropFirst() + "."
    }
    let verb = ranking.leaders.count > 1 ? "have" : "has"
    let end = metric.better == .lower ? "lowest" : "highest"
    let place =
      ranking.exceptions.isEmpty && ranking.decided.count > 1 ? " at every capacity" : ""
    var text =
      "\(Inline.plain(leaders)) \(verb) the \(end) \(metric.name)\(place)"
      + Inline.plain(exceptions)
    let others = comparison.competitors.filter { !ranking.leaders.contains($0) }
    if let other = comparison.baseline(for: leader) ?? others.first,
      let widest = ranking.widest(from: other)
    {
      text += ranking.decided.count > 1 ? ". At \(title(widest.column)) it is " : ": "
      text += "\(metric.unit.value(widest.own)), "
      text += difference(widest.own, widest.other, other.text)
      if metric.showsOffline, let bound = comparison.offline.first,
        let value = comparison.spread(bound, widest.column, of: metric.value)?.mean
      {
        text += " and \(difference(widest.own, value, comparison.title(of: bound)))"
      }
    }
    return text + "."
  }

  private func difference(_ own: Double, _ other: Double, _ name: String) -> String {
    "\(metric.gap(own, other)) \(own >= other ? "above" : "below") \(name)"
  }

  /// How far the leader is behind at the worst.
  private var deficit: String { metric.gap(ranking.largestDeficit, 0) }

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

  /// A capacity's title.
  func title(_ column: Int) -> String { comparison.columns[column].title }

  /// Capacities in words.
  func titles(_ columns: [Int]) -> String {
    Inline.plain(Inline.names(columns.map { .text(title($0)) }))
  }
}
