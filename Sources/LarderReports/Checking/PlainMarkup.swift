import LarderSystem

/// Blocks as plain text for a terminal or a log.
struct PlainMarkup: Markup {
  /// Whether what is emphasised is shown in colour, too.
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
