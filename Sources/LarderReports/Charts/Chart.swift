import LarderEngine
import LarderSupport

/// A drawing with a title, a caption that points out its message, and a description for readers who
/// cannot see it.
protocol Chart: Sendable {
  var title: String { get }

  var caption: String { get }

  func svg(_ options: ChartOptions) -> String
}

extension Chart {
  func svg() -> String { svg(ChartOptions()) }
}

struct ChartOptions: Sendable, Hashable {
  var id = "chart"
  var isFile = true

  static let width = 760.0
}

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

struct ChartAxis: Sendable {
  var title: String
  var unit: ChartUnit
  var isLogarithmic = false
  /// Fixed ticks, such as the simulated capacities; nil to choose them.
  var ticks: [Tick]?
  /// Fixed ends of the axis; nil to derive them from the values.
  var range: ClosedRange<Double>?

  struct Tick: Sendable, Hashable {
    var value: Double
    var label: String
    var detail: String?

    init(_ value: Double, label: String, detail: String? = nil) {
      self.value = value
      self.label = label
      self.detail = detail
    }
  }
}

enum ChartUnit: Sendable, Hashable {
  case number
  case objects
  case bytes
  case percent
  case points
  case nanoseconds

  func tick(_ value: Double) -> String {
    switch self {
    case .number: ChartText.short(value)
    case .objects: ChartText.scaled(value, by: 1000, units: ["", "k", "M", "G", "T"])
    case .bytes:
      ChartText.scaled(
        value, by: 1024, units: [" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"])
    case .percent: ChartText.short(value * 100) + " %"
    case .points: ChartText.short(value * 100)
    case .nanoseconds:
      value == 0 ? "0" : ChartText.scaled(value, by: 1000, units: Self.times)
    }
  }

  func value(_ value: Double) -> String {
    switch self {
    case .percent: (NumberText.fixed(value * 100, decimals: 2) ?? "–") + " %"
    case .points: (NumberText.fixed(value * 100, decimals: 2) ?? "–") + " points"
    case .number: NumberText.fixed(value, decimals: 2) ?? "–"
    case .objects, .bytes, .nanoseconds: precise(value)
    }
  }

  private func precise(_ value: Double) -> String {
    guard let whole = UInt64(exactly: value.rounded()), value != 0 else { return tick(value) }
    return switch self {
    case .objects: NumberText.grouped(whole)
    case .bytes: NumberText.bytes(whole)
    default: ChartText.scaled(value, by: 1000, units: Self.times, isTrimmed: false)
    }
  }

  private static let times = [" ns", " µs", " ms", " s"]

  var isBinary: Bool { self == .bytes }

  var factor: Double { self == .percent || self == .points ? 100 : 1 }
}

/// Maps values of an axis to positions. Uses its own logarithm, so that drawings are equal to the
/// byte on every machine.
struct ChartScale {
  let axis: ChartAxis
  let range: ClosedRange<Double>
  let ticks: [ChartAxis.Tick]
  let ends: (first: Double, last: Double)
  private let low: Double
  private let high: Double

  /// A scale that covers all `values`, drawn from `first` to `last`, with about `count` ticks.
  /// `fromZero` includes 0, which bars need and points do not.
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
        // An axis that comes close to 0 begins at 0.
        if low > 0, low < 0.4 * high { low = 0 }
        low = (low / step).rounded(.down) * step
        high = (high / step).rounded(.up) * step
        // No share exceeds 1.
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

  /// The position of `value`; values outside of the range are drawn at its end.
  func place(_ value: Double) -> Double {
    let inside = min(max(value, range.lowerBound), range.upperBound)
    let share = (Self.measure(inside, axis) - low) / (high - low)
    return ends.first + share * (ends.last - ends.first)
  }

  private static func measure(_ value: Double, _ axis: ChartAxis) -> Double {
    axis.isLogarithmic ? DeterministicMath.log(value) : value
  }
}

enum ChartTicks {
  /// A step of 1, 2, 2.5 or 5 times a power of ten that divides the range into about `count` parts.
  static func step(_ low: Double, _ high: Double, factor: Double, count: Int) -> Double {
    let span = (high - low) * factor
    guard span > 0, span.isFinite else { return 1 / factor }
    let raw = span / Double(max(1, count))
    var power = 1.0
    while power > raw { power /= 10 }
    while power * 10 <= raw { power *= 10 }
    let step = [1, 2, 2.5, 5, 10].map { $0 * power }.first { $0 >= raw * 0.999 } ?? 10 * power
    return step / factor
  }

  static func linear(
    _ low: Double, _ high: Double, step: Double, unit: ChartUnit
  ) -> [ChartAxis.Tick] {
    let first = (low / step - 1e-9).rounded(.up)
    let last = (high / step + 1e-9).rounded(.down)
    guard first <= last, last - first < 100 else { return [] }
    return stride(from: first, through: last, by: 1).map { number in
      ChartAxis.Tick(number * step, label: unit.tick(number * step))
    }
  }

  /// Powers of ten, or of two for bytes; also 2 and 5 times them if there is room.
  static func logarithmic(
    _ low: Double, _ high: Double, unit: ChartUnit, count: Int
  ) -> [ChartAxis.Tick] {
    let candidates =
      unit.isBinary
      ? [2.0, 4, 8, 16, 32, 64, 1024].map { powers(low, high, base: $0, times: [1]) }
      : [[1.0, 2, 5], [1, 3], [1]].map { powers(low, high, base: 10, times: $0) }
        + [100.0, 1000, 1e6].map { powers(low, high, base: $0, times: [1]) }
    let fitting = candidates.first { $0.count <= count + 1 } ?? candidates.last ?? []
    let values = fitting.count < 2 ? candidates[0] : fitting
    return values.map { ChartAxis.Tick($0, label: unit.tick($0)) }
  }

  private static func powers(
    _ low: Double, _ high: Double, base: Double, times: [Double]
  ) -> [Double] {
    var power = 1.0
    while power > low { power /= base }
    while power * base <= low { power *= base }
    var values: [Double] = []
    while power <= high * 1.0001, values.count < 200 {
      values += times.map { $0 * power }.filter { $0 >= low * 0.9999 && $0 <= high * 1.0001 }
      power *= base
    }
    return values
  }
}
