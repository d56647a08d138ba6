import LarderSimulation

/// The decision that a report comes to: at most five short lines for all configurations together,
/// and a card for each. Everything else in a report is what these rest on.
struct Answer {
  /// The lines: which policy, which configuration, whether it matters, how fast real caches were,
  /// and what else to know before deciding.
  let lines: [[Inline]]
  /// A card for each configuration that differs from the others; none where they are many.
  let cards: [AnswerCard]

  /// With more configurations than this, cards would be a wall.
  private static let cardsMax = 8

  /// The answer of `results`, ranked. Linear in the records but for sorting.
  init(_ results: RunResults, _ rankings: [ConfigurationRanking]) {
    let rows = ExecutedRow.all(in: results.records)
    let policies = PolicyAdvice(rankings)
    let throughput = ThroughputAdvice(rows)
    let warnings = policies.warnings + throughput.warnings
    let wrong = ExecutedFindings.wrong(results.records)
    lines =
      [
        policies.use, ConfigurationAdvice(rankings).line, policies.importance, throughput.line,
        Inline.joined(wrong + warnings, " "),
      ].filter { !$0.isEmpty }
    let entries = rankings.flatMap { ranking in
      ranking.entries.filter { !$0.ranking.leaders.isEmpty }.map { (ranking.trace, $0) }
    }
    let isShort = entries.count <= Self.cardsMax
    cards = (isShort ? entries : []).map { trace, entry in
      AnswerCard(entry, trace: rankings.count > 1 ? trace : nil, rows)
    }
  }

  /// The lines and cards as blocks.
  var blocks: [Block] {
    guard !lines.isEmpty else { return [.paragraph(["No cell finished."])] }
    return [.list(lines)] + (cards.isEmpty ? [] : [.cards(cards)])
  }
}
