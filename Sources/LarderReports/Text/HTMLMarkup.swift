import LarderSupport

struct HTMLMarkup: Markup {
  var styles: PolicyStyles?
  var policies: Set<String> = []

  func text(of block: Block) -> String {
    switch block {
    case .heading(let level, let parts):
      return "<h\(level)>\(line(parts))</h\(level)>"
    case .paragraph(let parts):
      return "<p>\(line(parts))</p>"
    case .list(let items):
      return "<ul>" + items.map { "<li>\(line($0))</li>" }.joined(separator: "\n") + "</ul>"
    case .code(let text):
      return "<pre><code>\(Self.lines(text))</code></pre>"
    case .table(let table):
      return self.text(of: table)
    case .chart(let figure):
      return self.text(of: figure)
    case .cards(let cards):
      return "<div class=\"cards\">\(cards.map { text(of: $0) }.joined())</div>"
    case .fold(let title, let blocks):
      var body = HTMLBody(markup: self)
      return body.fold(title, blocks)
    }
  }

  private func text(of card: AnswerCard) -> String {
    let winner =
      card.policy.map { "\(mark($0))<code>\(XMLText.escaped($0))</code>" } ?? "any policy"
    let facts = card.facts.map { fact in
      "<div><dt>\(XMLText.escaped(fact.name))</dt><dd>\(XMLText.escaped(fact.value))</dd></div>"
    }
    return "<article class=\"card\"><h3>\(XMLText.escaped(card.title))</h3>\n"
      + "<p class=\"winner\">\(winner)</p>\n"
      + "<p class=\"standing\">\(XMLText.escaped(card.standing))</p>\n"
      + "<dl>\(facts.joined())</dl></article>\n"
  }

  func line(_ parts: [Inline]) -> String { parts.map { inline($0) }.joined() }

  private func inline(_ part: Inline) -> String {
    switch part {
    case .text(let text): XMLText.escaped(text)
    case .strong(let text): "<strong>\(XMLText.escaped(text))</strong>"
    case .code(let text): "<code>\(XMLText.escaped(text))</code>"
    }
  }

  private static func lines(_ text: String) -> String {
    TextSafety.printable(text).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { XMLText.escaped(String($0)) }.joined(separator: "\n")
  }

  private func text(of table: Table) -> String {
    let titles = table.titles.map { "<th scope=\"col\">\(XMLText.escaped($0))</th>" }
    var text =
      "<div class=\"scroll\"><table>\n<thead><tr>\(titles.joined())</tr></thead>\n<tbody>\n"
    for row in table.rows {
      let series = policy(row.first)
      text += "<tr"
      if let series { text += XMLText.attribute("data-series", series) }
      text += ">"
      for (column, cell) in row.enumerated() {
        let mark = column == 0 ? series.map { self.mark($0) } ?? "" : ""
        text +=
          column == 0
          ? "<th scope=\"row\">\(mark)\(inline(cell))</th>"
          : "<td\(Self.isName(cell) ? " class=\"text\"" : "")>\(inline(cell))</td>"
      }
      text += "</tr>\n"
    }
    return text + "</tbody></table></div>"
  }

  private static func isName(_ cell: Inline) -> Bool {
    if case .code = cell { true } else { false }
  }

  private func policy(_ name: Inline?) -> String? {
    guard let text = name?.plain else { return nil }
    if policies.contains(text) { return text }
    let bare = text.lastIndex(of: "(").map { String(text[..<$0].dropLast()) }
    return bare.flatMap { policies.contains($0) ? $0 : nil }
  }

  func mark(_ policy: String) -> String {
    guard let style = styles?[policy] else { return "" }
    var canvas = SVGCanvas(isStyled: true)
    canvas.polyline([(0, 6), (22, 6)], className: "l", dash: style.dash)
    canvas.marker(style, 11, 6)
    return "<svg class=\"mark \(style.colour.className)\" width=\"22\" height=\"12\""
      + " viewBox=\"0 0 22 12\" aria-hidden=\"true\">\(canvas.content)</svg>"
  }

  private func text(of figure: ChartFigure) -> String {
    let title = XMLText.escaped(figure.chart.title)
    return "<figcaption>\(XMLText.escaped(figure.chart.caption))</figcaption>\n"
      + "<div class=\"plot\" role=\"group\" aria-label=\"\(title)\">\n"
      + figure.chart.svg(ChartOptions(id: figure.name, isFile: false)) + "</div>"
  }
}

struct HTMLBody {
  private let markup: HTMLMarkup
  private(set) var contents: [(id: String, title: String)] = []
  private var isFirstFigure = true

  init(markup: HTMLMarkup) { self.markup = markup }

  /// Renders blocks in order. A table that follows a chart belongs to it.
  mutating func html(_ blocks: [Block]) -> String {
    var html = ""
    var index = blocks.startIndex
    while index < blocks.endIndex {
      switch blocks[index] {
      case .fold(let title, let blocks):
        html += fold(title, blocks) + "\n"
      case .chart(let figure):
        var tables: [Block] = []
        while index + 1 < blocks.endIndex, case .table = blocks[index + 1] {
          index += 1
          tables.append(blocks[index])
        }
        html += self.figure(figure, tables)
      default:
        html += markup.text(of: blocks[index]) + "\n"
      }
      index += 1
    }
    return html
  }

  mutating func fold(_ title: String, _ blocks: [Block]) -> String {
    // Numbers make identifiers unique whatever the titles are.
    let id = "section-\(contents.count + 1)"
    contents.append((id, title))
    isFirstFigure = true
    return "<details class=\"fold\"><summary><h2>\(XMLText.escaped(title))</h2></summary>\n"
      + "<section id=\"\(id)\">\n\(html(blocks))</section></details>"
  }

  private mutating func figure(_ figure: ChartFigure, _ tables: [Block]) -> String {
    var html = "<figure id=\"figure-\(figure.name)\">\n\(markup.text(of: .chart(figure)))\n"
    if !tables.isEmpty {
      html += "<details\(isFirstFigure ? " open" : "")><summary>Data</summary>\n"
      html += tables.map { markup.text(of: $0) }.joined(separator: "\n") + "\n</details>\n"
      isFirstFigure = false
    }
    return html + "</figure>\n"
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
