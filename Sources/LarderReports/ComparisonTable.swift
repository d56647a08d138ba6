import LarderSimulation
import LarderSystem

/// The comparison as aligned plain text for a terminal.
///
///     memory, hit ratio, %
///     policy                       1%       5%
///     s3-fifo                  *41.20*  *61.02*
///     lru                        38.10    59.71
///     belady (knows the future)  50.30    68.90
package enum ComparisonTable {
  /// A table a configuration and trace, each ending in a line feed, with an empty line between
  /// them; one for all that have a single policy; last, what real caches did, where some were
  /// driven. The best of each column stands between asterisks, and in bold where `colour` is true;
  /// policies that know the future stand last and are not marked. Means where there are several
  /// seeds. Linear in the records.
  package static func text(of results: RunResults, colour: Bool = false) -> String {
    let comparisons = Comparison.all(in: results.records)
    let severalTraces = Set(comparisons.map(\.trace)).count > 1
    let designs = Designs.all(in: results, comparisons)
    let told = Set(designs.flatMap(\.single))
    let simulated = comparisons.filter { !told.contains($0.configuration) }.map { comparison in
      let name = ReportDocument.name(of: comparison, severalTraces: severalTraces)
      return TextSafety.singleLine(name) + ", " + body(comparison, colour: colour)
    }
    let side = designs.map { designs in
      let trace = severalTraces ? ", \(TextSafety.singleLine(designs.designs[0].cell.trace))" : ""
      return "designs\(trace)\n" + aligned(designs.table, colour)
    }
    return (simulated + side + executed(results, colour)).joined(separator: "\n")
  }

  /// What real caches did; empty where none was driven.
  private static func executed(_ results: RunResults, _ colour: Bool) -> [String] {
    let rows = ExecutedRow.all(in: results.records)
    guard !rows.isEmpty else { return [] }
    let findings = ExecutedFindings(results.records).sentences.map { sentence in
      TextSafety.singleLine(sentence.map(\.plain).joined()) + "\n"
    }
    return ["executed\n" + aligned(ExecutedTables(rows: rows).summary, colour), findings.joined()]
  }

  private static func body(_ comparison: Comparison, colour: Bool) -> String {
    var text = "hit ratio, %\n" + aligned(ratios(comparison) { $0.counts.hitRatio }, colour)
    if comparison.countsBytes, comparison.has({ $0.counts.byteHitRatio }) {
      text += "byte hit ratio, %\n" + aligned(ratios(comparison) { $0.counts.byteHitRatio }, colour)
    }
    return text
  }

  private static func ratios(
    _ comparison: Comparison, of value: @escaping (Record) -> Double?
  ) -> Table {
    ValueTable(comparison: comparison, better: .higher, showsRange: false, value: value) { ratio in
      NumberText.fixed(ratio * 100, decimals: 2)
    }.table
  }

  /// A table in columns, each line ending in a line feed.
  static func aligned(_ table: Table, _ colour: Bool) -> String {
    table.parts.map { alignedPart($0, colour) }.joined()
  }

  private static func alignedPart(_ table: Table, _ colour: Bool) -> String {
    let lines = [table.titles.map { Inline.text($0) }] + table.rows
    let cells = lines.map { $0.map { shown($0) } }
    let widths = table.titles.indices.map { column in
      cells.map { $0[column].count }.max() ?? 0
    }
    return zip(lines, cells).reduce(into: "") { text, line in
      let (parts, cells) = line
      var row = ""
      for (column, cell) in cells.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        // Colour codes have no width, so they come after the padding is known.
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

  /// The text of a cell; numbers without a mark leave room for one, so that points line up.
  private static func shown(_ part: Inline) -> String {
    let text = TextSafety.singleLine(part.plain)
    return isStrong(part) ? "*\(text)*" : text
  }
}
