/// A named sequence of values that belong together: a policy over all capacities.
package struct ChartSeries: Sendable {
  /// Its name; may come from anywhere.
  package var name: String
  /// How it looks.
  package var style: SeriesStyle
  /// Its values, by x.
  package var points: [Point]
  /// True where each value has a marker; false for a dense curve, which has one at its end.
  package var hasMarkers: Bool
  /// True for a measure that no cache can be: drawn thinner.
  package var isBound: Bool

  /// A value.
  package struct Point: Sendable, Hashable {
    /// Where it is.
    package var x: Double
    /// What it is.
    package var y: Double
    /// The smallest and largest that were seen; nil where there was one.
    package var range: ClosedRange<Double>?
    /// What is shown of it on demand; nil for its numbers.
    package var label: String?

    /// A value; see the properties for the meaning of each part.
    package init(
      x: Double, y: Double, range: ClosedRange<Double>? = nil, label: String? = nil
    ) {
      self.x = x
      self.y = y
      self.range = range
      self.label = label
    }
  }

  /// A series; see the properties for the meaning of each part.
  package init(
    name: String, style: SeriesStyle, points: [Point], hasMarkers: Bool = true,
    isBound: Bool = false
  ) {
    self.name = name
    self.style = style
    self.points = points
    self.hasMarkers = hasMarkers
    self.isBound = isBound
  }
}
