/// Title and caption above a drawing that is a file of its own; in a page they stand beside it.
enum ChartHeader {
  private static let margin = 14.0
  private static let captionSize = 12.5
  private static let captionHeight = 17.0
  private static let captionLinesMax = 5

  /// The room that it takes, pixels.
  static func height(_ chart: some Chart, _ options: ChartOptions) -> Double {
    guard options.isFile else { return 0 }
    return 40 + Double(lines(chart, options).count) * captionHeight
  }

  static func draw(_ chart: some Chart, on canvas: inout SVGCanvas, _ options: ChartOptions) {
    guard options.isFile else { return }
    let title = ChartText.fitted(
      chart.title, width: (options.width - margin) / 1.08, size: 16)
    canvas.text(title, 0, 20, className: "h", size: 16)
    for (number, line) in lines(chart, options).enumerated() {
      canvas.text(
        line, 0, 41 + Double(number) * captionHeight, className: "m", size: captionSize)
    }
  }

  private static func lines(_ chart: some Chart, _ options: ChartOptions) -> [String] {
    let lines = ChartText.lines(chart.caption, width: options.width - margin, size: captionSize)
    return Array(lines.prefix(captionLinesMax))
  }
}
