import LarderEngine

/// One axis of a chart: what is along it, in what unit, and how it is divided.
package struct ChartAxis: Sendable {
  /// What stands beside it.
  package var title: String
  /// What its values are in.
  package var unit: ChartUnit
  /// True where each step multiplies: capacities and latencies.
  package var isLogarithmic: Bool
  /// The ticks where they are not to be chosen: the capacities that were run.
  package var ticks: [Tick]?
  /// Where the axis begins and ends when that does not follow from the values.
  package var range: ClosedRange<Double>?

  /// A place that is written beside an axis.
  package struct Tick: Sendable, Hashable {
    /// Where.
    package var value: Double
    /// What is written.
    package var label: String
    /// What is written below it, smaller.
    package var detail: String?

    /// A tick.
    package init(_ value: Double, label: String, detail: String? = nil) {
      self.value = value
      self.label = label
      self.detail = detail
    }
  }

  /// An axis; see the properties for the meaning of each part.
  package init(
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
