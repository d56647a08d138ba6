import LarderExperiments
import LarderSupport

/// An element of a report, independent of markup.
enum Block {
  case heading(Int, Line)
  case paragraph(Line)
  case list([Line])
  case code(String)
  case table(Table)
  /// A chart; its caption and the table after it carry its content as text.
  case chart(ChartFigure)
  indirect case fold(String, [Block])

  /// A heading of level 3 and what belongs to it; nothing if `blocks` is empty.
  static func section(_ title: String, _ blocks: [Block]) -> [Block] {
    blocks.isEmpty ? [] : [.heading(3, Line(text: title))] + blocks
  }

  static func figure(_ figure: ChartFigure?) -> [Block] { figure.map { [.chart($0)] } ?? [] }
}

/// A table with a row of titles; the first cell of each row names it.
struct Table {
  let titles: [String]
  var rows: [[Inline]]

  private static let columnsMax = 13

  static let none: Inline = "–"

  init<Row>(_ rows: some Sequence<Row>, _ columns: [Column<Row>]) {
    titles = columns.map(\.title)
    self.rows = rows.map { row in columns.map { $0.cell(row) } }
  }

  private init(titles: [String], rows: [[Inline]]) { (self.titles, self.rows) = (titles, rows) }

  /// The table split if it has too many columns; each part begins with the names of the rows.
  var parts: [Table] {
    guard titles.count > Self.columnsMax else { return [self] }
    let columns = titles.count - 1
    let count = (columns + Self.columnsMax - 2) / (Self.columnsMax - 1)
    return (0..<count).map { number in
      // Column counts of the parts differ by at most one.
      let range = (1 + columns * number / count)..<(1 + columns * (number + 1) / count)
      return Table(
        titles: [titles[0]] + titles[range], rows: rows.map { [$0[0]] + $0[range] })
    }
  }

  static func text(_ text: String?) -> Inline { text.map { .text($0) } ?? none }

  static func count(_ value: UInt64?) -> Inline { text(value.map { NumberText.grouped($0) }) }

  static func number(_ value: Double?, _ decimals: Int) -> Inline {
    text(value.flatMap { NumberText.fixed($0, decimals: decimals) })
  }

  static func percent(_ ratio: Double?) -> Inline { number(ratio.map { $0 * 100 }, 2) }

  static func time(nanoseconds: Double?) -> Inline {
    text(nanoseconds.map { ChartUnit.nanoseconds.value($0) })
  }

  static func bytes(_ value: Double?) -> Inline {
    text(value.flatMap { UInt64(exactly: $0.rounded()) }.map { NumberText.bytes($0) })
  }
}

/// A column of a table of `Row`s. Titles and cells are made from one list of columns, so they
/// always agree.
struct Column<Row> {
  let title: String
  let cell: (Row) -> Inline

  init(_ title: String, _ cell: @escaping (Row) -> Inline) {
    self.title = title
    self.cell = cell
  }
}

/// Renders blocks as text.
protocol Markup {
  func text(of block: Block) -> String
}

extension Markup {
  func text(of blocks: [Block]) -> String {
    blocks.map { text(of: $0) }.joined(separator: "\n\n") + "\n"
  }
}

struct ChartFigure: Sendable {
  /// The unique name in the report: letters, digits and hyphens.
  var name: String
  let chart: any Chart

  /// A chart with a name made of `words`, which are untrusted.
  init(_ words: [String], _ chart: any Chart) {
    name = Self.slug(words)
    self.chart = chart
  }

  var fileName: String { "charts/\(name).svg" }

  var file: ReportFile { ReportFile(name: fileName, text: chart.svg(ChartOptions(id: name))) }

  private static let nameMax = 80

  static func slug(_ words: [String]) -> String {
    var name = ""
    for character in words.joined(separator: "-").lowercased() {
      let isKept = character.isASCII && (character.isLetter || character.isNumber)
      if isKept { name.append(character) } else if !name.hasSuffix("-") { name.append("-") }
    }
    let trimmed = name.prefix(nameMax).drop { $0 == "-" }
    let end = trimmed.lastIndex { $0 != "-" }
    return end.map { String(trimmed[...$0]) } ?? "chart"
  }
}

extension [Block] {
  var figures: [ChartFigure] {
    flatMap { block -> [ChartFigure] in
      switch block {
      case .chart(let figure): [figure]
      case .fold(_, let blocks): blocks.figures
      default: []
      }
    }
  }

  /// The blocks with unique chart names: duplicates get a number. `taken` has the names of other
  /// charts.
  func withOwnNames(_ taken: inout Set<String>) -> [Block] {
    map { block in
      switch block {
      case .chart(var figure):
        let name = figure.name
        var number = 1
        while !taken.insert(figure.name).inserted {
          number += 1
          figure.name = "\(name)-\(number)"
        }
        return .chart(figure)
      case .fold(let title, let blocks): return .fold(title, blocks.withOwnNames(&taken))
      default: return block
      }
    }
  }

  /// The blocks with wide tables split, to fit a page without scrolling.
  var narrow: [Block] {
    flatMap { block -> [Block] in
      switch block {
      case .table(let table): table.parts.map { .table($0) }
      case .fold(let title, let blocks): [.fold(title, blocks.narrow)]
      default: [block]
      }
    }
  }
}
