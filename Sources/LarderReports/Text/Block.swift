import LarderExperiments
import LarderSupport

/// A piece of a report, before it is put into a markup.
enum Block {
  /// A heading; 1 is the title.
  case heading(Int, [Inline])
  /// Running text.
  case paragraph([Inline])
  /// A list of items.
  case list([[Inline]])
  /// A command or a file's text, shown as it is.
  case code(String)
  /// A table.
  case table(Table)
  /// A chart; what a reader needs of it as text is in its caption and in the table that follows.
  case chart(ChartFigure)
  /// What each configuration comes to, at a glance.
  case cards([AnswerCard])
  /// Blocks that a reader opens by their title.
  indirect case fold(String, [Block])
}

/// A piece of running text.
enum Inline: ExpressibleByStringLiteral, Hashable {
  /// Plain text: a markup escapes it.
  case text(String)
  /// Emphasised text.
  case strong(String)
  /// A name to be typed: a policy, a file, a command.
  case code(String)

  /// Plain text.
  init(stringLiteral value: String) { self = .text(value) }

  /// The bare text.
  var plain: String {
    switch self {
    case .text(let text), .strong(let text), .code(let text): text
    }
  }
}

/// A table: a line of titles and lines of cells, of which the first names its line.
struct Table {
  /// The titles. The first column holds names, the others numbers.
  var titles: [String]
  /// The lines, each as long as `titles`.
  var rows: [[Inline]] = []

  /// A table without lines yet.
  init(titles: [String]) { self.titles = titles }

  /// The most columns that a reader sees beside each other.
  static let columnsMax = 13

  /// The table as several where it has too many columns: each begins with the names of the lines.
  var parts: [Table] {
    guard titles.count > Self.columnsMax else { return [self] }
    let columns = titles.count - 1
    let count = (columns + Self.columnsMax - 2) / (Self.columnsMax - 1)
    return (0..<count).map { number in
      // As even as can be: no part has a column more than another but by one.
      let range = (1 + columns * number / count)..<(1 + columns * (number + 1) / count)
      var part = Table(titles: [titles[0]] + titles[range])
      part.rows = rows.map { [$0[0]] + $0[range] }
      return part
    }
  }

  /// What stands in a cell without a value.
  static let none: Inline = "–"
}

/// A way to write blocks down: Markdown, and whatever follows.
protocol Markup {
  /// One block, without an empty line after it.
  func text(of block: Block) -> String
}

extension Markup {
  /// All blocks, with an empty line between them and a line feed at the end.
  func text(of blocks: [Block]) -> String {
    blocks.map { text(of: $0) }.joined(separator: "\n\n") + "\n"
  }
}

/// A chart in its place in a report.
struct ChartFigure: Sendable {
  /// Its name among the charts of the report: letters, digits and hyphens.
  var name: String
  /// The chart.
  let chart: any Chart

  /// A chart and the words that its name is made of, which may come from anywhere.
  init(_ words: [String], _ chart: any Chart) {
    name = Self.slug(words)
    self.chart = chart
  }

  /// Where the file is, as seen from the report.
  var fileName: String { "\(Self.folder)/\(name).svg" }

  /// Where the files are, as seen from the report.
  static let folder = "charts"

  /// The longest name, without what tells equal ones apart.
  private static let nameMax = 80

  /// Words as a name that means nothing to a file system, an address or a markup.
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
  /// The charts among the blocks, in their order.
  var figures: [ChartFigure] {
    flatMap { block -> [ChartFigure] in
      switch block {
      case .chart(let figure): [figure]
      case .fold(_, let blocks): blocks.figures
      default: []
      }
    }
  }

  /// The blocks with every chart's name its own: later ones have a number. `taken` are the names
  /// that others have.
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

  /// The blocks with tables that are too wide to be read as several, each with the names of the
  /// lines.
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

extension Inline {
  /// Names in a sentence: `a`, `a and b`, `a, b and c`.
  static func names(_ names: [Inline], last: String = " and ") -> [Inline] {
    names.enumerated().flatMap { number, name -> [Inline] in
      if number == 0 { return [name] }
      return [.text(number == names.count - 1 ? last : ", "), name]
    }
  }

  /// Parts of a line with something between them.
  static func joined(_ parts: [[Inline]], _ separator: String) -> [Inline] {
    Array(parts.joined(separator: [.text(separator)]))
  }

  /// The bare text of a line.
  static func plain(_ parts: [Inline]) -> String { parts.map(\.plain).joined() }

  /// A text in which names stand between backticks, as documentation has them.
  static func marked(_ text: String) -> [Inline] {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    guard !parts.count.isMultiple(of: 2) else { return [.text(text)] }
    return parts.enumerated().filter { !$0.element.isEmpty }.map { number, part in
      number.isMultiple(of: 2) ? .text(part) : .code(part)
    }
  }
}

extension NumberText {
  /// A capacity: bytes, or a number of objects without the word; what no cache could fill is none.
  static func capacity(_ value: UInt64, bytes: Bool) -> String {
    guard bytes else { return grouped(value) }
    return value >= CapacitySpec.largestBytes ? "no limit" : self.bytes(value)
  }
}
