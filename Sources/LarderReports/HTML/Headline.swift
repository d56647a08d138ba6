import LarderSimulation
import LarderSystem

/// What one configuration comes to, at a glance: who wins, how often, and by how much.
struct Headline {
  /// The configuration.
  let title: String
  /// The policy that wins at most capacities.
  let winner: String
  /// The policy whose mark stands before it.
  let policy: String
  /// How often, in a few words.
  let standing: String
  /// Numbers with their names.
  let facts: [(value: String, name: String)]

  /// The headline of `comparison`; nil where there is nobody to win against.
  init?(_ comparison: Comparison, name: String) {
    let rankings = comparison.columns.indices.map { column in
      Ranking(comparison, column: column) { $0.counts.hitRatio }
    }
    let decided = rankings.indices.filter { rankings[$0].entries.count > 1 }
    var best: (policy: PolicyName, columns: [Int])?
    for policy in comparison.competitors {
      let columns = decided.filter { rankings[$0].best.contains(policy) }
      if columns.count > (best?.columns.count ?? 0) { best = (policy, columns) }
    }
    guard let best else { return nil }
    title = name
    winner = best.policy.text
    policy = winner
    let isAlone = best.columns.allSatisfy { rankings[$0].best.count == 1 }
    let share =
      decided.count == 1
      ? "at \(comparison.columns[best.columns[0]].title)"
      : best.columns.count == decided.count
        ? "at every capacity" : "at \(best.columns.count) of \(decided.count) capacities"
    standing = "\(isAlone ? "highest" : "highest or equal highest") hit ratio \(share)"
    facts = Self.facts(comparison, rankings, best.policy, best.columns)
  }

  /// The headline of designs side by side; nil where none is ahead.
  init?(_ designs: Designs, name: String) {
    let ranked = designs.designs.enumerated().compactMap { number, design in
      design.mean { $0.counts.hitRatio }.map { (ratio: $0, number: number, design: design) }
    }.sorted { ($1.ratio, $0.number) < ($0.ratio, $1.number) }
    guard ranked.count > 1, ranked[0].ratio > ranked[ranked.count - 1].ratio else { return nil }
    let best = ranked[0]
    let equals = ranked.filter { $0.ratio == best.ratio }
    title = name
    winner = equals.map { designs.title($0.design) }.joined(separator: ", ")
    policy = best.design.cell.policy
    standing =
      equals.count == 1
      ? "the highest hit ratio of \(ranked.count) designs"
      : "equal, with the highest hit ratio of \(ranked.count) designs"
    facts = Self.facts(designs, ranked, below: equals.count)
  }

  private static func facts(
    _ designs: Designs, _ ranked: [(ratio: Double, number: Int, design: Design)], below count: Int
  ) -> [(value: String, name: String)] {
    var facts = [(value: "\(range([ranked[0].ratio]) ?? "–") %", name: "hit ratio")]
    for (other, what) in [(ranked[count], "the next"), (ranked[ranked.count - 1], "the last")] {
      let name = "ahead of \(what) (\(designs.title(other.design))), points"
      facts.append((range([ranked[0].ratio - other.ratio]) ?? "–", name))
    }
    if let mean = ranked[0].design.mean({ $0.modelled?.meanMicroseconds }) {
      facts.append((ChartUnit.nanoseconds.value(mean * 1000), "modelled mean access"))
    }
    return facts
  }

  /// The headlines of a report.
  static func all(
    in results: RunResults, _ comparisons: [Comparison], severalTraces: Bool
  ) -> [Headline] {
    let designs = Designs.all(in: results, comparisons).compactMap { designs in
      Headline(
        designs, name: severalTraces ? "designs, \(designs.designs[0].cell.trace)" : "designs")
    }
    return designs
      + comparisons.compactMap { comparison in
        Headline(
          comparison, name: ReportDocument.name(of: comparison, severalTraces: severalTraces))
      }
  }

  private static func facts(
    _ comparison: Comparison, _ rankings: [Ranking], _ winner: PolicyName, _ columns: [Int]
  ) -> [(value: String, name: String)] {
    func mean(_ policy: PolicyName, _ column: Int) -> Double? {
      comparison.spread(policy, column, of: { $0.counts.hitRatio })?.mean
    }
    func distances(_ other: PolicyName, _ sign: Double) -> [Double] {
      columns.compactMap { column in
        guard let own = mean(winner, column), let theirs = mean(other, column) else { return nil }
        return (own - theirs) * sign
      }
    }
    var facts: [(value: String, name: String)] = []
    if let ratios = range(columns.compactMap { mean(winner, $0) }) {
      facts.append(("\(ratios) %", "hit ratio"))
    }
    if let leads = range(columns.filter { rankings[$0].next != nil }.map { rankings[$0].lead }) {
      facts.append((leads, "ahead of the next, points"))
    }
    if let baseline = comparison.baseline(for: winner),
      let gains = range(distances(baseline, 1))
    {
      facts.append((gains, "ahead of \(baseline.text), points"))
    }
    if let bound = comparison.offline.first, let gaps = range(distances(bound, -1)) {
      facts.append((gaps, "below \(bound.text), points"))
    }
    return facts
  }

  private static func range(_ values: [Double]) -> String? {
    guard let least = values.min(), let most = values.max(),
      let low = NumberText.fixed(least * 100, decimals: 2),
      let high = NumberText.fixed(most * 100, decimals: 2)
    else { return nil }
    return low == high ? low : "\(low) to \(high)"
  }

  /// The headline as a card.
  func html(_ markup: HTMLMarkup) -> String {
    var text = "<article class=\"card\"><h3>\(XMLText.escaped(title))</h3>\n"
    text +=
      "<p class=\"winner\">\(markup.mark(policy))<code>\(XMLText.escaped(winner))</code></p>\n"
    text += "<p class=\"standing\">\(XMLText.escaped(standing))</p>\n<dl>"
    for fact in facts {
      text +=
        "<div><dt>\(XMLText.escaped(fact.name))</dt><dd>\(XMLText.escaped(fact.value))</dd></div>"
    }
    return text + "</dl></article>\n"
  }
}
