import LarderSimulation
import LarderSystem

/// What one configuration comes to, at a glance.
struct AnswerCard {
  /// The configuration, or several with the same hits.
  let title: String
  /// The policy to use; nil where it does not matter.
  let policy: String?
  /// How far that holds, in a few words.
  let standing: String
  /// Numbers with their names.
  let facts: [(name: String, value: String)]

  /// The names of facts, in the order in which a table has them.
  static let names = ["reaches", "gain", "to the bound", "mean access", "throughput"]

  /// The card of an entry; `rows` are the executed runs of all.
  init(_ entry: ConfigurationRanking.Entry, trace: String?, _ rows: [ExecutedRow]) {
    let ranking = entry.ranking
    title = entry.title + (trace.map { ", \($0)" } ?? "")
    policy = ranking.isIndifferent ? nil : ranking.leader?.text
    standing = Self.standing(ranking)
    let measured = rows.filter { row in
      entry.comparisons.contains {
        $0.configuration == row.cell.configuration && $0.trace == row.cell.trace
      }
    }
    let values = [
      Self.reach(ranking), Self.gain(ranking), Self.bound(ranking), Self.access(ranking),
      Self.throughput(ranking, measured),
    ]
    facts = zip(Self.names, values).compactMap { name, value in value.map { (name, $0) } }
  }

  private static func standing(_ ranking: Ranking) -> String {
    if ranking.comparison.competitors.count == 1 { return "the only policy" }
    if ranking.isIndifferent { return "the policy does not matter here" }
    let behind = ranking.exceptions.filter(\.isReal).reduce(0) { $0 + $1.columns.count }
    let count = ranking.decided.count
    if behind == 0 {
      let equal = ranking.exceptions.isEmpty ? "best" : "best or no real difference"
      return count == 1 ? equal : "\(equal) at every capacity"
    }
    return behind == count
      ? "the best compromise" : "best at \(count - behind) of \(count) capacities"
  }

  private static func reach(_ ranking: Ranking) -> String? {
    ranking.peak.map { peak in
      "\(ChartUnit.percent.value(peak.value)) at \(ranking.comparison.columns[peak.column].title)"
    }
  }

  private static func gain(_ ranking: Ranking) -> String? {
    guard !ranking.isIndifferent, let leader = ranking.leader,
      let baseline = ranking.comparison.baseline(for: leader),
      let widest = ranking.widest(from: baseline)
    else { return nil }
    let preposition = widest.own >= widest.other ? "on" : "below"
    return "\(distance(widest, ranking)) \(preposition) \(baseline.text)"
  }

  private static func bound(_ ranking: Ranking) -> String? {
    let offline = ranking.comparison.offline
    guard let bound = offline.first(where: \.isUpperBound) ?? offline.first,
      let widest = ranking.widest(from: bound)
    else { return nil }
    return "\(distance(widest, ranking)) below \(bound.text)"
  }

  private static func distance(
    _ widest: (column: Int, own: Double, other: Double), _ ranking: Ranking
  ) -> String {
    let limit = ranking.decided.count > 1 ? "up to " : ""
    return limit + ranking.metric.gap(widest.own, widest.other)
  }

  /// Of the policy to use where that was executed, and else of the fastest, by name.
  private static func throughput(_ ranking: Ranking, _ rows: [ExecutedRow]) -> String? {
    let own = rows.filter { $0.cell.policy == ranking.leader?.text }
    guard let rate = ThroughputAdvice(own.isEmpty ? rows : own).fastest else { return nil }
    return "\(rate.rate) requests/s" + (own.isEmpty ? " (\(rate.row.cell.policy))" : "")
  }

  private static func access(_ ranking: Ranking) -> String? {
    guard let peak = ranking.peak,
      let mean = ranking.comparison.spread(
        peak.policy, peak.column, of: Metric.accessTime.value)?.mean
    else { return nil }
    return "\(ChartUnit.nanoseconds.value(mean)), modelled"
  }
}

extension [AnswerCard] {
  /// The cards as a table, where a markup has none.
  var table: Table {
    let names = AnswerCard.names.filter { name in
      contains { $0.facts.contains { $0.name == name } }
    }
    var table = Table(titles: ["configuration", "policy", "standing"] + names)
    table.rows = map { card in
      let facts = names.map { name -> Inline in
        card.facts.first { $0.name == name }.map { .text($0.value) } ?? Table.none
      }
      return [.text(card.title), card.policy.map { .code($0) } ?? "any", .text(card.standing)]
        + facts
    }
    return table
  }
}
