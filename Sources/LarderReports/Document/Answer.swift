import LarderExperiments
import LarderSupport

/// The recommendation of a report: at most five short lines for all configurations together, and a
/// card for each. Everything else in a report supports these.
struct Answer {
  let lines: [[Inline]]
  let cards: [AnswerCard]

  private static let cardsMax = 8

  init(_ results: RunResults, _ rankings: [ConfigurationRanking]) {
    let rows = ExecutedRow.all(in: results.records)
    let policies = PolicyAdvice(rankings)
    let throughput = ThroughputAdvice(rows)
    let warnings = ExecutedFindings.wrong(results.records) + [throughput.warning]
    lines =
      [
        policies.use, ConfigurationAdvice.line(rankings), policies.importance, throughput.line,
        Inline.joined(warnings.filter { !$0.isEmpty }, " "),
      ].filter { !$0.isEmpty }
    let entries = rankings.flatMap { ranking in
      ranking.entries.filter { !$0.ranking.leaders.isEmpty }.map { (ranking.trace, $0) }
    }
    cards = (entries.count <= Self.cardsMax ? entries : []).map { trace, entry in
      AnswerCard(entry, trace: rankings.count > 1 ? trace : nil, rows)
    }
  }

  var blocks: [Block] {
    guard !lines.isEmpty else { return [.paragraph(["No cell finished."])] }
    return [.list(lines)] + (cards.isEmpty ? [] : [.cards(cards)])
  }
}

struct AnswerCard {
  let title: String
  let policy: String?
  let standing: String
  let facts: [(name: String, value: String)]

  init(_ entry: ConfigurationRanking.Entry, trace: String?, _ rows: [ExecutedRow]) {
    let ranking = entry.ranking
    title = entry.title + (trace.map { ", \($0)" } ?? "")
    policy = ranking.isIndifferent ? nil : ranking.leader?.text
    standing = RankingWords([ranking]).standing
    let measured = rows.filter { row in
      entry.comparisons.contains {
        $0.configuration == row.cell.configuration && $0.trace == row.cell.trace
      }
    }
    let facts = [
      ("best hit ratio", Self.reach(ranking)), ("gain", Self.gain(ranking)),
      ("distance to bound", Self.bound(ranking)), ("mean access", Self.access(ranking)),
      ("throughput", Self.throughput(ranking, measured)),
    ]
    self.facts = facts.compactMap { name, value in value.map { (name, $0) } }
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
    let preposition = widest.own >= widest.other ? "over" : "below"
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

  /// The throughput of the recommended policy if it was executed, else that of the fastest, by
  /// name.
  private static func throughput(_ ranking: Ranking, _ rows: [ExecutedRow]) -> String? {
    let own = rows.filter { $0.cell.policy == ranking.leader?.text }
    guard let rate = ThroughputAdvice(own.isEmpty ? rows : own).rates().first else { return nil }
    return "\(rate.text) requests/s" + (own.isEmpty ? " (\(rate.row.cell.policy))" : "")
  }

  private static func access(_ ranking: Ranking) -> String? {
    ranking.peak.flatMap { peak in
      ranking.comparison.spread(peak.policy, peak.column, of: Metric.accessTime.value)
    }.map { "\(ChartUnit.nanoseconds.value($0.mean)), modelled" }
  }
}

extension [AnswerCard] {
  var table: Table {
    var seen: Set<String> = []
    let names = flatMap { $0.facts.map(\.name) }.filter { seen.insert($0).inserted }
    return Table(
      self,
      [
        .init("configuration") { .text($0.title) },
        .init("policy") { $0.policy.map { .code($0) } ?? "any" },
        .init("standing") { .text($0.standing) },
      ]
        + names.map { name in
          .init(name) { card in
            card.facts.first { $0.name == name }.map { .text($0.value) } ?? Table.none
          }
        })
  }
}

struct PolicyAdvice {
  private struct Choice {
    let names: [Inline]
    let ranking: Ranking
    var words: RankingWords { RankingWords([ranking]) }
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
    all.filter {
      $0.ranking.comparison.competitors.count > 1 && !$0.ranking.decided.isEmpty
    }
  }

  var use: [Inline] {
    guard let first = choices.first else { return nothing }
    let clear = choices.filter { !$0.ranking.isIndifferent }
    guard !clear.isEmpty else {
      let several = "The policy does not matter in any configuration"
      return [.strong(choices.count == 1 ? Inline.plain(first.words.sentence) : several), "."]
    }
    let indifferent = choices.filter(\.ranking.isIndifferent).flatMap(\.names)
    let rest =
      indifferent.isEmpty
      ? [] : ["; the policy does not matter in "] + Self.names(indifferent)
    return [.strong("Use"), " "] + leaders(clear) + rest + ["."]
  }

  private func leaders(_ clear: [Choice]) -> [Inline] {
    var seen: Set<[PolicyName]> = []
    var groups = clear.map(\.ranking.leaders).filter { seen.insert($0).inserted }.map { leaders in
      clear.filter { $0.ranking.leaders == leaders }
    }
    if groups.count > Self.namesMax { groups = groups.sorted(byKey: { -Double($0.count) }) }
    let listed = groups.prefix(Self.namesMax).map { group -> [Inline] in
      let words = RankingWords(group.map(\.ranking))
      let names = Inline.names(
        group[0].ranking.leaders.map { .code($0.text) }, last: " or ")
      let standing = [.text(words.standing)] + words.exceptions
      if all.count == 1 { return names + [": "] + standing }
      return names + [" in "] + Self.names(group.flatMap(\.names)) + [" ("] + standing + [")"]
    }
    return Inline.joined(Array(listed), ", ")
      + (groups.count > listed.count ? [", others in the rest"] : [])
  }

  private static func names(_ names: [Inline]) -> [Inline] {
    names.count > namesMax ? [.text("\(names.count) configurations")] : Inline.names(names)
  }

  private var nothing: [Inline] {
    let reasons = all.compactMap(\.words.nothing)
    if let reason = reasons.first, reasons.count == all.count {
      return [.text("\(RankingWords.capitalised(reason)), so there is nothing to compare.")]
    }
    guard all.count == 1, let peak = all[0].ranking.peak else { return [] }
    let ratio = ChartUnit.percent.value(peak.value)
    let place = all[0].words.title(peak.column)
    return [.code(peak.policy.text), .text(" is the only policy: \(ratio) at \(place).")]
  }

  /// The range of hit ratios at the capacity where it is widest, among the policies worth using;
  /// the others are named separately. Covers the configuration with the highest hit ratio.
  var importance: [Inline] {
    guard let choice = main, choice.ranking.comparison.competitors.count > 1,
      !choice.ranking.decided.isEmpty, !choice.ranking.isIndifferent
    else { return [] }
    return Inline.joined([range(choice), rejected(choice.ranking)].filter { !$0.isEmpty }, " ")
  }

  private func range(_ choice: Choice) -> [Inline] {
    let ranking = choice.ranking
    let worth = ranking.worthUsing
    let ranges = ranking.decided.map { (column: $0, range: ranking.columns[$0].range(of: worth)) }
    guard worth.count > 1, let widest = ranges.sorted(byKey: { -$0.range }).first else { return [] }
    let place = choices.count > 1 ? [" in "] + Self.names(choice.names) : []
    let shown = ranking.columns[widest.column].entries.filter { worth.contains($0.policy) }
    guard let first = shown.first, let last = shown.last else { return [] }
    let baseline = ranking.comparison.baseline(for: first.policy)
    let middle = shown.dropFirst().dropLast().filter { $0.policy == baseline }
    let values = ([first] + middle + [last]).map { entry -> [Inline] in
      [.code(entry.policy.text), .text(" \(ChartUnit.percent.value(entry.value.mean))")]
    }
    let isSmall = widest.range < ranking.metric.noise(at: 0)
    let heading = isSmall ? "The choice has little effect" : "The choice matters"
    let most = ranges.count > 1 && !isSmall ? " most at \(choice.words.title(widest.column))" : ""
    return [.strong(heading), .text(most)] + place + [": "] + Inline.joined(values, ", ") + ["."]
  }

  private func rejected(_ ranking: Ranking) -> [Inline] {
    let worst = ranking.notWorthUsing.reversed()
    guard !worst.isEmpty else { return [] }
    let rest = worst.count - Self.namesMax
    let names =
      worst.prefix(Self.namesMax).map { Inline.code($0.text) }
      + (rest > 0 ? [.text("\(rest) more")] : [])
    let deficits = worst.flatMap { policy in
      ranking.decided.compactMap { ranking.columns[$0].deficit(policy) }
    }
    let limit = deficits.count > 1 ? "up to " : ""
    return [.text("Not worth using: ")] + Inline.names(names)
      + [.text(" (\(limit)\(ranking.metric.gap(deficits.max() ?? 0, 0)) behind).")]
  }
}

enum ConfigurationAdvice {
  private static let namesMax = 4

  private static let noise = Metric.noisePoints / 100

  static func line(_ rankings: [ConfigurationRanking]) -> [Inline] {
    if rankings.count == 1 { return comparison(rankings[0]) }
    let compared = rankings.filter { $0.byReach.count > 1 }
    let firsts = compared.map { $0.byReach[0].title }
    let most = firsts.sorted { name in -Double(firsts.count { $0 == name }) }.first
    return most.map { most in
      let wins = firsts.count { $0 == most }
      return [
        .strong(most), .text(" has the highest hit ratio on \(wins) of \(compared.count) traces."),
      ]
    } ?? []
  }

  private static func comparison(_ ranking: ConfigurationRanking) -> [Inline] {
    var sentences = ranking.entries.filter { $0.comparisons.count > 1 }.map { entry in
      let isTier = entry.comparisons.allSatisfy { $0.kind != .hybrid }
      return Inline.names(entry.names)
        + [.text(" hit equally often\(isTier ? " (each is a single tier)" : "").")]
    }
    let entries = ranking.byReach
    if entries.count > 1 { sentences += [reach(entries), equalCapacity(ranking, entries)] }
    return Inline.joined(sentences.filter { !$0.isEmpty }, " ")
  }

  private static func reach(_ entries: [ConfigurationRanking.Entry]) -> [Inline] {
    func value(_ entry: ConfigurationRanking.Entry) -> [Inline] {
      [entry.names[0], .text(" \(ChartUnit.percent.value(entry.reached))")]
    }
    let (first, last) = (entries[0], entries[entries.count - 1])
    let isShort = entries.count <= namesMax
    let shown = isShort ? entries : entries.filter { $0.reached > first.reached - noise }
    var values = shown.prefix(namesMax).map(value)
    if !isShort, last.reached <= first.reached - noise {
      values.append([.text("lowest: ")] + value(last))
    }
    let isSame = first.reached - last.reached < noise
    return ["Best hit ratios: "] + Inline.joined(values, ", ")
      + [isSame ? " (difference not significant)." : "."]
  }

  private static func equalCapacity(
    _ ranking: ConfigurationRanking, _ entries: [ConfigurationRanking.Entry]
  ) -> [Inline] {
    let titles = ranking.commonCapacities
    // With a single common capacity, this repeats the best hit ratios.
    let isOne = titles.count == 1 && entries.allSatisfy { $0.comparison.columns.count == 1 }
    if titles.isEmpty || isOne { return [] }
    let capacity =
      entries.contains { $0.comparison.kind == .hybrid }
      ? "equal capacity (of a hybrid: its disk; memory comes on top)" : "equal capacity"
    let behind = entries.compactMap { entry in
      titles.compactMap { title in
        ranking.deficit(entry, at: title).map { (entry: entry, title: title, deficit: $0) }
      }.sorted(byKey: { -$0.deficit }).first
    }
    let leading = behind.filter { $0.deficit < noise }
    guard let last = behind.filter({ $0.deficit >= noise }).sorted(byKey: { -$0.deficit }).first
    else { return [.text("At \(capacity), the difference is not significant.")] }
    if leading.isEmpty {
      let parts = entries.compactMap { entry -> [Inline]? in
        let own = titles.filter { ranking.deficit(entry, at: $0) == 0 }
        return own.isEmpty
          ? nil : [entry.names[0], " at "] + Inline.names(own.map { .text($0) })
      }
      return [.text("At \(capacity), best: ")]
        + Inline.joined(Array(parts.prefix(namesMax)), ", ") + ["."]
    }
    return [.text("At \(capacity), ")] + Inline.names(leading.map { $0.entry.names[0] })
      + [.text(leading.count > 1 ? " lead; " : " leads; "), last.entry.names[0]]
      + [.text(" is up to \(Metric.hitRatio.gap(last.deficit, 0)) behind (at \(last.title)).")]
  }
}

struct ThroughputAdvice {
  private let rows: [ExecutedRow]

  private static let slowdown = 0.03
  private static let namesMax = 5

  init(_ rows: [ExecutedRow]) { self.rows = rows }

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
    }.sorted(byKey: { -$0.perSecond })
  }

  var line: [Inline] {
    let kinds = ConfigurationKind.allCases.map { rates($0) }.filter { !$0.isEmpty }
    guard let first = kinds.first?.first else { return [] }
    let parts = kinds.map { rates -> [Inline] in
      let shown = rates.prefix(kinds.count > 1 ? 2 : Self.namesMax).map { rate -> [Inline] in
        [.strong(name(rate.row)), .text(" \(rate.text)")]
      }
      return Inline.joined(shown, ", ")
    }
    let threads = first.row.threads == 1 ? "one thread" : "\(first.row.threads) threads"
    let order = rates().count > 1 ? ", fastest first" : ""
    return [.strong("Throughput"), .text(" with \(threads), requests/s\(order): ")]
      + Inline.joined(parts, "; ") + ["."]
  }

  private func name(_ row: ExecutedRow) -> String {
    let same = rows.filter { $0.name == row.name }
    var name = row.name
    if Set(same.map(\.cell.capacityLabel)).count > 1 { name += " at \(row.cell.capacityLabel)" }
    if Set(rows.map(\.cell.trace)).count > 1 { name += " (\(row.cell.trace))" }
    return name
  }

  var warning: [Inline] {
    let slower = rows.filter { row in
      guard row.threads > 1, let own = row.requestsPerSecond?.median,
        let one = rows.first(where: { $0.threads == 1 && $0.place == row.place })?
          .requestsPerSecond
      else { return false }
      return own < one.median * (1 - Self.slowdown)
    }
    guard let first = slower.first else { return [] }
    let isOne = slower.allSatisfy { $0.threads == first.threads }
    let threads = isOne ? "\(first.threads) threads" : "Several threads"
    var seen: Set<String> = []
    let names = slower.map { name($0) }.filter { seen.insert($0).inserted }
    let shown: [Inline] =
      names.count > 3
      ? [.text("\(names.count) caches")] : Inline.names(names.map { .strong($0) })
    return [.text("\(threads) were slower than one with ")] + shown
      + [": the machine was busy, or threads contend for locks."]
  }
}
