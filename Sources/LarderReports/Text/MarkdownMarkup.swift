import LarderSupport

/// Markdown for GitHub and CommonMark. Untrusted text cannot end a table cell, begin a block, make
/// a link or become HTML.
struct MarkdownMarkup: Markup {
  func text(of block: Block) -> String {
    switch block {
    case .heading(let level, let parts):
      return String(repeating: "#", count: level) + " " + line(parts)
    case .paragraph(let parts):
      return line(parts)
    case .list(let items):
      return items.map { "- " + line($0) }.joined(separator: "\n")
    case .code(let text):
      return fenced(text)
    case .table(let table):
      return text(of: table)
    case .chart(let figure):
      let words = "\(figure.chart.title). \(figure.chart.caption)"
      return "![\(Self.escaped(words))](\(figure.fileName))"
    case .cards(let cards):
      return text(of: cards.table)
    case .fold(let title, let blocks):
      // HTML lasts until the empty line, so the title is escaped for HTML.
      let content = blocks.map { text(of: $0) }.joined(separator: "\n\n")
      return "<details>\n<summary><strong>\(XMLText.escaped(title))</strong></summary>\n\n"
        + "\(content)\n\n</details>"
    }
  }

  private func text(of table: Table) -> String {
    let titles = table.titles.map { cell(.text($0)) }
    let rule = table.titles.indices.map { $0 == 0 ? ":--" : "--:" }
    let rows = table.rows.map { $0.map { cell($0) } }
    return ([titles, rule] + rows).map { "| \($0.joined(separator: " | ")) |" }
      .joined(separator: "\n")
  }

  private func cell(_ part: Inline) -> String {
    switch part {
    // Not every renderer accepts a pipe in a code span inside a table.
    case .code(let text) where text.unicodeScalars.contains("|"): Self.escaped(text)
    default: inline(part)
    }
  }

  private func line(_ parts: [Inline]) -> String {
    // Text can begin a list or a heading only at the start of a line; indented it would be code.
    let text = parts.map { inline($0) }.joined()
    return Self.escapingStart(String(text.drop { $0.isWhitespace }))
  }

  private func inline(_ part: Inline) -> String {
    switch part {
    case .text(let text): Self.escaped(text)
    case .strong(let text): "**\(Self.escaped(text))**"
    case .code(let text): Self.codeSpan(text)
    }
  }

  static func codeSpan(_ text: String) -> String {
    let text = TextSafety.singleLine(text)
    let fence = String(repeating: "`", count: longestRun(of: "`", in: text) + 1)
    let needsPadding =
      text.isEmpty || text.unicodeScalars.first == "`" || text.unicodeScalars.last == "`"
      || (text.unicodeScalars.first == " " && text.unicodeScalars.last == " ")
    return needsPadding ? "\(fence) \(text) \(fence)" : fence + text + fence
  }

  private func fenced(_ text: String) -> String {
    let text = TextSafety.printable(text)
    let fence = String(repeating: "`", count: max(3, Self.longestRun(of: "`", in: text) + 1))
    return "\(fence)\n\(text)\n\(fence)"
  }

  /// Text without any meaning to Markdown, which reads scalars: a mark that combines with `|` does
  /// not hide it.
  static func escaped(_ text: String) -> String {
    var result = ""
    let scalars = Array(TextSafety.singleLine(text).unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\\", "`", "*", "_", "[", "]", "|", "#", "~", "$", "@": result += "\\\(scalar)"
      // GitHub turns bare URLs into links.
      case ":" where scalars[index...].starts(with: "://".unicodeScalars): result += "\\:"
      case "." where scalars[..<index].suffix(3).elementsEqual("www".unicodeScalars):
        result += "\\."
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func escapingStart(_ text: String) -> String {
    guard let first = text.first else { return text }
    if "+-=".contains(first) { return "\\" + text }
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty, let next = text.dropFirst(digits.count).first, ".)".contains(next)
    else { return text }
    return "\(digits)\\\(text.dropFirst(digits.count))"
  }

  private static func longestRun(of wanted: Unicode.Scalar, in text: String) -> Int {
    var longest = 0
    var run = 0
    for scalar in text.unicodeScalars {
      run = scalar == wanted ? run + 1 : 0
      longest = max(longest, run)
    }
    return longest
  }
}

struct PlainMarkup: Markup {
  var colour = false

  func text(of block: Block) -> String {
    switch block {
    case .heading(_, let parts), .paragraph(let parts): line(parts)
    case .list(let items): items.map { "- " + line($0) }.joined(separator: "\n")
    case .code(let text):
      TextSafety.printable(text).split(separator: "\n", omittingEmptySubsequences: false)
        .map { "    \($0)" }.joined(separator: "\n")
    case .chart(let figure): line([.text("\(figure.chart.title). \(figure.chart.caption)")])
    case .cards(let cards): text(of: .table(cards.table))
    case .fold(let title, let blocks):
      ([.heading(2, [.text(title)])] + blocks).map { text(of: $0) }.joined(separator: "\n\n")
    case .table(let table): String(ComparisonTable.aligned(table, colour).dropLast())
    }
  }

  private func line(_ parts: [Inline]) -> String {
    TextSafety.singleLine(parts.map(\.plain).joined())
  }
}
