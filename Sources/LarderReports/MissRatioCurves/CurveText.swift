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
      let knees = curve.knees.map { capacity(curve.points[$0].capacity, curve) }
      table.add([
        curve.policy, method(curve),
        curve.smallestCache.map {
          "\(share) of the best hit ratio from \(capacity($0, curve))"
        } ?? "no hits at any capacity",
        knees.isEmpty ? "" : "knee at \(knees.joined(separator: ", "))", error(curve),
      ])
    }
    var text = "\(TextSafety.singleLine(trace.facts.name)), miss ratio by capacity\n\n"
    text += picture.text() + "\n"
    for (number, line) in table.lines.enumerated() {
      text += "  \(picture.key(of: number)) \(line)\n"
    }
    if trace.curves.contains(where: { !$0.knees.isEmpty }) {
      text += "  \(picture.knee) knee: beyond it, capacity gains less\n"
    }
    return text
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

  private static func capacity(_ value: UInt64, _ curve: MissRatioCurve) -> String {
    NumberText.capacity(value, bytes: curve.unit == .bytes)
      + (curve.unit == .objects ? " objects" : "")
  }
}

/// Miss-ratio curves drawn with characters: miss ratio on the vertical axis, capacity on a
/// logarithmic horizontal axis.
///
/// Curves that colour can distinguish, and single curves, are drawn with braille dots, eight to a
/// character; else each curve has its own mark. Terminals without Unicode get ASCII only.
package struct CurvePicture: Sendable {
  /// The capabilities of a terminal.
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

  private let curves: [MissRatioCurve]
  private let terminal: Terminal
  private let columns: Int
  private let rows = 16
  private let low: Double
  private let high: Double

  package init(_ curves: [MissRatioCurve], on terminal: Terminal) {
    self.curves = curves
    self.terminal = terminal
    columns = max(20, min(terminal.width, 160) - Self.margin - 1)
    let capacities = curves.flatMap { $0.points.map(\.capacity) }
    low = DeterministicMath.log(Double(max(1, capacities.min() ?? 1)))
    high = DeterministicMath.log(Double(max(1, capacities.max() ?? 1)))
  }

  private static let margin = 7

  package func text() -> String {
    var canvas = CurveCanvas(columns: columns, rows: rows, hasDots: hasDots)
    for (number, curve) in curves.enumerated() { draw(curve, number, on: &canvas) }
    for (number, curve) in curves.enumerated() {
      for knee in curve.knees {
        let point = curve.points[knee]
        canvas.mark(
          column: Int(x(point.capacity) * Double(columns - 1)),
          row: Int((point.hitRatio * Double(rows - 1)).rounded()), series: number,
          with: self.knee)
      }
    }
    return lines(of: canvas).reduce(into: "") { $0 += $1 + "\n" }
  }

  package func key(of number: Int) -> String {
    let mark = hasDots ? (terminal.hasUnicode ? "━" : "-") : String(Self.mark(number, terminal))
    return coloured(mark, number)
  }

  /// The symbol of a knee.
  var knee: Character { terminal.hasUnicode ? "◉" : "@" }

  private var hasDots: Bool { terminal.hasUnicode && (terminal.hasColour || curves.count == 1) }

  /// The position of a capacity, from 0 to 1.
  private func x(_ capacity: UInt64) -> Double {
    guard high > low else { return 0.5 }
    return (DeterministicMath.log(Double(max(1, capacity))) - low) / (high - low)
  }

  private func draw(_ curve: MissRatioCurve, _ number: Int, on canvas: inout CurveCanvas) {
    let mark = Self.mark(number, terminal)
    let across = canvas.dotColumns - 1
    var before: (x: Double, y: Double)?
    for point in curve.points {
      let place = (x: x(point.capacity) * Double(across), y: point.hitRatio)
      let start = before ?? place
      let first = Int(start.x.rounded(.up))
      let last = Int(place.x.rounded())
      for column in min(first, last)...last {
        let share = place.x > start.x ? (Double(column) - start.x) / (place.x - start.x) : 1
        let height = start.y + (place.y - start.y) * min(1, max(0, share))
        canvas.dot(column: column, height: height, series: number, mark: mark)
      }
      before = place
    }
  }

  private func lines(of canvas: CurveCanvas) -> [String] {
    let upright = terminal.hasUnicode ? "┤" : "|"
    var lines: [String] = ["  miss ratio"]
    for row in 0..<rows {
      let isLabelled = row % 3 == 0
      let share = Double(row) / Double(rows - 1)
      let label = isLabelled ? Self.right("\(Int((100 - share * 100).rounded())) %", 6) : ""
      var line =
        Self.right(label, Self.margin - 1)
        + (isLabelled ? upright : terminal.hasUnicode ? "│" : "|")
      for column in 0..<columns {
        let (character, series) = canvas[column, row]
        line += series.map { coloured(String(character), $0) } ?? String(character)
      }
      lines.append(Self.trimmed(line))
    }
    return lines + axis()
  }

  private func axis() -> [String] {
    let corner = terminal.hasUnicode ? "└" : "+"
    let line = String(repeating: terminal.hasUnicode ? "─" : "-", count: columns)
    let unit = curves.first?.unit ?? .objects
    let count = max(2, min(6, columns / 14))
    var labels = String(repeating: " ", count: Self.margin)
    for tick in 0..<count {
      let share = Double(tick) / Double(count - 1)
      let capacity = DeterministicMath.exp(low + (high - low) * share).rounded()
      let label = ChartUnit(unit).tick(capacity)
      let centre = Self.margin + Int(share * Double(columns - 1))
      let start = min(centre - label.count / 2, Self.margin + columns - label.count)
      if start > labels.count || tick == 0 {
        labels += String(repeating: " ", count: max(0, start - labels.count)) + label
      }
    }
    let title = unit == .objects ? "capacity, objects" : "capacity"
    return [
      String(repeating: " ", count: Self.margin - 1) + corner + line, labels,
      Self.right(title, Self.margin + columns),
    ]
  }

  private func coloured(_ text: String, _ number: Int) -> String {
    guard terminal.hasColour else { return text }
    return "\u{1B}[\(Self.colours[number % Self.colours.count])m\(text)\u{1B}[0m"
  }

  private static let colours = ["34", "33", "32", "35", "31", "36", "94", "93", "92", "95"]

  private static func mark(_ number: Int, _ terminal: Terminal) -> Character {
    let marks = Array(terminal.hasUnicode ? "●○■□▲△◆◇" : "*o+x#=%&")
    return marks[number % marks.count]
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return line
  }
}

extension ChartUnit {
  init(_ unit: CapacityUnit) { self = unit == .objects ? .objects : .bytes }
}

/// A grid of characters, each belonging to at most one series. With dots, a character is two dots
/// wide and four high.
struct CurveCanvas {
  private struct Cell {
    var character: Character?
    var dots: UInt32 = 0
    var series: Int?
  }

  private let columns: Int
  private let rows: Int
  private let hasDots: Bool
  private var cells: [Cell]

  init(columns: Int, rows: Int, hasDots: Bool) {
    self.columns = columns
    self.rows = rows
    self.hasDots = hasDots
    cells = Array(repeating: Cell(), count: columns * rows)
  }

  var dotColumns: Int { hasDots ? columns * 2 : columns }

  /// The character at a position, and the series it belongs to; row 0 is at the top.
  subscript(column: Int, row: Int) -> (Character, Int?) {
    let cell = cells[row * columns + column]
    if let character = cell.character { return (character, cell.series) }
    guard cell.dots != 0, let scalar = Unicode.Scalar(0x2800 + cell.dots) else { return (" ", nil) }
    return (Character(scalar), cell.series)
  }

  /// Draws a dot of a series, or its mark if the canvas has no dots, at a hit ratio; hit ratio 0, a
  /// miss ratio of 1, is at the top. Cells drawn by an earlier series keep its colour and mark.
  mutating func dot(column: Int, height: Double, series: Int, mark: Character) {
    guard (0..<dotColumns).contains(column) else { return }
    let (across, down) = hasDots ? (2, 4) : (1, 1)
    let y = Int((min(1, max(0, height)) * Double(rows * down - 1)).rounded())
    let place = (y / down) * columns + column / across
    cells[place].series = cells[place].series ?? series
    if hasDots {
      // The bits of Unicode's braille patterns, by column and row.
      let bits: [[UInt32]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]
      cells[place].dots |= bits[column % 2][y % 4]
    } else {
      cells[place].character = cells[place].character ?? mark
    }
  }

  mutating func mark(column: Int, row: Int, series: Int, with character: Character) {
    guard (0..<columns).contains(column), (0..<rows).contains(row) else { return }
    cells[row * columns + column] = Cell(character: character, series: series)
  }
}
