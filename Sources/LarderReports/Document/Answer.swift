import LarderExperiments
import LarderSupport

/// The recommendation of a report: at most five short lines for all configurations together, and a
/// row of a table for each. Everything else in a report supports these.
struct Answer {
  /// The lines: policy, configuration, importance of the choice, speed of real caches, and caveats.
  let lines: [Line]
  /// A row for each distinct configuration; nil if there are none or too many.
  let table: Table?

  private static let rowsMax = 8

  init(_ results: RunResults, _ rankings: [ConfigurationRanking]) {
    let rows = ExecutedRow.all(in: results.records)
    let policies = PolicyAdvice(rankings)
    let throughput = ThroughputAdvice(rows)
    let warnings = ExecutedFindings.wrong(results.records) + [throughput.warning]
    lines = [
      policies.use, ConfigurationAdvice.line(rankings), policies.importance, throughput.line,
      warnings.joined(" "),
    ].filter { !$0.isEmpty }
    let summaries = rankings.flatMap { ranking in
      ranking.entries.filter { $0.ranking.leader != nil }.map { entry in
        Summary(entry: entry, trace: rankings.count > 1 ? ", \(ranking.trace)" : "", rows: rows)
      }
    }
    table = summaries.isEmpty || summaries.count > Self.rowsMax ? nil : Summary.table(summaries)
  }

  var blocks: [Block] {
    guard !lines.isEmpty else { return [.paragraph("No cell finished.")] }
    return [.list(lines)] + (table.map { [.table($0)] } ?? [])
  }
}

/// The summary of one configuration.
private struct Summary {
  let entry: ConfigurationRanking.Entry
  let trace: String
  /// The executed runs of all entries.
  let rows: [ExecutedRow]

  private var ranking: Ranking { entry.ranking }

  static func table(_ all: [Summary]) -> Table {
    let facts: [(String, (Summary) -> String?)] = [
      ("best hit ratio", \.reach), ("gain", \.gain), ("distance to bound", \.bound),
      ("mean access", \.access), ("throughput", \.throughput),
    ]
    return Table(
      all,
      [
        .init("configuration") { .text($0.entry.title + $0.trace) },
        .init("policy") { one in
          one.ranking.isIndifferent ? "any" : one.ranking.leader.map { .code($0.text) } ?? ""
        },
        .init("standing") { .text([$0.ranking].standing) },
      ]
        + facts.filter { fact in all.contains { fact.1($0) != nil } }.map { name, fact in
          .init(name) { Table.text(fact($0)) }
        })
  }

  private var reach: String? {
    ranking.peak.map { "\(ChartUnit.percent.value($0.value)) at \(ranking.title($0.column))" }
  }

  private var gain: String? {
    guard !ranking.isIndifferent else { return nil }
    return ranking.comparison.baseline(for: ranking.leader).flatMap { baseline in
      distance(to: baseline) { $0 >= $1 ? "over" : "below" }
    }
  }

  private var bound: String? {
    let offline = ranking.comparison.offline
    return (offline.first(where: \.isUpperBound) ?? offline.first).flatMap { bound in
      distance(to: bound) { _, _ in "below" }
    }
  }

  private func distance(to other: PolicyName, _ word: (Double, Double) -> String) -> String? {
    ranking.widest(from: other).map { widest in
      let limit = ranking.decided.count > 1 ? "up to " : ""
      return "\(limit)\(ranking.metric.gap(widest.own, widest.other)) "
        + "\(word(widest.own, widest.other)) \(other.text)"
    }
  }

  private var access: String? {
    ranking.peak.flatMap { peak in
      ranking.comparison.spread(
        ranking.leader ?? peak.policy, peak.column, of: Metric.accessTime.value)
    }.map { "\(ChartUnit.nanoseconds.value($0.mean)), modelled" }
  }

  /// The throughput of the recommended policy if it was executed, else that of the fastest, by
  /// name.
  private var throughput: String? {
    let measured = rows.filter { row in
      entry.comparisons.contains {
        $0.configuration == row.cell.configuration && $0.trace == row.cell.trace
      }
    }
    let own = measured.filter { $0.cell.policy == ranking.leader?.text }
    return ThroughputAdvice(own.isEmpty ? measured : own).rates().first.map { rate in
      "\(rate.text) requests/s" + (own.isEmpty ? " (\(rate.row.cell.policy))" : "")
    }
  }
}

/// The policy to use, and the importance of the choice, over all configurations of a run.
struct PolicyAdvice {
  private struct Choice {
    let names: [Inline]
    let ranking: Ranking
  }

  private let all: [Choice]
  private let main: Choice?

  private static let namesMax = 3

  init(_ rankings: [ConfigurationRanking]) {
    func choice(_ entry: ConfigurationRanking.Entry, _ trace: String) -> Choice {
      let suffix = rankings.count > 1 ? " (\(trace))" : ""
      let names = entry.comparisons.map { Inline.strong($0.configuration + suffix) }
      return Choice(names: names, ranking: entry.ranking)
    }
    all = rankings.flatMap { ranking in ranking.entries.map { choice($0, ranking.trace) } }
    main = rankings.first.flatMap { ranking in ranking.first.map { choice($0, ranking.trace) } }
  }

  private var choices: [Choice] {
    all.filter { $0.ranking.comparison.competitors.count > 1 && !$0.ranking.decided.isEmpty }
  }

  /// The policy to use for each configuration, or the reason why there is no choice.
  var use: Line {
    guard let first = choices.first else { return nothing }
    let clear = choices.filter { !$0.ranking.isIndifferent }
    guard !clear.isEmpty else {
      let several = "The policy does not matter in any configuration"
      return "\(strong: choices.count == 1 ? first.ranking.sentence.plain : several)."
    }
    let indifferent = choices.filter(\.ranking.isIndifferent).flatMap(\.names)
    let rest: Line =
      indifferent.isEmpty ? "" : "; the policy does not matter in \(Self.names(indifferent))"
    return "\(strong: "Use") \(leaders(clear))\(rest)."
  }

  private func leaders(_ clear: [Choice]) -> Line {
    var groups = clear.grouped(by: \.ranking.leader).map(\.elements)
    if groups.count > Self.namesMax { groups = groups.sorted { -$0.count } }
    let listed = groups.prefix(Self.namesMax).map { group -> Line in
      let rankings = group.map(\.ranking)
      let names: Line = "\(code: rankings[0].leader?.text ?? "")"
      let exceptions = rankings.count == 1 ? rankings[0].exceptionWords : ""
      if all.count == 1 { return "\(names): \(rankings.standing)\(exceptions)" }
      let places = Self.names(group.flatMap(\.names))
      return "\(names) in \(places) (\(rankings.standing)\(exceptions))"
    }
    return listed.joined(", ") + (groups.count > listed.count ? ", others in the rest" : "")
  }

  private static func names(_ names: [Inline]) -> Line {
    names.count > namesMax ? "\(names.count) configurations" : Line.names(names)
  }

  private var nothing: Line {
    let reasons = all.compactMap(\.ranking.nothing)
    if let reason = reasons.first, reasons.count == all.count {
      return "\(reason.capitalisedFirst), so there is nothing to compare."
    }
    guard all.count == 1, let peak = all[0].ranking.peak else { return "" }
    let (ratio, place) = (ChartUnit.percent.value(peak.value), all[0].ranking.title(peak.column))
    return "\(code: peak.policy.text) is the only policy: \(ratio) at \(place)."
  }

  /// The range of hit ratios at the capacity where it is widest, among the policies worth using;
  /// the others are named separately. Covers the configuration with the highest hit ratio.
  var importance: Line {
    guard let choice = main, choice.ranking.comparison.competitors.count > 1,
      !choice.ranking.decided.isEmpty, !choice.ranking.isIndifferent
    else { return "" }
    return [range(choice), rejected(choice.ranking)].joined(" ")
  }

  private func range(_ choice: Choice) -> Line {
    let ranking = choice.ranking
    let rejected = ranking.notWorthUsing
    let worth = ranking.comparison.competitors.filter { !rejected.contains($0) }
    let ranges = ranking.decided.map { (column: $0, range: ranking.range(of: worth, $0)) }
    guard worth.count > 1, let widest = ranges.sorted(byKey: { -$0.range }).first else { return "" }
    let shown = ranking.entries[widest.column].filter { worth.contains($0.policy) }
    guard let first = shown.first, let last = shown.last else { return "" }
    let baseline = ranking.comparison.baseline(for: first.policy)
    let middle = shown.dropFirst().dropLast().filter { $0.policy == baseline }
    let values = ([first] + middle + [last]).map { entry -> Line in
      "\(code: entry.policy.text) \(ChartUnit.percent.value(entry.value))"
    }
    let isSmall = !ranking.metric.matters(widest.range, at: 0)
    let heading = isSmall ? "The choice has little effect" : "The choice matters"
    let most = ranges.count > 1 && !isSmall ? " most at \(ranking.title(widest.column))" : ""
    let place: Line = choices.count > 1 ? " in \(Self.names(choice.names))" : ""
    return "\(strong: heading)\(most)\(place): \(values.joined(", "))."
  }

  private func rejected(_ ranking: Ranking) -> Line {
    let worst = ranking.notWorthUsing.reversed()
    guard !worst.isEmpty else { return "" }
    let rest = worst.count - Self.namesMax
    let names =
      worst.prefix(Self.namesMax).map { Inline.code($0.text) }
      + (rest > 0 ? [.text("\(rest) more")] : [])
    let deficits = worst.flatMap { policy in
      ranking.decided.compactMap { ranking.deficit(policy, $0) }
    }
    let limit = deficits.count > 1 ? "up to " : ""
    let gap = ranking.metric.gap(deficits.max() ?? 0, 0)
    return "Not worth using: \(Line.names(names)) (\(limit)\(gap) behind)."
  }
}

/// The configuration with the highest hit ratio, and the best at equal capacity.
enum ConfigurationAdvice {
  private static let namesMax = 4

  /// The comparison of configurations; several traces are summarised by the number of wins.
  static func line(_ rankings: [ConfigurationRanking]) -> Line {
    if rankings.count == 1 { return comparison(rankings[0]) }
    let compared = rankings.filter { $0.byReach.count > 1 }
    let winners = compared.map { $0.byReach[0].title }.grouped { $0 }
    return winners.sorted { -$0.elements.count }.first.map { name, wins in
      """
      \(strong: name) has the highest hit ratio on \(wins.count) of \(compared.count) traces.
      """
    } ?? ""
  }

  private static func comparison(_ ranking: ConfigurationRanking) -> Line {
    var sentences = ranking.entries.filter { $0.comparisons.count > 1 }.map { entry -> Line in
      let isTier = entry.comparisons.allSatisfy { $0.kind != .hybrid }
      let reason = isTier ? " (each is a single tier)" : ""
      return "\(Line.names(entry.names)) hit equally often\(reason)."
    }
    let entries = ranking.byReach
    if entries.count > 1 { sentences += [reach(entries), equalCapacity(ranking, entries)] }
    return sentences.joined(" ")
  }

  /// The best hit ratio of each; of many, those near the best and the lowest.
  private static func reach(_ entries: [ConfigurationRanking.Entry]) -> Line {
    func value(_ entry: ConfigurationRanking.Entry) -> Line {
      "\(entry.names[0]) \(ChartUnit.percent.value(entry.reached))"
    }
    let (first, last) = (entries[0], entries[entries.count - 1])
    let isShort = entries.count <= namesMax
    let isSame = Choice.isEqual(first.reached, last.reached)
    let shown =
      isShort ? entries : entries.filter { Choice.isEqual($0.reached, first.reached) }
    var values = shown.prefix(namesMax).map(value)
    if !isShort, !isSame { values.append("lowest: \(value(last))") }
    let end = isSame ? " (difference not significant)" : ""
    return "Best hit ratios: \(values.joined(", "))\(end)."
  }

  /// The best at equal capacity, and the largest deficit of the others. Capacities are compared as
  /// written: that of a hybrid is its disk.
  private static func equalCapacity(
    _ ranking: ConfigurationRanking, _ entries: [ConfigurationRanking.Entry]
  ) -> Line {
    let titles = ranking.commonCapacities
    // With a single common capacity, this repeats the best hit ratios.
    let isOne = titles.count == 1 && entries.allSatisfy { $0.comparison.columns.count == 1 }
    if titles.isEmpty || isOne { return "" }
    let capacity =
      entries.contains { $0.comparison.kind == .hybrid }
      ? "equal capacity (of a hybrid: its disk; memory comes on top)" : "equal capacity"
    let behind = entries.compactMap { entry in
      titles.compactMap { title in
        ranking.deficit(entry, at: title).map { (entry: entry, title: title, deficit: $0) }
      }.sorted { -$0.deficit }.first
    }
    let leading = behind.filter { !Choice.isBetter($0.deficit, than: 0) }
    guard let last = behind.sorted(byKey: { -$0.deficit }).first,
      Choice.isBetter(last.deficit, than: 0)
    else {
      return "At \(capacity), the difference is not significant."
    }
    if leading.isEmpty {
      let parts = entries.map { entry -> Line in
        let own = titles.filter { ranking.deficit(entry, at: $0) == 0 }
        return own.isEmpty
          ? "" : "\(entry.names[0]) at \(Line.names(own.map { .text($0) }))"
      }.filter { !$0.isEmpty }
      return "At \(capacity), best: \(parts.prefix(namesMax).joined(", "))."
    }
    let names = Line.names(leading.map { $0.entry.names[0] })
    let verb = leading.count > 1 ? "lead" : "leads"
    let gap = Metric.hitRatio.gap(last.deficit, 0)
    return """
      At \(capacity), \(names) \(verb); \(last.entry.names[0]) is up to \(gap) behind (at \
      \(last.title)).
      """
  }
}

struct ThroughputAdvice {
  private let rows: [ExecutedRow]

  private static let slowdown = 0.03
  private static let namesMax = 5

  /// Servers do not take requests as fast as they can.
  init(_ rows: [ExecutedRow]) {
    self.rows = rows.filter { $0.executions.allSatisfy { $0.server == nil } }
  }

  typealias Rate = (row: ExecutedRow, perSecond: Double, text: String)

  /// The rows with the fewest threads, the fastest first.
  func rates(_ kind: ConfigurationKind? = nil) -> [Rate] {
    let shown = rows.filter { kind == nil || $0.cell.kind == kind }
    let threads = shown.map(\.threads).min()
    return shown.filter { $0.threads == threads }.compactMap { row in
      row.requestsPerSecond.map { speed in
        let units = ["", " thousand", " million", " billion"]
        return (row, speed.median, ChartText.scaled(speed.median, by: 1000, units: units))
      }
    }.sorted { -$0.perSecond }
  }

  /// Throughput by kind of cache: memory and disk are not comparable.
  var line: Line {
    let kinds = ConfigurationKind.allCases.map { rates($0) }.filter { !$0.isEmpty }
    guard let first = kinds.first?.first else { return "" }
    let parts = kinds.map { rates in
      rates.prefix(kinds.count > 1 ? 2 : Self.namesMax).map { rate -> Line in
        "\(strong: name(rate.row)) \(rate.text)"
      }.joined(", ")
    }
    let threads = first.row.threads == 1 ? "one thread" : "\(first.row.threads) threads"
    let order = rates().count > 1 ? ", fastest first" : ""
    return """
      \(strong: "Throughput") with \(threads), requests/s\(order): \(parts.joined("; ")).
      """
  }

  private func name(_ row: ExecutedRow) -> String {
    let same = rows.filter { $0.name == row.name }
    var name = row.name
    if Set(same.map(\.cell.capacityLabel)).count > 1 { name += " at \(row.cell.capacityLabel)" }
    if Set(rows.map(\.cell.trace)).count > 1 { name += " (\(row.cell.trace))" }
    return name
  }

  /// A warning about runs that were slower with more threads.
  var warning: Line {
    let slower = rows.filter { row in
      guard row.threads > 1, let own = row.requestsPerSecond?.median,
        let one = rows.first(where: { $0.threads == 1 && $0.place == row.place })?
          .requestsPerSecond
      else { return false }
      return own < one.median * (1 - Self.slowdown)
    }
    guard let first = slower.first else { return "" }
    let isOne = slower.allSatisfy { $0.threads == first.threads }
    let threads = isOne ? "\(first.threads) threads" : "Several threads"
    let names = slower.map(name).distinct
    let shown: Line =
      names.count > 3 ? "\(names.count) caches" : Line.names(names.map { .strong($0) })
    return """
      \(threads) were slower than one with \(shown): the machine was busy, or threads contend for \
      locks.
      """
  }
}
