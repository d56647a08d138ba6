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
