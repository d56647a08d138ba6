import LarderEngine

/// Where values of an axis are drawn. Logarithms are our own, so that a drawing is the same, byte
/// for byte, on every machine.
struct ChartScale {
  let axis: ChartAxis
  let range: ClosedRange<Double>
  let ticks: [ChartAxis.Tick]
  /// Where the ends of `range` are drawn; the first may be the larger.
  let ends: (first: Double, last: Double)
  private let low: Double
  private let high: Double

  /// A scale on which all of `values` have room, drawn from `first` to `last`, with about `count`
  /// ticks. `fromZero` keeps 0 on it, which lengths need and places do not.
  init(
    _ axis: ChartAxis, values: [Double], from first: Double, to last: Double, count: Int = 6,
    fromZero: Bool = false
  ) {
    let usable = values.filter { $0.isFinite && (!axis.isLogarithmic || $0 > 0) }
    var low = axis.range?.lowerBound ?? usable.min() ?? (axis.isLogarithmic ? 1 : 0)
    var high = axis.range?.upperBound ?? usable.max() ?? (axis.isLogarithmic ? 10 : 1)
    var ticks: [ChartAxis.Tick]
    if axis.isLogarithmic {
      (low, high) = (max(low, .leastNormalMagnitude), max(high, .leastNormalMagnitude))
      if low == high { (low, high) = (low / 2, high * 2) }
      ticks = ChartTicks.logarithmic(low, high, unit: axis.unit, count: count)
    } else {
      if fromZero { (low, high) = (min(0, low), max(0, high)) }
      let step = ChartTicks.step(low, high, factor: axis.unit.factor, count: count)
      if axis.range == nil {
        // Near enough to 0, an axis begins there.
        if low > 0, low < 0.4 * high { low = 0 }
        low = (low / step).rounded(.down) * step
        high = (high / step).rounded(.up) * step
        // No share is more than everything.
        if axis.unit == .percent, (usable.max() ?? 0) <= 1 { high = min(high, 1) }
        if low == high { high = low + step }
      }
      ticks = ChartTicks.linear(low, high, step: step, unit: axis.unit)
    }
    ticks = axis.ticks ?? ticks
    self.axis = axis
    self.ticks = ticks
    range = low...high
    ends = (first, last)
    self.low = Self.measure(low, axis)
    self.high = Self.measure(high, axis)
  }

  /// Where `value` is drawn; what lies outside is drawn at the end.
  func place(_ value: Double) -> Double {
    let inside = min(max(value, range.lowerBound), range.upperBound)
    let share = (Self.measure(inside, axis) - low) / (high - low)
    return ends.first + share * (ends.last - ends.first)
  }

  private static func measure(_ value: Double, _ axis: ChartAxis) -> Double {
    axis.isLogarithmic ? DeterministicMath.log(value) : value
  }
}
