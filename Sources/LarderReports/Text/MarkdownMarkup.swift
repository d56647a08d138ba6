import LarderSupport

/// Markdown for GitHub and CommonMark. Untrusted text cannot end a table cell, begin a block, make
/// a link or become HTML.
struct MarkdownMarkup: Markup {
  func text(of block: Block) -> String {
    switch block {
    case .heading(let level, let line): String(repeating: "#", count: level) + " " + text(of: line)
    case .paragraph(let line): text(of: line)
    case .list(let items): items.map { "- " + text(of: $0) }.joined(separator: "\n")
    case .code(let text): fenced(text)
    case .table(let table): text(of: table)
    case .chart(let figure):
      "![\(Self.escaped("\(figure.chart.title). \(figure.chart.caption)"))](\(figure.fileName))"
    // HTML lasts until the empty line, so the title is escaped for HTML.
    case .fold(let title, let blocks):
      "<details>\n<summary><strong>\(XMLText.escaped(title))</strong></summary>\n\n"
        + text(of: blocks) + "\n</details>"
    }
  }

  private func text(of table: Table) -> String {
    let titles = table.titles.map { cell(.text($0)) }
    let rule = table.titles.indices.map { $0 == 0 ? ":--" : "--:" }
    return ([titles, rule] + table.rows.map { $0.map(cell) })
      .map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
  }

  private func cell(_ part: Inline) -> String {
    // Not every renderer accepts a pipe in a code span inside a table.
    part.plain.unicodeScalars.contains("|") ? Self.escaped(part.plain) : inline(part)
  }

  private func text(of line: Line) -> String {
    // Text can begin a list or a heading only at the start of a line; indented it would be code.
    let text = line.parts.map(inline).joined()
    return Self.escapingStart(String(text.drop { $0.isWhitespace }))
  }

  private func inline(_ part: Inline) -> String {
    switch part {
    case .text(let text), .number(let text): Self.escaped(text)
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

/// Blocks as plain text for a terminal or a log. Strong cells of a table are between asterisks.
struct PlainMarkup: Markup {
  var colour = false

  func text(of block: Block) -> String {
    switch block {
    case .heading(_, let line), .paragraph(let line): text(of: line)
    case .list(let items): items.map { "- " + text(of: $0) }.joined(separator: "\n")
    case .code(let text):
      TextSafety.printable(text).split(separator: "\n", omittingEmptySubsequences: false)
        .map { "    \($0)" }.joined(separator: "\n")
    case .chart(let figure):
      TextSafety.singleLine("\(figure.chart.title). \(figure.chart.caption)")
    case .fold(let title, let blocks):
      ([.heading(2, Line(text: title))] + blocks).map { text(of: $0) }.joined(separator: "\n\n")
    case .table(let table): table.parts.map(text).joined(separator: "\n")
    }
  }

  func text(of line: Line) -> String { TextSafety.singleLine(line.plain) }

  private func text(of table: Table) -> String {
    let lines = [table.titles.map { Inline.text($0) }] + table.rows
    let cells = lines.map { line in
      // A heading row has no best value.
      let isHeading = line.dropFirst().allSatisfy { $0.plain.isEmpty }
      return line.map { part in
        let text = TextSafety.singleLine(part.plain)
        return !isHeading && part.isStrong ? "*\(text)*" : text
      }
    }
    let widths = table.titles.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    return zip(lines, cells).map { line, cells in
      var row = ""
      for (column, cell) in cells.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        // Colour codes have no width, so they are added after padding.
        let marked = colour && line[column].isStrong ? "\u{1B}[1;32m\(cell)\u{1B}[0m" : cell
        row += column == 0 ? marked + padding : "  " + padding + marked
      }
      while row.last == " " { row.removeLast() }
      return row
    }.joined(separator: "\n")
  }
}

extension Inline {
  fileprivate var isStrong: Bool { if case .strong = self { true } else { false } }
}
