import LarderSupport

/// Blocks as HTML. All untrusted text passes through `XMLText`.
struct HTMLMarkup: Markup {
  var styles: PolicyStyles?
  var policies: Set<String> = []

  func text(of block: Block) -> String {
    switch block {
    case .heading(let level, let line): "<h\(level)>\(text(of: line))</h\(level)>"
    case .paragraph(let line): "<p>\(text(of: line))</p>"
    case .list(let items):
      "<ul>" + items.map { "<li>\(text(of: $0))</li>" }.joined(separator: "\n") + "</ul>"
    case .code(let text): "<pre><code>\(Self.lines(text))</code></pre>"
    case .table(let table): text(of: table)
    case .chart(let figure): text(of: figure)
    case .fold: html([block])
    }
  }

  private func text(of line: Line) -> String { line.parts.map(inline).joined() }

  private func inline(_ part: Inline) -> String {
    let text = XMLText.escaped(part.plain)
    return switch part {
    case .text, .number: text
    case .strong: "<strong>\(text)</strong>"
    case .code: "<code>\(text)</code>"
    }
  }

  private static func lines(_ text: String) -> String {
    TextSafety.printable(text).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { XMLText.escaped(String($0)) }.joined(separator: "\n")
  }

  private func text(of table: Table) -> String {
    // End tags of cells and rows are left out, as HTML allows.
    let titles = table.titles.map { "<th>\(XMLText.escaped($0))" }
    let rows = table.rows.map { row in
      let cells = row.dropFirst().map { cell -> String in
        let isCode = if case .code = cell { true } else { false }
        return "<td\(isCode ? " class=\"text\"" : "")>\(inline(cell))"
      }
      let style = policy(row[0].plain).map(mark) ?? ""
      return "<tr><th>\(style)\(inline(row[0]))\(cells.joined())\n"
    }
    return "<div class=\"scroll\"><table>\n<thead><tr>\(titles.joined())</thead>\n<tbody>\n"
      + rows.joined() + "</tbody></table></div>"
  }

  /// The policy of a row, if any; the text after a bound's name is ignored.
  private func policy(_ text: String) -> String? {
    if policies.contains(text) { return text }
    let bare = text.lastIndex(of: "(").map { String(text[..<$0].dropLast()) }
    return bare.flatMap { policies.contains($0) ? $0 : nil }
  }

  func mark(_ policy: String) -> String {
    guard let style = styles?[policy] else { return "" }
    var canvas = SVGCanvas(isStyled: true)
    canvas.polyline([(0, 6), (22, 6)], className: "l", dash: style.dash)
    canvas.marker(style, 11, 6)
    return "<svg class=\"mark \(style.colour.className)\">\(canvas.content)</svg>"
  }

  private func text(of figure: ChartFigure) -> String {
    let title = XMLText.escaped(figure.chart.title)
    return "<figcaption>\(XMLText.escaped(figure.chart.caption))</figcaption>\n"
      + "<div class=\"plot\" role=\"group\" aria-label=\"\(title)\">\n"
      + figure.chart.svg(ChartOptions(id: figure.name, isFile: false)) + "</div>"
  }

  /// The blocks in order; sections that a reader opens are numbered. Tables that follow a chart
  /// belong to it: they are unfolded below the first chart.
  func html(_ blocks: [Block]) -> String {
    var html = ""
    var sections = 0
    var hasFigure = false
    var rest = blocks[...]
    while let block = rest.popFirst() {
      switch block {
      case .fold(let title, let blocks):
        sections += 1
        html += "<details class=\"fold\"><summary><h2>\(XMLText.escaped(title))</h2></summary>\n"
        html += "<section id=\"section-\(sections)\">\n\(self.html(blocks))</section></details>\n"
      case .chart(let figure):
        let tables = rest.prefix { if case .table = $0 { true } else { false } }
        rest = rest.dropFirst(tables.count)
        html += "<figure id=\"figure-\(figure.name)\">\n\(text(of: block))\n"
        if !tables.isEmpty {
          html += "<details\(hasFigure ? "" : " open")><summary>Data</summary>\n"
          html += tables.map { text(of: $0) }.joined(separator: "\n") + "\n</details>\n"
          hasFigure = true
        }
        html += "</figure>\n"
      default: html += text(of: block) + "\n"
      }
    }
    return html
  }
}

/// Text for HTML, SVG and XML: the one place that escapes untrusted text for them.
///
/// The output is valid as text and as a quoted attribute, in HTML and in XML. It must never be put
/// inside `<script>` or `<style>`: both are constants.
package enum XMLText {
  package static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in TextSafety.singleLine(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "`": result += "&#96;"
      case "\t": result += " "
      // Noncharacters, which XML does not allow.
      case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  package static func attribute(_ name: StaticString, _ value: String) -> String {
    " \(name)=\"\(escaped(value))\""
  }
}
