/// A named sequence of values that belong together: a policy over all capacities.
public struct ChartSeries: Sendable {
  /// Its name; may come from anywhere.
  public var name: String
  /// How it looks.
  public var style: SeriesStyle
  /// Its values, by x.
  public var points: [Point]
  /// True where each value has a marker; false for a dense curve, which has one at its end.
  public var hasMarkers: Bool
  /// True for a measure that no cache can be: drawn thinner.
  public var isBound: Bool

  /// A value.
  public struct Point: Sendable, Hashable {
    /// Where it is.
    public var x: Double
    /// What it is.
    public var y: Double
    /// The smallest and largest that were seen; nil where there was one.
    public var range: ClosedRange<Double>?
    /// What is shown of it on demand; nil for its numbers.
    public var label: String?

    /// A value; see the properties for the meaning of each part.
    public init(
      x: Double, y: Double, range: ClosedRange<Double>? = nil, label: String? = nil
    ) {
      self.x = x
      self.y = y
      self.range = range
      self.label = label
    }
  }

  /// A series; see the properties for the meaning of each part.
  public init(
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
