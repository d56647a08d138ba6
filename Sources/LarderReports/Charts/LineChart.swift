struct ChartSeries: Sendable {
  var name: String
  var style: SeriesStyle
  var points: [Point]
  var hasMarkers = true
  var isBound = false

  struct Point: Sendable, Hashable {
    var x: Double
    var y: Double
    /// The smallest and largest measured value; nil if there was only one.
    var range: ClosedRange<Double>?
    /// The tooltip; nil for the numbers themselves.
    var label: String?
    /// True if no line leads here from the point before.
    var isStart = false
  }
}

struct LineChart: Chart {
  var title: String
  var caption: String
  var x: ChartAxis
  var y: ChartAxis
  var series: [ChartSeries]
  var annotations: [Annotation] = []
  var hasEndNames = true

  struct Annotation: Sendable, Hashable {
    var x: Double
    var y: Double
    var text: String
  }

  func svg(_ options: ChartOptions) -> String {
    var drawing = LineDrawing(self, options)
    return drawing.svg()
  }
}

private struct LineDrawing {
  private let chart: LineChart
  private let options: ChartOptions
  private let series: [ChartSeries]
  private var canvas: SVGCanvas
  private var left: Double
  private var right = ChartOptions.width - 14
  private let top: Double
  private let bottom: Double
  private var x: ChartScale
  private let y: ChartScale

  private static let endNamesMax = 20
  private static let lineHeight = 15.0

  init(_ chart: LineChart, _ options: ChartOptions) {
    self.chart = chart
    self.options = options
    canvas = SVGCanvas(isStyled: !options.isFile)
    series = chart.series.map { series in
      var series = series
      series.points = series.points.filter { point in
        point.x.isFinite && point.y.isFinite && (!chart.x.isLogarithmic || point.x > 0)
          && (!chart.y.isLogarithmic || point.y > 0)
      }
      return series
    }.filter { !$0.points.isEmpty }
    let points = series.flatMap(\.points)
    let ys = points.flatMap { [$0.y, $0.range?.lowerBound ?? $0.y, $0.range?.upperBound ?? $0.y] }
    let xs = points.map(\.x) + (chart.x.ticks ?? []).map(\.value)
    top = ChartHeader.height(chart, options) + 26
    bottom = top + 300
    y = ChartScale(chart.y, values: ys, from: bottom, to: top)
    left = ChartText.widest(y.ticks.map(\.label)) + 14
    x = ChartScale(chart.x, values: xs, from: left, to: right)
    if hasEndNames {
      right = ChartOptions.width - min(ChartText.widest(series.map(\.name)), 190) - 40
      x = ChartScale(chart.x, values: xs, from: left, to: right, count: 7)
    }
  }

  private var hasEndNames: Bool {
    chart.hasEndNames && !series.isEmpty && series.count <= Self.endNamesMax
  }

  mutating func svg() -> String {
    ChartHeader.draw(chart, on: &canvas, options)
    drawAxes()
    let ends = endPlaces()
    for (number, series) in series.enumerated() { draw(series, nameAt: ends?[number]) }
    for annotation in chart.annotations { draw(annotation) }
    var height = bottom + 42 + (x.ticks.contains { $0.detail != nil } ? 14 : 0)
    canvas.text(
      chart.x.title, (left + right) / 2, height - 4, anchor: .middle, className: "m")
    height += 8
    if !hasEndNames { height = canvas.legend(series.map { ($0.name, $0.style) }, from: height + 4) }
    let kind = "Line chart of \(chart.y.title) over \(chart.x.title), with "
    let names = series.map(\.name).joined(separator: ", ")
    return canvas.svg(
      title: chart.title, description: "\(kind)\(names).", caption: chart.caption, height: height,
      options: options)
  }

  private mutating func drawAxes() {
    canvas.text(chart.y.title, 0, top - 14, className: "m")
    for tick in y.ticks {
      let place = y.place(tick.value)
      canvas.line(left, place, right, place, className: "g")
      canvas.text(tick.label, left - 8, place + 4, anchor: .end, className: "m")
    }
    canvas.line(left, bottom, right, bottom, className: "a")
    for tick in x.ticks where tick.value >= x.range.lowerBound * 0.999 {
      let place = x.place(tick.value)
      canvas.line(place, bottom, place, bottom + 5, className: "a")
    }
    canvas.labels(x.ticks.map { (x.place($0.value), $0.label) }, at: bottom + 19, className: "t")
    let details = x.ticks.compactMap { tick in tick.detail.map { (x.place(tick.value), $0) } }
    canvas.labels(details, at: bottom + 33, className: "m", size: 10.5)
  }

  private mutating func draw(_ series: ChartSeries, nameAt nameHeight: Double?) {
    canvas.open("series", colour: series.style.colour, series: series.name)
    let places = series.points.map { (x: x.place($0.x), y: y.place($0.y)) }
    let starts = series.points.indices.filter { $0 == 0 || series.points[$0].isStart }
    for (start, end) in zip(starts, starts.dropFirst() + [places.count]) {
      canvas.polyline(
        Array(places[start..<end]), className: series.isBound ? "b" : "l", dash: series.style.dash)
    }
    for (point, place) in zip(series.points, places) {
      if let range = point.range, range.lowerBound < range.upperBound {
        canvas.line(
          place.x, y.place(range.lowerBound), place.x, y.place(range.upperBound),
          className: "w")
      }
      guard series.hasMarkers || places.count == 1 else { continue }
      let label =
        point.label ?? "\(chart.y.unit.value(point.y)) at \(chart.x.unit.value(point.x))"
      // In a page the group has the name.
      canvas.marker(
        series.style, place.x, place.y,
        label: options.isFile ? "\(series.name): \(label)" : label)
    }
    if let nameHeight, let last = places.last {
      canvas.polyline(
        [(last.x + 6, last.y), (right + 8, last.y), (right + 16, nameHeight)], className: "w")
      canvas.marker(series.style, right + 22, nameHeight)
      let name = ChartText.fitted(series.name, width: ChartOptions.width - right - 32)
      canvas.text(name, right + 31, nameHeight + 4, className: "n")
    }
    canvas.close()
  }

  private mutating func draw(_ annotation: LineChart.Annotation) {
    let place = (x: x.place(annotation.x), y: y.place(annotation.y))
    canvas.open("annotation")
    canvas.path(
      "M\(ChartText.place(place.x)) \(ChartText.place(place.y))m-7 0a7 7 0 1014 0a7 7 0 10-14 0z",
      className: "a", label: annotation.text)
    let width = ChartText.width(annotation.text, size: 11)
    let isLeft = place.x + 12 + width > right
    canvas.text(
      annotation.text, place.x + (isLeft ? -11 : 11), max(place.y - 8, top - 2),
      anchor: isLeft ? .end : .start, className: "m", size: 11)
    canvas.close()
  }

  /// Vertical positions of names at the ends of lines: as close to the lines as possible without
  /// overlap.
  private func endPlaces() -> [Double]? {
    guard hasEndNames else { return nil }
    let wanted = series.map { y.place($0.points.last?.y ?? 0) }
    let order = wanted.indices.sorted { (wanted[$0], $0) < (wanted[$1], $1) }
    // Names that would overlap form a block centred on their preferred positions.
    var blocks: [(first: Double, count: Int)] = []
    for index in order {
      var block = (first: wanted[index], count: 1)
      while let upper = blocks.last {
        let height = Double(upper.count) * Self.lineHeight
        guard upper.first + height > block.first else { break }
        blocks.removeLast()
        let count = upper.count + block.count
        let sum =
          upper.first * Double(upper.count) + (block.first - height) * Double(block.count)
        block = (sum / Double(count), count)
      }
      blocks.append(block)
    }
    var places = blocks.flatMap { block in
      (0..<block.count).map { block.first + Double($0) * Self.lineHeight }
    }
    var limit = bottom + 4
    for index in places.indices.reversed() {
      places[index] = min(places[index], limit)
      limit = places[index] - Self.lineHeight
    }
    limit = top - 6
    for index in places.indices {
      places[index] = max(places[index], limit)
      limit = places[index] + Self.lineHeight
    }
    var result = wanted
    for (place, index) in zip(places, order) { result[index] = place }
    return result
  }
}
