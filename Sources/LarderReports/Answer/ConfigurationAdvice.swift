/// Which configuration reaches the most, and which is best at equal capacity.
struct ConfigurationAdvice {
  private let rankings: [ConfigurationRanking]

  /// The most configurations that are told one by one.
  private static let namesMax = 4

  /// The advice on everything that was run.
  init(_ rankings: [ConfigurationRanking]) { self.rankings = rankings }

  /// The comparison of configurations; empty where there is one.
  var line: [Inline] {
    if rankings.count == 1 { return comparison(rankings[0]) }
    // Over several traces, how often.
    let compared = rankings.filter { $0.byReach.count > 1 }
    var firsts: [(name: String, count: Int)] = []
    for ranking in compared {
      guard let name = ranking.byReach.first?.title else { continue }
      if let index = firsts.firstIndex(where: { $0.name == name }) {
        firsts[index].count += 1
      } else {
        firsts.append((name, 1))
      }
    }
    guard let most = firsts.sorted(byKey: { -Double($0.count) }).first else { return [] }
    return [
      .strong(most.name),
      .text(" reaches the most on \(most.count) of \(compared.count) traces."),
    ]
  }

  private func comparison(_ ranking: ConfigurationRanking) -> [Inline] {
    var sentences = ranking.entries.filter { $0.comparisons.count > 1 }.map { same($0) }
    if ranking.byReach.count > 1 {
      sentences.append(reach(ranking))
      sentences.append(equalCapacity(ranking))
    }
    return Inline.joined(sentences.filter { !$0.isEmpty }, " ")
  }

  /// That configurations have the same hits, and why.
  private func same(_ entry: ConfigurationRanking.Entry) -> [Inline] {
    let isTier = entry.comparisons.allSatisfy { $0.kind != .hybrid }
    let both = entry.comparisons.count == 2 ? "both are" : "each is"
    return Inline.names(entry.names)
      + [.text(" have the same hit ratios\(isTier ? ": \(both) one tier" : "").")]
  }

  /// What each reaches at its best.
  private func reach(_ ranking: ConfigurationRanking) -> [Inline] {
    let entries = ranking.byReach
    let (first, last) = (entries[0], entries[entries.count - 1])
    let noise = Metric.noisePoints / 100
    let isShort = entries.count <= Self.namesMax
    let told = isShort ? entries : entries.filter { $0.reached > first.reached - noise }
    var values = told.prefix(Self.namesMax).map { value($0) }
    if !isShort, last.reached <= first.reached - noise {
      values.append([.text("and the least ")] + value(last))
    }
    let isSame = first.reached - last.reached < noise
    return ["At their best: "] + Inline.joined(values, ", ")
      + [isSame ? " (no real difference)." : "."]
  }

  private func value(_ entry: ConfigurationRanking.Entry) -> [Inline] {
    [entry.names[0], .text(" \(ChartUnit.percent.value(entry.reached))")]
  }

  /// Which is best at equal capacity, and how far the others are behind at the worst.
  private func equalCapacity(_ ranking: ConfigurationRanking) -> [Inline] {
    let titles = ranking.commonCapacities
    guard !titles.isEmpty else { return [] }
    let noise = Metric.noisePoints / 100
    typealias Deficit = (ConfigurationRanking.Entry, String, Double)
    let behind = ranking.byReach.compactMap { entry -> Deficit? in
      titles.compactMap { title in ranking.deficit(entry, at: title).map { (entry, title, $0) } }
        .sorted(byKey: { -$0.2 }).first
    }
    let leading = behind.filter { $0.2 < noise }
    // With one capacity in common, this is what they reach at their best.
    let isOne = titles.count == 1 && ranking.byReach.allSatisfy { $0.comparison.columns.count == 1 }
    if isOne { return [] }
    if leading.count == behind.count { return ["At equal capacity: no real difference."] }
    if leading.isEmpty {
      let winners = ranking.byReach.filter { entry in
        titles.contains { ranking.deficit(entry, at: $0) == 0 }
      }
      let parts = winners.prefix(Self.namesMax).map { entry -> [Inline] in
        let own = titles.filter { ranking.deficit(entry, at: $0) == 0 }
        return [entry.names[0], " at "] + Inline.names(own.map { .text($0) })
      }
      return ["At equal capacity the best is "] + Inline.joined(parts, ", ") + ["."]
    }
    let rest = behind.filter { $0.2 >= noise }.sorted(byKey: { -$0.2 })
    let last = rest[0]
    let verb = leading.count > 1 ? " lead; " : " leads; "
    return ["At equal capacity "] + Inline.names(leading.map { $0.0.names[0] })
      + [.text(verb), last.0.names[0]]
      + [.text(" is up to \(Metric.hitRatio.gap(last.2, 0)) behind (at \(last.1)).")]
  }
}
