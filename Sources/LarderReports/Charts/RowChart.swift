/// Values side by side, a row each: stacked bars, or marks along a scale.
struct RowChart: Chart {
  var title: String
  var caption: String
  /// The horizontal axis. It begins at 0 if there are bars.
  var axis: ChartAxis
  /// The rows in groups with headings.
  var groups: [Group]
  /// Names of the parts of stacked bars, in order; empty for plain bars.
  var parts: [String] = []

  struct Group: Sendable {
    /// The heading; empty for none.
    var title = ""
    var rows: [Row]
  }

  struct Row: Sendable {
    /// The name; untrusted text.
    var name: String
    /// The series that shows and hides the row: a policy.
    var series: String
    var style: SeriesStyle
    var content: Content
    /// The text at the end of the row.
    var value: String
  }

  enum Content: Sendable {
    /// A stacked bar; each part is as long as its value.
    case bar([Mark])
    /// Marks on a line from the first to the last.
    case marks([Mark])
  }

  struct Mark: Sendable, Hashable {
    var value: Double
    /// The smallest and largest measured value; nil if there was only one.
    var range: ClosedRange<Double>?
    /// The tooltip.
    var label: String

    init(_ value: Double, range: ClosedRange<Double>? = nil, label: String) {
      self.value = value
      self.range = range
      self.label = label
    }
  }

  /// The most rows of a chart.
  static let rowsMax = 40

  /// A chart of one group, the row with the smallest key first; nil for fewer than two rows or too
  /// many.
  static func ranked(
    _ words: [String], title: String, axis: ChartAxis, parts: [String] = [],
    _ rows: [(key: Double, row: Row)], caption: (_ first: Row, _ last: Row) -> String
  ) -> ChartFigure? {
    let sorted = rows.sorted(byKey: \.key).map(\.row)
    guard sorted.count > 1, sorted.count <= rowsMax else { return nil }
    return ChartFigure(
      words,
      RowChart(
        title: title, caption: caption(sorted[0], sorted[sorted.count - 1]), axis: axis,
        groups: [Group(rows: sorted)], parts: parts))
  }

  /// The chart with at most `rowsMax` rows: of more, it has evenly spaced groups, at least one, and
  /// says so.
  var thinned: RowChart {
    let largest = groups.map(\.rows.count).max() ?? 0
    let count = max(1, Self.rowsMax / max(1, largest))
    guard groups.reduce(0, { $0 + $1.rows.count }) > Self.rowsMax, count < groups.count else {
      return self
    }
    var chart = self
    chart.groups = (0..<count).map { groups[($0 * 2 + 1) * groups.count / (2 * count)] }
    chart.caption += " The chart shows some of the capacities; the table has all."
    return chart
  }

  /// Returns the drawing. Names are before the rows if there is room, else above them.
  func svg(_ options: ChartOptions) -> String {
    var drawing = RowDrawing(self, options)
    return drawing.svg()
  }
}

struct RowDrawing {
  private let chart: RowChart
  private let options: ChartOptions
  private var canvas: SVGCanvas
  private let left: Double
  private let right: Double
  private let top: Double
  private let bottom: Double
  private let scale: ChartScale

  private static let headingHeight = 26.0
  private static let nameWidthMax = 230.0

  init(_ chart: RowChart, _ options: ChartOptions) {
    self.chart = chart
    self.options = options
    canvas = SVGCanvas(isStyled: !options.isFile)
    let rows = chart.groups.flatMap(\.rows)
    let names = rows.map { ChartText.width($0.name, size: SVGCanvas.textSize) }
    let values = rows.map { ChartText.width($0.value, size: SVGCanvas.textSize) }
    left = options.isNarrow ? 2 : min(names.max() ?? 0, Self.nameWidthMax) + 30
    right = options.width - (values.max() ?? 0) - 12
    top = ChartHeader.height(chart, options) + (chart.parts.isEmpty ? 4 : 28)
    let headings = chart.groups.count { !$0.title.isEmpty }
    bottom =
      top + Double(rows.count) * Self.rowHeight(options) + Double(headings) * Self.headingHeight
      + 4
    var all: [Double] = []
    var hasBars = false
    for row in rows {
      switch row.content {
      case .bar(let parts):
        hasBars = true
        all.append(parts.reduce(0) { $0 + $1.value })
      case .marks(let marks):
        for mark in marks {
          all += [mark.value, mark.range?.lowerBound, mark.range?.upperBound].compactMap { $0 }
        }
      }
    }
    scale = ChartScale(
      chart.axis, values: all, from: left, to: right, count: options.isNarrow ? 4 : 7,
      fromZero: hasBars)
  }

  private static func rowHeight(_ options: ChartOptions) -> Double {
    options.isNarrow ? 36 : 22
  }

  mutating func svg() -> String {
    ChartHeader.draw(chart, on: &canvas, options)
    drawParts()
    drawAxis()
    var y = top
    for group in chart.groups {
      if !group.title.isEmpty {
        canvas.text(group.title, 0, y + 17, className: "h", size: 12)
        y += Self.headingHeight
      }
      for row in group.rows {
        draw(row, y, group)
        y += Self.rowHeight(options)
      }
    }
    let names = chart.groups.flatMap(\.rows).map(\.name)
    let shown = names.prefix(40).joined(separator: ", ")
    return canvas.svg(
      title: chart.title,
      description: "Rows along \(chart.axis.title): \(shown). \(chart.caption)",
      height: bottom + 44, options: options)
  }

  /// Draws the legend of the shades of stacked bars.
  private mutating func drawParts() {
    var x = 0.0
    canvas.open("parts", colour: .neutral)
    for (number, part) in chart.parts.enumerated() {
      canvas.rectangle(x, top - 24, 13, 13, className: Self.shade(number))
      canvas.text(part, x + 19, top - 13, className: "n")
      x += 37 + ChartText.width(part, size: SVGCanvas.textSize)
    }
    canvas.close()
  }

  private static func shade(_ number: Int) -> String {
    number == 0 ? "s" : "s\(min(number, 2) + 1)"
  }

  private mutating func drawAxis() {
    var end = -Double.infinity
    for tick in scale.ticks {
      let place = scale.place(tick.value)
      canvas.line(place, top, place, bottom, className: "g")
      let width = ChartText.width(tick.label, size: SVGCanvas.textSize)
      let centre = min(max(place, width / 2), options.width - width / 2)
      guard centre - width / 2 > end else { continue }
      end = centre + width / 2 + 6
      canvas.text(tick.label, centre, bottom + 17, anchor: .middle, className: "m")
    }
    canvas.line(left, bottom, right, bottom, className: "a")
    canvas.text(
      chart.axis.title, (left + right) / 2, bottom + 37, anchor: .middle, className: "m")
  }

  private mutating func draw(_ row: RowChart.Row, _ y: Double, _ group: RowChart.Group) {
    canvas.open("series", colour: row.style.colour, series: row.series)
    let middle = y + (options.isNarrow ? 25 : 11)
    if options.isNarrow {
      canvas.marker(row.style, 7, y + 9)
      let name = ChartText.fitted(
        row.name, width: options.width - 24, size: SVGCanvas.textSize)
      canvas.text(name, 16, y + 13, className: "n")
    } else {
      canvas.marker(row.style, left - 16, middle)
      let name = ChartText.fitted(row.name, width: left - 30, size: SVGCanvas.textSize)
      canvas.text(name, left - 27, middle + 4, anchor: .end, className: "n")
    }
    let title = group.title.isEmpty ? row.name : "\(row.name), \(group.title)"
    switch row.content {
    case .bar(let parts): drawBar(parts, middle, title)
    case .marks(let marks): drawMarks(marks, middle, row, title)
    }
    canvas.text(row.value, options.width - 2, middle + 4, anchor: .end, className: "n")
    canvas.close()
  }

  private mutating func drawBar(_ parts: [RowChart.Mark], _ y: Double, _ title: String) {
    var sum = 0.0
    for (number, part) in parts.enumerated() {
      let from = scale.place(sum)
      sum += part.value
      let to = scale.place(sum)
      canvas.rectangle(
        min(from, to), y - 6.5, abs(to - from), 13, className: "\(Self.shade(number)) k",
        label: "\(title): \(part.label)")
    }
  }

  private mutating func drawMarks(
    _ marks: [RowChart.Mark], _ y: Double, _ row: RowChart.Row, _ title: String
  ) {
    let places = marks.map { (x: scale.place($0.value), y: y) }
    canvas.polyline(places, className: "w")
    for (mark, place) in zip(marks, places) {
      if let range = mark.range, range.lowerBound < range.upperBound {
        canvas.line(
          scale.place(range.lowerBound), y, scale.place(range.upperBound), y, className: "w")
        for end in [range.lowerBound, range.upperBound] {
          canvas.line(scale.place(end), y - 4, scale.place(end), y + 4, className: "w")
        }
      }
      canvas.marker(row.style, place.x, place.y, label: "\(title): \(mark.label)")
    }
  }
}
