/// Which series is which, below a drawing.
struct ChartLegend {
  private let entries: [(name: String, style: SeriesStyle)]

  init(_ entries: [(name: String, style: SeriesStyle)]) { self.entries = entries }

  /// Draws it from a height on and answers where it ends.
  func draw(on canvas: inout SVGCanvas, from top: Double, width: Double) -> Double {
    let names = entries.map { ChartText.width($0.name, size: SVGCanvas.textSize) }
    let wanted = min(max(names.max() ?? 0, 40) + 46, width)
    let columns = max(1, min(entries.count, Int(width / wanted)))
    let column = width / Double(columns)
    for (number, entry) in entries.enumerated() {
      let x = Double(number % columns) * column
      let y = top + Double(number / columns) * 20 + 8
      canvas.open("series", colour: entry.style.colour, series: entry.name)
      canvas.polyline([(x, y), (x + 24, y)], className: "l", dash: entry.style.dash)
      canvas.path(entry.style.marker.path(x + 12, y), className: "s")
      let name = ChartText.fitted(entry.name, width: column - 36, size: SVGCanvas.textSize)
      canvas.text(name, x + 31, y + 4, className: "n")
      canvas.close()
    }
    return top + Double((entries.count + columns - 1) / columns) * 20 + 4
  }
}
