import LarderEngine
import LarderSimulation

/// Miss-ratio curves drawn with characters: the miss ratio upwards, the capacity, each step a
/// multiplication, across.
///
/// Where lines can be told apart by colour, or there is one alone, they are made of braille dots,
/// eight to a character; elsewhere each has a mark of its own. Where a terminal has no more than
/// ASCII, nothing else is drawn.
package struct CurvePicture: Sendable {
  /// What a terminal can show.
  package struct Terminal: Sendable, Hashable {
    /// Characters in a line.
    package var width: Int
    /// Whether it obeys colours.
    package var hasColour: Bool
    /// Whether it shows more than ASCII.
    package var hasUnicode: Bool

    /// A terminal; see the properties for the meaning of each part.
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

  /// A picture of curves over the same trace and unit.
  package init(_ curves: [MissRatioCurve], on terminal: Terminal) {
    self.curves = curves
    self.terminal = terminal
    columns = max(20, min(terminal.width, 160) - Self.margin - 1)
    let capacities = curves.flatMap { $0.points.map(\.capacity) }
    low = DeterministicMath.log(Double(max(1, capacities.min() ?? 1)))
    high = DeterministicMath.log(Double(max(1, capacities.max() ?? 1)))
  }

  /// Characters to the left of the drawing.
  private static let margin = 7

  /// The picture, with a line feed at the end of each line.
  package func text() -> String {
    var canvas = CurveCanvas(columns: columns, rows: rows, hasDots: hasDots)
    for (number, curve) in curves.enumerated() { draw(curve, number, on: &canvas) }
    for (number, curve) in curves.enumerated() {
      for knee in curve.knees {
        let point = curve.points[knee]
        canvas.mark(
          column: Int(x(point.capacity) * Double(columns - 1)),
          row: Int((point.hitRatio * Double(rows - 1)).rounded()), series: number,
          with: terminal.hasUnicode ? "◉" : "@")
      }
    }
    return lines(of: canvas).reduce(into: "") { $0 += $1 + "\n" }
  }

  /// What stands for a curve in the picture, for a legend.
  package func key(of number: Int) -> String {
    let mark = hasDots ? (terminal.hasUnicode ? "━" : "-") : String(Self.mark(number, terminal))
    return coloured(mark, number)
  }

  private var hasDots: Bool { terminal.hasUnicode && (terminal.hasColour || curves.count == 1) }

  /// The place of a capacity from 0 to 1.
  private func x(_ capacity: UInt64) -> Double {
    guard high > low else { return 0.5 }
    return (DeterministicMath.log(Double(max(1, capacity))) - low) / (high - low)
  }

  /// A line through the points, at every column of dots.
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
  /// What capacities of a unit are written in.
  init(_ unit: CapacityUnit) { self = unit == .objects ? .objects : .bytes }
}
