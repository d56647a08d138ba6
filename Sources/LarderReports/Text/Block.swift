import LarderExperiments
import LarderSupport

enum Block {
  case heading(Int, [Inline])
  case paragraph([Inline])
  case list([[Inline]])
  case code(String)
  case table(Table)
  case chart(ChartFigure)
  case cards([AnswerCard])
  indirect case fold(String, [Block])
}

enum Inline: ExpressibleByStringLiteral, Hashable {
  case text(String)
  case strong(String)
  case code(String)

  init(stringLiteral value: String) { self = .text(value) }

  var plain: String {
    switch self {
    case .text(let text), .strong(let text), .code(let text): text
    }
  }
}

struct Table {
  var titles: [String]
  var rows: [[Inline]] = []

  init(titles: [String]) { self.titles = titles }

  static let columnsMax = 13

  var parts: [Table] {
    guard titles.count > Self.columnsMax else { return [self] }
    let columns = titles.count - 1
    let count = (columns + Self.columnsMax - 2) / (Self.columnsMax - 1)
    return (0..<count).map { number in
      // Column counts of the parts differ by at most one.
      let range = (1 + columns * number / count)..<(1 + columns * (number + 1) / count)
      var part = Table(titles: [titles[0]] + titles[range])
      part.rows = rows.map { [$0[0]] + $0[range] }
      return part
    }
  }

  static let none: Inline = "–"

  init<Row>(_ rows: some Sequence<Row>, _ columns: [Column<Row>]) {
    titles = columns.map(\.title)
    self.rows = rows.map { row in columns.map { $0.cell(row) } }
  }

  static func number(_ value: Double?, _ decimals: Int) -> Inline {
    value.flatMap { NumberText.fixed($0, decimals: decimals) }.map { .text($0) } ?? none
  }

  static func time(nanoseconds: Double?) -> Inline {
    nanoseconds.map { .text(ChartUnit.nanoseconds.value($0)) } ?? none
  }

  static func bytes(_ value: Double?) -> Inline {
    value.flatMap { UInt64(exactly: $0.rounded()) }.map { .text(NumberText.bytes($0)) } ?? none
  }
}

struct Column<Row> {
  let title: String
  let cell: (Row) -> Inline

  init(_ title: String, _ cell: @escaping (Row) -> Inline) {
    self.title = title
    self.cell = cell
  }
}

protocol Markup {
  func text(of block: Block) -> String
}

extension Markup {
  func text(of blocks: [Block]) -> String {
    blocks.map { text(of: $0) }.joined(separator: "\n\n") + "\n"
  }
}

struct ChartFigure: Sendable {
  var name: String
  let chart: any Chart

  /// A chart with a name made of `words`, which are untrusted.
  init(_ words: [String], _ chart: any Chart) {
    name = Self.slug(words)
    self.chart = chart
  }

  var fileName: String { "\(Self.folder)/\(name).svg" }

  static let folder = "charts"

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
  static func names(_ names: [Inline], last: String = " and ") -> [Inline] {
    names.enumerated().flatMap { number, name -> [Inline] in
      if number == 0 { return [name] }
      return [.text(number == names.count - 1 ? last : ", "), name]
    }
  }

  static func joined(_ parts: [[Inline]], _ separator: String) -> [Inline] {
    Array(parts.joined(separator: [.text(separator)]))
  }

  static func plain(_ parts: [Inline]) -> String { parts.map(\.plain).joined() }

  static func marked(_ text: String) -> [Inline] {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    guard !parts.count.isMultiple(of: 2) else { return [.text(text)] }
    return parts.enumerated().filter { !$0.element.isEmpty }.map { number, part in
      number.isMultiple(of: 2) ? .text(part) : .code(part)
    }
  }
}

extension NumberText {
  /// A capacity: bytes, or a number of objects without the word; "no limit" for one that no cache
  /// could reach.
  static func capacity(_ value: UInt64, bytes: Bool) -> String {
    guard bytes else { return grouped(value) }
    return value >= CapacitySpec.largestBytes ? "no limit" : self.bytes(value)
  }
}
