/// The sections of a page, from the blocks of a report.
struct HTMLBody {
  private let markup: HTMLMarkup
  /// The sections, with their identifiers and titles for a table of contents.
  private(set) var contents: [(id: String, title: String)] = []
  /// The sections.
  private(set) var html = ""
  private var isFirstFigure = true

  /// Turns blocks into sections: a heading of the second level begins one. A table that follows a
  /// chart belongs to it.
  init(_ blocks: [Block], markup: HTMLMarkup) {
    self.markup = markup
    var index = blocks.startIndex
    while index < blocks.endIndex {
      switch blocks[index] {
      case .heading(2, let parts):
        begin(parts)
      case .chart(let figure):
        var tables: [Block] = []
        while index + 1 < blocks.endIndex, case .table = blocks[index + 1] {
          index += 1
          tables.append(blocks[index])
        }
        add(figure, tables)
      default:
        html += markup.text(of: blocks[index]) + "\n"
      }
      index += 1
    }
    if !contents.isEmpty { html += "</section>\n" }
  }

  private mutating func begin(_ parts: [Inline]) {
    if !contents.isEmpty { html += "</section>\n" }
    let title = parts.map(\.plain).joined()
    // A number, so that whatever sections are called, no two are one.
    let id = "section-\(contents.count + 1)"
    contents.append((id, title))
    html += "<section id=\"\(id)\">\n" + markup.text(of: .heading(2, parts)) + "\n"
    isFirstFigure = true
  }

  /// A chart with its numbers, which are in sight below the first of a section.
  private mutating func add(_ figure: ChartFigure, _ tables: [Block]) {
    html += "<figure id=\"figure-\(figure.name)\">\n\(markup.text(of: .chart(figure)))\n"
    if !tables.isEmpty {
      html += "<details\(isFirstFigure ? " open" : "")><summary>Data</summary>\n"
      html += tables.map { markup.text(of: $0) }.joined(separator: "\n") + "\n</details>\n"
      isFirstFigure = false
    }
    html += "</figure>\n"
  }
}
