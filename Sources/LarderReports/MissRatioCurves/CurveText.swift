import LarderEngine
import LarderExperiments
import LarderSupport

/// Miss-ratio curves for a terminal: a picture, and the findings in words.
package enum CurveText {
  package static func text(
    of traces: [TraceCurves], share: Share, on terminal: CurvePicture.Terminal
  ) -> String {
    traces.map { text(of: $0, share: share, on: terminal) }.joined(separator: "\n")
  }

  private static func text(
    of trace: TraceCurves, share: Share, on terminal: CurvePicture.Terminal
  ) -> String {
    let picture = CurvePicture(trace.curves, on: terminal)
    var table = TextTable(alignsRight: Array(repeating: false, count: 5))
    for curve in trace.curves {
      let knees = curve.knees.map { NumberText.capacity(curve.points[$0].capacity, curve.unit) }
      let smallest = curve.smallestCache.map { NumberText.capacity($0, curve.unit) }
      table.add([
        curve.policy, method(curve),
        smallest.map { "\(share) of the best hit ratio from \($0)" } ?? "no hits at any capacity",
        knees.isEmpty ? "" : "knee at \(knees.joined(separator: ", "))", error(curve),
      ])
    }
    let title = "\(TextSafety.singleLine(trace.facts.name)), miss ratio by capacity\n\n"
    let rows = table.lines.enumerated().map { "  \(picture.key(of: $0)) \($1)\n" }
    let hasKnees = trace.curves.contains { !$0.knees.isEmpty }
    return title + picture.text() + "\n" + rows.joined()
      + (hasKnees ? "  \(picture.knee) knee: beyond it, capacity gains less\n" : "")
  }

  private static func method(_ curve: MissRatioCurve) -> String {
    guard let objects = curve.sampledObjects, let rate = curve.rate else {
      return curve.method.rawValue
    }
    return "\(curve.method.rawValue) of \(NumberText.grouped(UInt64(objects))) objects "
      + "(\(NumberText.fixed(rate * 100, decimals: 3) ?? "") %)"
  }

  /// The error of an estimate in points: measured, or its standard error.
  private static func error(_ curve: MissRatioCurve) -> String {
    func points(_ value: Double) -> String { NumberText.fixed(value * 100, decimals: 2) ?? "" }
    let measured = curve.measuredError.map {
      "; measured \(points($0.mean)), at most \(points($0.largest))"
    }
    return curve.meanStandardError.map {
      "standard error \(points($0)) points\(measured ?? "")"
    } ?? ""
  }
}

/// Miss-ratio curves drawn with characters. Curves that colour can distinguish, and single curves,
/// are drawn with braille dots, eight to a character; else each curve has its own mark.
package struct CurvePicture {
  package struct Terminal: Sendable, Hashable {
    package var width: Int
    package var hasColour: Bool
    package var hasUnicode: Bool

    package init(width: Int = 80, hasColour: Bool = false, hasUnicode: Bool = true) {
      self.width = width
      self.hasColour = hasColour
      self.hasUnicode = hasUnicode
    }
  }

  /// A character, which belongs to at most one series.
  private struct Cell {
    var character: Character?
    var dots: UInt32 = 0
    var series: Int?
  }

  private static let margin = 7
  private static let rows = 16

  private let curves: [MissRatioCurve]
  private let terminal: Terminal
  private let columns: Int
  private let hasDots: Bool
  private let x: ChartScale
  private let y: ChartScale
  private var cells: [[Cell]]

  package init(_ curves: [MissRatioCurve], on terminal: Terminal) {
    self.curves = curves
    self.terminal = terminal
    columns = max(20, min(terminal.width, 160) - Self.margin - 1)
    hasDots = terminal.hasUnicode && (terminal.hasColour || curves.count == 1)
    let axis = ChartAxis(
      title: "", unit: ChartUnit(curves.first?.unit ?? .objects), isLogarithmic: true)
    x = ChartScale(
      axis, values: curves.flatMap(\.points).map { Double($0.capacity) }, from: 0,
      to: Double(columns * (hasDots ? 2 : 1) - 1), count: max(2, min(6, columns / 14)))
    y = ChartScale(
      ChartAxis(title: "", unit: .percent, range: 0...1), values: [], from: 0,
      to: Double(Self.rows * (hasDots ? 4 : 1) - 1))
    cells = Array(repeating: Array(repeating: Cell(), count: columns), count: Self.rows)
    for (number, curve) in curves.enumerated() { draw(curve, number) }
    for (number, curve) in curves.enumerated() {
      for knee in curve.knees.map({ curve.points[$0] }) {
        let (column, row) = place(
          Int(x.place(Double(knee.capacity)).rounded()), knee.hitRatio)
        cells[row][column] = Cell(character: self.knee, series: number)
      }
    }
  }

  package func text() -> String {
    let bar = terminal.hasUnicode ? ["┤", "│", "└", "─"] : ["|", "|", "+", "-"]
    var lines = ["  miss ratio"]
    for (row, cells) in cells.enumerated() {
      let share = Double(row) / Double(Self.rows - 1)
      let label = "\(Int((100 - share * 100).rounded())) %"
      let isLabelled = row.isMultiple(of: 3)
      lines.append(
        Self.right(isLabelled ? label : "", Self.margin - 1) + bar[isLabelled ? 0 : 1]
          + cells.map { text(of: $0) }.joined())
    }
    var labels = String(repeating: " ", count: Self.margin)
    for tick in x.ticks {
      let centre = Self.margin + Int(x.place(tick.value)) / (hasDots ? 2 : 1)
      let start = min(centre - tick.label.count / 2, Self.margin + columns - tick.label.count)
      if start > labels.count || labels.allSatisfy({ $0 == " " }) {
        labels += String(repeating: " ", count: max(0, start - labels.count)) + tick.label
      }
    }
    let unit = curves.first?.unit ?? .objects
    lines += [
      Self.right(bar[2], Self.margin) + String(repeating: bar[3], count: columns), labels,
      Self.right(unit == .objects ? "capacity, objects" : "capacity", Self.margin + columns),
    ]
    return lines.reduce(into: "") { text, line in
      text += line
      while text.last == " " { text.removeLast() }
      text += "\n"
    }
  }

  package func key(of number: Int) -> String {
    coloured(hasDots ? (terminal.hasUnicode ? "━" : "-") : String(mark(number)), number)
  }

  var knee: Character { terminal.hasUnicode ? "◉" : "@" }

  private mutating func draw(_ curve: MissRatioCurve, _ number: Int) {
    var before: (x: Double, y: Double)?
    for point in curve.points {
      let place = (x: x.place(Double(point.capacity)), y: point.hitRatio)
      let start = before ?? place
      let last = Int(place.x.rounded())
      for column in min(Int(start.x.rounded(.up)), last)...last {
        let share = place.x > start.x ? (Double(column) - start.x) / (place.x - start.x) : 1
        dot(column, start.y + (place.y - start.y) * min(1, max(0, share)), number)
      }
      before = place
    }
  }

  private func place(_ across: Int, _ hitRatio: Double) -> (column: Int, row: Int) {
    let down = Int(y.place(hitRatio).rounded())
    return hasDots ? (across / 2, down / 4) : (across, down)
  }

  /// Draws a dot of a series, or its mark, at a hit ratio; hit ratio 0, a miss ratio of 1, is at
  /// the top. Cells drawn by an earlier series keep its colour and mark.
  private mutating func dot(_ across: Int, _ hitRatio: Double, _ series: Int) {
    let (column, row) = place(across, hitRatio)
    cells[row][column].series = cells[row][column].series ?? series
    if hasDots {
      // The bits of Unicode's braille patterns, by column and row.
      let bits: [[UInt32]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]
      cells[row][column].dots |= bits[across % 2][Int(y.place(hitRatio).rounded()) % 4]
    } else {
      cells[row][column].character = cells[row][column].character ?? mark(series)
    }
  }

  private func text(of cell: Cell) -> String {
    let dots = cell.dots == 0 ? nil : Unicode.Scalar(0x2800 + cell.dots).map { Character($0) }
    let text = String(cell.character ?? dots ?? " ")
    return cell.series.map { coloured(text, $0) } ?? text
  }

  private func coloured(_ text: String, _ number: Int) -> String {
    let colours = ["34", "33", "32", "35", "31", "36", "94", "93", "92", "95"]
    guard terminal.hasColour else { return text }
    return "\u{1B}[\(colours[number % colours.count])m\(text)\u{1B}[0m"
  }

  private func mark(_ number: Int) -> Character {
    let marks = Array(terminal.hasUnicode ? "●○■□▲△◆◇" : "*o+x#=%&")
    return marks[number % marks.count]
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
