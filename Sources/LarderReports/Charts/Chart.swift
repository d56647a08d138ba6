import LarderEngine
import LarderSupport

/// A drawing with words: a title, a caption that says what to see, and a description for whoever
/// does not see it.
package protocol Chart: Sendable {
  /// What is shown.
  var title: String { get }

  /// What there is to see, in a sentence or two.
  var caption: String { get }

  /// The drawing. Linear in the values. The same chart gives the same bytes.
  func svg(_ options: ChartOptions) -> String
}

extension Chart {
  /// The drawing as a file of its own, which is light or dark as the reader's screen is.
  package func svg() -> String { svg(ChartOptions()) }
}

/// How a chart is drawn.
package struct ChartOptions: Sendable, Hashable {
  /// Width, pixels.
  package var width: Double
  /// The prefix of the identifiers in the drawing; unique in a page.
  package var id: String
  /// True for a file of its own, with its style and its title in it; false for a part of a page.
  package var isFile: Bool

  /// Options; see the properties for the meaning of each part.
  package init(width: Double = 760, id: String = "chart", isFile: Bool = true) {
    self.width = width
    self.id = id
    self.isFile = isFile
  }

  /// True where there is no room beside a drawing.
  var isNarrow: Bool { width < 500 }
}

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

/// What the values along an axis are in: how they are written, and where ticks look natural.
package enum ChartUnit: Sendable, Hashable {
  /// A plain number.
  case number
  /// Objects: 1000, 10k, 2M.
  case objects
  /// Bytes: 512 KiB, 64 MiB.
  case bytes
  /// A share of 1, shown in per cent.
  case percent
  /// A difference of shares of 1, shown in percentage points.
  case points
  /// A time in nanoseconds: 250 ns, 3 us, 80 ms.
  case nanoseconds

  /// A tick as text.
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

  /// A value as text, as precisely as tables have it.
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

  /// What ticks are multiples of: bytes go in powers of two.
  var isBinary: Bool { self == .bytes }

  /// What the axis' numbers are of what is drawn.
  var factor: Double { self == .percent || self == .points ? 100 : 1 }
}

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

/// Where an axis is divided.
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

  /// Multiples of `step` from `low` to `high`.
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

  /// Powers of ten, or of two for bytes; with 2 and 5 times them where there is room.
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
