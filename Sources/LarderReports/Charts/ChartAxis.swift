import LarderEngine

/// One axis of a chart: what is along it, in what unit, and how it is divided.
public struct ChartAxis: Sendable {
  /// What stands beside it.
  public var title: String
  /// What its values are in.
  public var unit: ChartUnit
  /// True where each step multiplies: capacities and latencies.
  public var isLogarithmic: Bool
  /// The ticks where they are not to be chosen: the capacities that were run.
  public var ticks: [Tick]?
  /// Where the axis begins and ends when that does not follow from the values.
  public var range: ClosedRange<Double>?

  /// A place that is written beside an axis.
  public struct Tick: Sendable, Hashable {
    /// Where.
    public var value: Double
    /// What is written.
    public var label: String
    /// What is written below it, smaller.
    public var detail: String?

    /// A tick.
    public init(_ value: Double, label: String, detail: String? = nil) {
      self.value = value
      self.label = label
      self.detail = detail
    }
  }

  /// An axis; see the properties for the meaning of each part.
  public init(
    title: String, unit: ChartUnit, isLogarithmic: Bool = false, ticks: [Tick]? = nil,
    range: ClosedRange<Double>? = nil
  ) {
    self.title = title
    self.unit = unit
    self.isLogarithmic = isLogarithmic
    self.ticks = ticks
    self.range = range
  }
}
