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

struct LineDrawing {
  private let chart: LineChart
  private let options: ChartOptions
  private let series: [ChartSeries]
  private var canvas: SVGCanvas
  private var left = 0.0
  private var right = 0.0
  private var top = 0.0
  private var bottom = 0.0
  private var x: ChartScale
  private var y: ChartScale

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
    right = ChartOptions.width - 14
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
    var height = bottom + 22 + (hasDetails ? 14 : 0) + 20
    canvas.text(
      chart.x.title, (left + right) / 2, height - 4, anchor: .middle, className: "m")
    height += 8
    if !hasEndNames {
      height = ChartLegend(series.map { ($0.name, $0.style) }).draw(
        on: &canvas, from: height + 4)
    }
    let kind = "Line chart of \(chart.y.title) over \(chart.x.title), with "
    let names = series.map(\.name).joined(separator: ", ")
    return canvas.svg(
      title: chart.title, description: "\(kind)\(names). \(chart.caption)", height: height,
      options: options)
  }

  private var hasDetails: Bool { x.ticks.contains { $0.detail != nil } }

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
    draw(x.ticks.map { ($0.value, $0.label) }, at: bottom + 19, className: "t", size: 12)
    let details = x.ticks.compactMap { tick in tick.detail.map { (tick.value, $0) } }
    draw(details, at: bottom + 33, className: "m", size: 10.5)
  }

  /// Writes the labels that have room; the last and the first take precedence.
  private mutating func draw(
    _ labels: [(value: Double, text: String)], at height: Double, className: String, size: Double
  ) {
    var taken: [ClosedRange<Double>] = []
    var order = Array(labels.indices)
    if let last = order.popLast() { order.insert(last, at: 0) }
    for index in order {
      let width = ChartText.width(labels[index].text, size: size)
      var centre = x.place(labels[index].value)
      // Labels at the ends stay within the drawing.
      centre = min(max(centre, width / 2), ChartOptions.width - width / 2)
      let span = (centre - width / 2 - 4)...(centre + width / 2 + 4)
      guard !taken.contains(where: { $0.overlaps(span) }) else { continue }
      taken.append(span)
      canvas.text(
        labels[index].text, centre, height, anchor: .middle, className: className, size: size)
    }
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
      canvas.marker(
        series.style, place.x, place.y, label: "\(series.name): \(label(point))")
    }
    if let nameHeight, let last = places.last {
      canvas.path(
        "M\(ChartText.place(last.x + 6)) \(ChartText.place(last.y))"
          + "L\(ChartText.place(right + 8)) \(ChartText.place(last.y))"
          + "L\(ChartText.place(right + 16)) \(ChartText.place(nameHeight))",
        className: "w")
      canvas.marker(series.style, right + 22, nameHeight)
      let name = ChartText.fitted(
        series.name, width: ChartOptions.width - right - 32, size: SVGCanvas.textSize)
      canvas.text(name, right + 31, nameHeight + 4, className: "n")
    }
    canvas.close()
  }

  private func label(_ point: ChartSeries.Point) -> String {
    if let label = point.label { return label }
    return "\(chart.y.unit.value(point.y)) at \(chart.x.unit.value(point.x))"
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
      blocks.append((wanted[index], 1))
      while blocks.count > 1 {
        let (upper, lower) = (blocks[blocks.count - 2], blocks[blocks.count - 1])
        let end = upper.first + Double(upper.count) * Self.lineHeight
        guard end > lower.first else { break }
        let shift = Double(upper.count) * Self.lineHeight
        let count = upper.count + lower.count
        let first =
          (upper.first * Double(upper.count) + (lower.first - shift) * Double(lower.count))
          / Double(count)
        blocks.removeLast(2)
        blocks.append((first, count))
      }
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
