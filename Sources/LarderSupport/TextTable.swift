/// Columns of text, aligned: the first to the left, numbers to the right.
package struct TextTable {
  private var rows: [[String]] = []
  private let alignsRight: [Bool]

  package init(alignsRight: [Bool]) { self.alignsRight = alignsRight }

  package mutating func add(_ cells: [String]) { rows.append(cells) }

  package var lines: [String] {
    let widths = alignsRight.indices.map { column in
      rows.map { $0[column].count }.max() ?? 0
    }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        line += (column == 0 ? "" : "  ") + (alignsRight[column] ? padding + cell : cell + padding)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
