/// Values side by side, a row each: stacked bars, or marks along a scale.
struct RowChart: Chart {
  var title: String
  var caption: String
  var axis: ChartAxis
  var groups: [Group]
  var parts: [String] = []

  struct Group: Sendable {
    var title = ""
    var rows: [Row]
  }

  struct Row: Sendable {
    var name: String
    var series: String
    var style: SeriesStyle
    var marks: [Mark]
    /// True if the marks are parts of a stacked bar.
    var isBar = true
    var value: String

    static func bar(
      _ name: String, _ policy: String, _ styles: PolicyStyles,
      _ parts: [(share: Double, name: String)], value: String
    ) -> Row {
      let marks = parts.map {
        Mark(value: $0.share, label: "\(ChartUnit.percent.value($0.share)) \($0.name)")
      }
      return Row(name: name, series: policy, style: styles[policy], marks: marks, value: value)
    }
  }

  struct Mark: Sendable, Hashable {
    var value: Double
    var range: ClosedRange<Double>?
    var label: String
  }

  static let rowsMax = 40
  private static let thinnedRowsMax = 24

  /// The chart with at most `thinnedRowsMax` rows: of more, it has evenly spaced groups, at least
  /// one, and says so.
  var thinned: RowChart {
    let largest = groups.map(\.rows.count).max() ?? 0
    let count = max(1, Self.thinnedRowsMax / max(1, largest))
    let rows = groups.reduce(0) { $0 + $1.rows.count }
    guard rows > Self.thinnedRowsMax, count < groups.count else { return self }
    var chart = self
    chart.groups = (0..<count).map { groups[($0 * 2 + 1) * groups.count / (2 * count)] }
    chart.caption += " The chart shows some of the capacities; the table has all."
    return chart
  }

  func svg(_ options: ChartOptions) -> String {
    var drawing = RowDrawing(self, options)
    return drawing.svg()
  }
}

private struct RowDrawing {
  private let chart: RowChart
  private let options: ChartOptions
  private var canvas: SVGCanvas
  private let left: Double
  private let right: Double
  private let top: Double
  private let bottom: Double
  private let scale: ChartScale

  private static let headingHeight = 26.0
  private static let rowHeight = 22.0

  init(_ chart: RowChart, _ options: ChartOptions) {
    self.chart = chart
    self.options = options
    canvas = SVGCanvas(isStyled: !options.isFile)
    let rows = chart.groups.flatMap(\.rows)
    left = min(ChartText.widest(rows.map(\.name)), 230) + 30
    right = ChartOptions.width - ChartText.widest(rows.map(\.value)) - 12
    top = ChartHeader.height(chart, options) + (chart.parts.isEmpty ? 4 : 28)
    let headings = chart.groups.count { !$0.title.isEmpty }
    bottom =
      top + Double(rows.count) * Self.rowHeight + Double(headings) * Self.headingHeight + 4
    let values = rows.flatMap { row -> [Double] in
      row.isBar
        ? [0, row.marks.reduce(0) { $0 + $1.value }]
        : row.marks.flatMap { mark in
          [mark.value, mark.range?.lowerBound ?? mark.value, mark.range?.upperBound ?? mark.value]
        }
    }
    scale = ChartScale(
      chart.axis, values: values, from: left, to: right, count: 7,
      fromZero: rows.contains(where: \.isBar))
  }

  mutating func svg() -> String {
    ChartHeader.draw(chart, on: &canvas, options)
    drawParts()
    drawAxis()
    var y = top
    for group in chart.groups {
      if !group.title.isEmpty {
        canvas.text(group.title, 0, y + 17, className: "h")
        y += Self.headingHeight
      }
      for row in group.rows {
        draw(row, y + 11, group)
        y += Self.rowHeight
      }
    }
    let shown = chart.groups.flatMap(\.rows).map(\.name).prefix(40).joined(separator: ", ")
    return canvas.svg(
      title: chart.title,
      description: "Rows along \(chart.axis.title): \(shown).", caption: chart.caption,
      height: bottom + 44, options: options)
  }

  private mutating func drawParts() {
    var x = 0.0
    canvas.open("parts", colour: .neutral)
    for (number, part) in chart.parts.enumerated() {
      canvas.rectangle(x, top - 24, 13, 13, className: Self.shade(number))
      canvas.text(part, x + 19, top - 13, className: "n")
      x += 37 + ChartText.width(part)
    }
    canvas.close()
  }

  private static func shade(_ number: Int) -> String {
    number == 0 ? "s" : "s\(min(number, 2) + 1)"
  }

  private mutating func drawAxis() {
    for tick in scale.ticks {
      let place = scale.place(tick.value)
      canvas.line(place, top, place, bottom, className: "g")
    }
    canvas.labels(
      scale.ticks.map { (scale.place($0.value), $0.label) }, at: bottom + 17, className: "m")
    canvas.line(left, bottom, right, bottom, className: "a")
    canvas.text(
      chart.axis.title, (left + right) / 2, bottom + 37, anchor: .middle, className: "m")
  }

  private mutating func draw(_ row: RowChart.Row, _ y: Double, _ group: RowChart.Group) {
    canvas.open("series row", colour: row.style.colour, series: row.series)
    canvas.marker(row.style, left - 16, y)
    canvas.text(
      ChartText.fitted(row.name, width: left - 30), left - 27, y + 4, anchor: .end, className: "n")
    let title = group.title.isEmpty ? row.name : "\(row.name), \(group.title)"
    if row.isBar {
      var sum = 0.0
      for (number, part) in row.marks.enumerated() {
        let (from, to) = (scale.place(sum), scale.place(sum + part.value))
        sum += part.value
        canvas.rectangle(
          min(from, to), y - 6.5, abs(to - from), 13, className: "\(Self.shade(number)) k",
          label: "\(title): \(part.label)")
      }
    } else {
      canvas.polyline(row.marks.map { (x: scale.place($0.value), y: y) }, className: "w")
      for mark in row.marks {
        if let range = mark.range, range.lowerBound < range.upperBound {
          let ends = [scale.place(range.lowerBound), scale.place(range.upperBound)]
          canvas.line(ends[0], y, ends[1], y, className: "w")
          for end in ends { canvas.line(end, y - 4, end, y + 4, className: "w") }
        }
        canvas.marker(row.style, scale.place(mark.value), y, label: "\(title): \(mark.label)")
      }
    }
    canvas.text(row.value, ChartOptions.width - 2, y + 4, anchor: .end, className: "n")
    canvas.close()
  }
}
