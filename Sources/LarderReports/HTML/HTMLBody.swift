/// The blocks of a report as sections of a page.
struct HTMLBody {
  private let markup: HTMLMarkup
  /// The folded sections, with their identifiers and titles for a table of contents.
  private(set) var contents: [(id: String, title: String)] = []
  private var isFirstFigure = true

  /// A page without sections yet.
  init(markup: HTMLMarkup) { self.markup = markup }

  /// Blocks in their order. A table that follows a chart belongs to it.
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

  /// A section that is opened by its title. A link to what is in it opens it, too.
  mutating func fold(_ title: String, _ blocks: [Block]) -> String {
    // A number, so that whatever sections are called, no two are one.
    let id = "section-\(contents.count + 1)"
    contents.append((id, title))
    isFirstFigure = true
    return "<details class=\"fold\"><summary><h2>\(XMLText.escaped(title))</h2></summary>\n"
      + "<section id=\"\(id)\">\n\(html(blocks))</section></details>"
  }

  /// A chart with its numbers, which are in sight below the first of a section.
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
