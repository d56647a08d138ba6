import LarderExperiments
import LarderSupport

/// A comparison as aligned plain text for a terminal. The best value of each column is between
/// asterisks; policies that know the future are last and not marked.
package enum ComparisonTable {
  /// Returns a table for each configuration and trace. Configurations with equal hits share one
  /// table, as do all that have a single policy. Results of real caches follow, then the
  /// recommendation.
  package static func text(of results: RunResults, colour: Bool = false) -> String {
    let markup = PlainMarkup(colour: colour)
    func lines(_ blocks: [Block]) -> String { blocks.map { markup.text(of: $0) + "\n" }.joined() }
    let comparisons = Comparison.all(in: results.records)
    let rankings = ConfigurationRanking.all(comparisons)
    let designs = Designs.all(in: results, comparisons)
    let told = Set(designs.flatMap(\.single))
    func suffix(_ trace: String) -> String { rankings.count > 1 ? ", \(trace)" : "" }
    var parts: [String] = []
    for ranking in rankings {
      for entry in ranking.entries where !told.contains(entry.comparison.configuration) {
        let title = TextSafety.singleLine(entry.title + suffix(ranking.trace))
        let comparison = entry.comparison
        let metrics = comparison.hitMetrics + (comparison.countsBytes ? [.byteHitRatio] : [])
        let shown = metrics.filter { comparison.has($0.value) || $0.name == Metric.hitRatio.name }
        parts.append(
          "\(title), "
            + lines(
              shown.flatMap { metric in
                [
                  .paragraph("\(metric.title), %"),
                  .table(comparison.table(of: metric, showsRange: false)),
                ]
              }))
      }
    }
    for designs in designs {
      let title: Line = "designs\(suffix(designs.designs[0].cell.trace))"
      parts.append(lines([.paragraph(title), .table(designs.table)]))
    }
    if let time = TimeTable(results) {
      parts.append(lines([.paragraph("time"), .table(time.table)]))
    }
    let rows = ExecutedRow.all(in: results.records)
    if !rows.isEmpty {
      parts.append(lines([.paragraph("executed"), .table(ExecutedTables(rows: rows).summary)]))
      parts.append(lines(ExecutedFindings(results.records).sentences.map { .paragraph($0) }))
    }
    if !comparisons.isEmpty {
      parts.append(lines(Answer(results, rankings).lines.map { .paragraph($0) }))
    }
    return parts.joined(separator: "\n")
  }
  /// The boxes of today against the proposed cache, which end the screen of a run.
  package static func boxes(of results: RunResults, width: Int) -> String {
    let rankings = ConfigurationRanking.all(Comparison.all(in: results.records))
    return Decision.all(of: results, rankings).map {
      "\n" + DecisionBox(decision: $0).text(width: min(max(width, 40), 100))
    }.joined()
  }
}
