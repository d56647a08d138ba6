/// Values over an axis, a line a series: miss-ratio curves above all.
///
///     let chart = LineChart(
///       title: "Miss ratio of OLTP", caption: "…",
///       x: ChartAxis(title: "capacity", unit: .objects, isLogarithmic: true),
///       y: ChartAxis(title: "miss ratio", unit: .percent),
///       series: [
///         ChartSeries(
///           name: "lru", style: PolicyStyles.style("lru"), points: [.init(x: 10, y: 0.5)])
///       ])
///     let text = chart.svg()
package struct LineChart: Chart {
  /// What is shown.
  package var title: String
  /// What there is to see.
  package var caption: String
  /// The axis across.
  package var x: ChartAxis
  /// The axis upwards.
  package var y: ChartAxis
  /// The lines. Values that are not finite, or not positive on a logarithmic axis, are left out.
  package var series: [ChartSeries]
  /// Places worth a word, such as a knee.
  package var annotations: [Annotation]

  /// A word at a place.
  package struct Annotation: Sendable, Hashable {
    /// Where.
    package var x: Double
    /// Where.
    package var y: Double
    /// What is written; a few words.
    package var text: String

    /// A word at a place.
    package init(x: Double, y: Double, text: String) {
      self.x = x
      self.y = y
      self.text = text
    }
  }

  /// A chart; see the properties for the meaning of each part.
  package init(
    title: String, caption: String, x: ChartAxis, y: ChartAxis, series: [ChartSeries],
    annotations: [Annotation] = []
  ) {
    self.title = title
    self.caption = caption
    self.x = x
    self.y = y
    self.series = series
    self.annotations = annotations
  }

  /// The drawing: names stand at the ends of the lines where there is room, and below where not.
  package func svg(_ options: ChartOptions) -> String {
    var drawing = LineDrawing(self, options)
    return drawing.svg()
  }
}
