import LarderSimulation

/// Which policy to use, and whether that matters, over all configurations of a run.
struct PolicyAdvice {
  /// A configuration with policies to choose from, or several with the same hits.
  private struct Choice {
    /// Its names, with the trace where there are several.
    let names: [Inline]
    let ranking: Ranking
    var words: RankingWords { RankingWords(ranking: ranking) }
  }

  private let all: [Choice]
  private let main: Choice?

  /// With more than this, names become numbers.
  private static let namesMax = 3

  /// The advice on everything that was run.
  init(_ rankings: [ConfigurationRanking]) {
    func choice(_ entry: ConfigurationRanking.Entry, _ trace: String) -> Choice {
      let suffix = rankings.count > 1 ? " (\(trace))" : ""
      let names = entry.comparisons.map { Inline.strong($0.configuration + suffix) }
      return Choice(names: names, ranking: entry.ranking)
    }
    all = rankings.flatMap { ranking in ranking.entries.map { choice($0, ranking.trace) } }
    main = rankings.first.flatMap { ranking in ranking.first.map { choice($0, ranking.trace) } }
  }

  /// What there is to choose.
  private var choices: [Choice] {
    all.filter {
      $0.ranking.comparison.competitors.count > 1 && !$0.ranking.decided.isEmpty
    }
  }

  /// Which policy to use where; empty where configurations with one policy each are compared.
  var use: [Inline] {
    guard !choices.isEmpty else { return nothing }
    let clear = choices.filter { !$0.ranking.isIndifferent }
    guard !clear.isEmpty else {
      let text = Inline.plain(choices[0].words.indifference)
      return choices.count == 1
        ? [.strong(text.prefix(1).uppercased() + text.dropFirst()), "."]
        : [.strong("The policy does not matter in any configuration"), "."]
    }
    let indifferent = choices.filter(\.ranking.isIndifferent).flatMap(\.names)
    let rest =
      indifferent.isEmpty
      ? [] : ["; in "] + Self.names(indifferent) + [" the policy does not matter"]
    return leaders(clear) + exceptions(clear) + rest + ["."]
  }

  /// Who leads where.
  private func leaders(_ clear: [Choice]) -> [Inline] {
    var groups: [(leaders: [PolicyName], choices: [Choice])] = []
    for choice in clear {
      if let index = groups.firstIndex(where: { $0.leaders == choice.ranking.leaders }) {
        groups[index].choices.append(choice)
      } else {
        groups.append((choice.ranking.leaders, [choice]))
      }
    }
    if groups.count > Self.namesMax {
      groups = groups.sorted(byKey: { -Double($0.choices.count) })
    }
    let told = groups.prefix(Self.namesMax).map { group -> [Inline] in
      let places = group.choices.flatMap(\.names)
      let words = Inline.names(group.leaders.map { .code($0.text) }, last: " or ")
      return all.count == 1 ? words : words + [Inline.text(" in ")] + Self.names(places)
    }
    let others: [Inline] = groups.count > told.count ? [.text(", others elsewhere")] : []
    let words: [Inline] = Inline.joined(Array(told), ", ")
    return [Inline.strong("Use"), " "] + words + others
  }

  /// Where another policy is better, and whether that matters.
  private func exceptions(_ clear: [Choice]) -> [Inline] {
    if clear.count == 1 {
      let words = clear[0].words.exceptions
      let isPlain = words.isEmpty && clear[0].ranking.decided.count > 1
      return isPlain ? [", at every capacity"] : words
    }
    let real = clear.filter { $0.ranking.exceptions.contains(where: \.isReal) }
    guard !real.isEmpty else {
      let largest = clear.map(\.ranking.largestDeficit).max() ?? 0
      return largest == 0
        ? [", at every capacity"]
        : [
          .text(
            ", nowhere more than \(Metric.hitRatio.gap(largest, 0)) behind the best: "
              + "no real difference")
        ]
    }
    let told = real.prefix(2).flatMap { choice -> [Inline] in
      [Inline.text("; in ")] + Self.names(choice.names) + choice.words.exceptions
    }
    return told + (real.count > 2 ? [.text("; and in \(real.count - 2) more")] : [])
  }

  private static func names(_ names: [Inline]) -> [Inline] {
    names.count > namesMax ? [.text("\(names.count) configurations")] : Inline.names(names)
  }

  /// Why there is nothing to choose.
  private var nothing: [Inline] {
    let reasons = all.compactMap(\.words.nothing)
    if let reason = reasons.first, reasons.count == all.count {
      let text = reason.prefix(1).uppercased() + reason.dropFirst()
      return [.text("\(text), so there is nothing to compare.")]
    }
    guard all.count == 1, let peak = all[0].ranking.peak else { return [] }
    let ratio = ChartUnit.percent.value(peak.value)
    let place = all[0].words.title(peak.column)
    return [.code(peak.policy.text), .text(" is the only policy here: \(ratio) at \(place).")]
  }

  /// Whether the choice matters, and where, among the policies that are worth using; those that are
  /// not are named apart. Of the configuration that reaches the most.
  var importance: [Inline] {
    guard let choice = main, choice.ranking.comparison.competitors.count > 1,
      !choice.ranking.decided.isEmpty, !choice.ranking.isIndifferent
    else { return [] }
    let ranking = choice.ranking
    let worth = ranking.worthUsing
    return Inline.joined([spread(choice, worth), apart(ranking)].filter { !$0.isEmpty }, " ")
  }

  private func spread(_ choice: Choice, _ worth: [PolicyName]) -> [Inline] {
    let ranking = choice.ranking
    let place = choices.count > 1 ? [" in "] + Self.names(choice.names) : []
    let ranges = ranking.decided.map { (column: $0, range: ranking.columns[$0].range(of: worth)) }
    guard worth.count > 1, let widest = ranges.sorted(byKey: { -$0.range }).first else {
      return []
    }
    let names = Inline.names(worth.map { .code($0.text) })
    if widest.range < ranking.metric.noise(at: 0) {
      let gap = ranking.metric.gap(widest.range, 0)
      return [.strong("The choice hardly matters")] + place + [" between "] + names
        + [.text(": at most \(gap) apart.")]
    }
    let column = ranking.columns[widest.column]
    let shown = column.entries.filter { worth.contains($0.policy) }
    guard let first = shown.first, let last = shown.last else { return [] }
    var told = [first]
    if let baseline = ranking.comparison.baseline(for: first.policy),
      let entry = shown.first(where: { $0.policy == baseline }), baseline != last.policy
    {
      told.append(entry)
    }
    told.append(last)
    let values = told.map { entry -> [Inline] in
      [.code(entry.policy.text), .text(" \(ChartUnit.percent.value(entry.value.mean))")]
    }
    let same = ranges.filter { $0.range < ranking.metric.noise(at: 0) }.map(\.column)
    let most = ranges.count > 1 ? " most at \(choice.words.title(widest.column))" : ""
    return [.strong("The choice matters"), .text(most)] + place + [": "]
      + Inline.joined(values, ", ")
      + (same.isEmpty ? [] : [.text("; not at \(choice.words.titles(same))")]) + ["."]
  }

  /// The policies that are not worth using.
  private func apart(_ ranking: Ranking) -> [Inline] {
    let worst = ranking.notWorthUsing.reversed()
    guard !worst.isEmpty else { return [] }
    let told = worst.prefix(Self.namesMax).map { Inline.code($0.text) }
    let rest = worst.count - told.count
    let names = told + (rest > 0 ? [.text("\(rest) more")] : [])
    let deficits = worst.flatMap { policy in
      ranking.decided.compactMap { ranking.columns[$0].deficit(policy) }
    }
    let gap = ranking.metric.gap(deficits.max() ?? 0, 0)
    let limit = deficits.count > 1 ? "up to " : ""
    return [.text("Not worth using: ")] + Inline.names(names)
      + [.text(" (\(limit)\(gap) behind).")]
  }

  /// Policies that fall as their cache grows.
  var warnings: [[Inline]] {
    let found = all.flatMap { choice in choice.ranking.falls.map { (choice, $0) } }
      .sorted(byKey: { $0.1.to.value - $0.1.from.value })
    guard let (choice, worst) = found.first else { return [] }
    let place = all.count > 1 ? [" in "] + Self.names(choice.names) : []
    let values = [worst.from, worst.to].map { point in
      "\(ChartUnit.percent.value(point.value)) at \(choice.words.title(point.column))"
    }
    let rest = Set(found.map(\.1.policy)).subtracting([worst.policy]).count
    let more = rest == 0 ? "" : " \(rest == 1 ? "1 more policy does" : "\(rest) more do")."
    return [
      [.code(worst.policy.text)] + place
        + [.text(" falls as its cache grows: \(values[0]), \(values[1]).\(more)")]
    ]
  }
}
