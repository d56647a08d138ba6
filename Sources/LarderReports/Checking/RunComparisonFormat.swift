import Foundation
import LarderSystem

/// The ways to show a `RunComparison`.
package enum RunComparisonFormat: String, Sendable, CaseIterable {
  /// For a terminal.
  case text
  /// For a pull request.
  case markdown
  /// One row a change.
  case csv
  /// The rows of the CSV as objects.
  case json

  /// The comparison in this format. Linear in the cells.
  ///
  /// - Throws: an error of the encoder.
  package func text(of comparison: RunComparison, colour: Bool = false) throws -> String {
    switch self {
    case .text: PlainMarkup(colour: colour).text(of: Self.blocks(comparison))
    case .markdown: MarkdownMarkup().text(of: Self.blocks(comparison))
    case .csv: Self.csv(RunComparisonRow.all(in: comparison))
    case .json: try Self.json(RunComparisonRow.all(in: comparison))
    }
  }

  private static func blocks(_ comparison: RunComparison) -> [Block] {
    let tables = ChangeTables(counts: comparison.counts)
    let title = "\(comparison.names.before) -> \(comparison.names.after)"
    var blocks: [Block] = [
      .heading(2, [.text(title)]),
      .paragraph([
        .text(
          "\(NumberText.counted(comparison.counts.compared, "cell")) compared: \(tables.summary).")
      ]),
    ]
    blocks += tables.blocks(level: 3)
    blocks += ResourceTable(comparison: comparison.resources, isCheck: false).blocks(level: 3)
    let speeds = comparison.speeds
    if !speeds.isEmpty {
      blocks += [
        .heading(3, ["Million requests per second"]),
        .paragraph([
          .text(
            "Median of the repetitions, smallest and largest in brackets. For information only: "
              + "machines and moments differ, and only 'larder check --against' says what is "
              + "slower.")
        ]),
        .table(table(of: speeds)),
      ]
      if speeds.count > ChangeTables.linesMax {
        blocks.append(
          .paragraph([.text("And \(speeds.count - ChangeTables.linesMax) more cells.")]))
      }
    }
    return blocks
      + (comparison.notes.isEmpty ? [] : [.list(comparison.notes.map { [.text($0)] })])
  }

  private static func table(of speeds: [RunComparison.Speed]) -> Table {
    var table = Table(titles: ["cell", "mode", "before", "after"])
    table.rows = speeds.prefix(ChangeTables.linesMax).map { speed in
      let threads = speed.mode == .execute ? ", " + NumberText.counted(speed.threads, "thread") : ""
      return [
        .code("\(speed.cell)"), .text(speed.mode.rawValue + threads),
        .text(text(of: speed.before)), .text(text(of: speed.after)),
      ]
    }
    return table
  }

  private static func text(of speed: Spread) -> String {
    func millions(_ value: Double) -> String { NumberText.fixed(value / 1e6, decimals: 2) ?? "" }
    let middle = millions(speed.median)
    guard speed.varies else { return middle }
    return "\(middle) (\(millions(speed.smallest))–\(millions(speed.largest)))"
  }

  private static func csv(_ rows: [RunComparisonRow]) -> String {
    CSVColumn.header(RunComparisonRow.columns)
      + rows.map { CSVColumn.line(RunComparisonRow.columns, $0) }.joined()
  }

  private static func json(_ rows: [RunComparisonRow]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return JSONLine.printable(String(decoding: try encoder.encode(rows), as: UTF8.self)) + "\n"
  }
}
