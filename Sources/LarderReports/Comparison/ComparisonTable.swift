import LarderExperiments
import LarderSupport

/// A comparison as aligned plain text for a terminal. The best value of each column is between
/// asterisks; policies that know the future are last and not marked.
package enum ComparisonTable {
  package static func text(of results: RunResults, colour: Bool = false) -> String {
    let comparisons = Comparison.all(in: results.records)
    let rankings = ConfigurationRanking.all(comparisons)
    let designs = Designs.all(in: results, comparisons)
    let told = Set(designs.flatMap(\.single))
    let simulated = rankings.flatMap { ranking -> [String] in
      let trace = rankings.count > 1 ? ", \(ranking.trace)" : ""
      return ranking.entries.filter { !told.contains($0.comparison.configuration) }.map { entry in
        TextSafety.singleLine(entry.title + trace) + ", "
          + body(entry.comparison, colour: colour)
      }
    }
    let side = designs.map { designs in
      let trace =
        rankings.count > 1 ? ", \(TextSafety.singleLine(designs.designs[0].cell.trace))" : ""
      return "designs\(trace)\n" + aligned(designs.table, colour)
    }
    let answer = comparisons.isEmpty ? [] : [lines(Answer(results, rankings).lines)]
    let time = TimeTable(results.records).map { ["time\n" + aligned($0.table, colour)] } ?? []
    return (simulated + side + time + executed(results, colour) + answer).joined(separator: "\n")
  }

  private static func lines(_ sentences: [[Inline]]) -> String {
    sentences.map { TextSafety.singleLine(Inline.plain($0)) + "\n" }.joined()
  }

  private static func executed(_ results: RunResults, _ colour: Bool) -> [String] {
    let rows = ExecutedRow.all(in: results.records)
    guard !rows.isEmpty else { return [] }
    let findings = lines(ExecutedFindings(results.records).sentences)
    return ["executed\n" + aligned(ExecutedTables(rows: rows).summary, colour), findings]
  }

  private static func body(_ comparison: Comparison, colour: Bool) -> String {
    func table(_ metric: Metric) -> String {
      guard comparison.has(metric.value) || metric.name == Metric.hitRatio.name else {
        return ""
      }
      let table = ValueTable(comparison: comparison, metric: metric, showsRange: false).table
      return "\(metric.title), %\n" + aligned(table, colour)
    }
    return comparison.hitMetrics.map { table($0) }.joined()
      + (comparison.countsBytes ? table(.byteHitRatio) : "")
  }

  static func aligned(_ table: Table, _ colour: Bool) -> String {
    table.parts.map { alignedPart($0, colour) }.joined()
  }

  private static func alignedPart(_ table: Table, _ colour: Bool) -> String {
    let lines = [table.titles.map { Inline.text($0) }] + table.rows
    let cells = lines.map { line in
      // A heading row has no best value.
      let isHeading = line.dropFirst().allSatisfy { $0.plain.isEmpty }
      return line.map { isHeading ? TextSafety.singleLine($0.plain) : shown($0) }
    }
    let widths = table.titles.indices.map { column in
      cells.map { $0[column].count }.max() ?? 0
    }
    return zip(lines, cells).reduce(into: "") { text, line in
      let (parts, cells) = line
      var row = ""
      for (column, cell) in cells.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        // Colour codes have no width, so they are added after padding.
        let marked = colour && isStrong(parts[column]) ? "\u{1B}[1;32m\(cell)\u{1B}[0m" : cell
        row += column == 0 ? marked + padding : "  " + padding + marked
      }
      while row.last == " " { row.removeLast() }
      text += row + "\n"
    }
  }

  private static func isStrong(_ part: Inline) -> Bool {
    if case .strong = part { true } else { false }
  }

  /// The text of a cell. Numbers without a mark leave room for one, so that decimal points line up.
  private static func shown(_ part: Inline) -> String {
    let text = TextSafety.singleLine(part.plain)
    return isStrong(part) ? "*\(text)*" : text
  }
}
