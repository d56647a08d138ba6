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
