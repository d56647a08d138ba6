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
  }
}

enum ChartUnit: Sendable, Hashable {
  case number, objects, bytes, percent, points, nanoseconds

  private var scale: (factor: Double, units: [String])? {
    switch self {
    case .objects: (1000, ["", "k", "M", "G", "T"])
    case .bytes: (1024, [" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"])
    case .nanoseconds: (1000, [" ns", " µs", " ms", " s"])
    case .number, .percent, .points: nil
    }
  }

  func tick(_ value: Double) -> String {
    if self == .nanoseconds, value == 0 { return "0" }
    guard let scale else { return ChartText.short(value * factor) + (self == .percent ? " %" : "") }
    return ChartText.scaled(value, by: scale.factor, units: scale.units)
  }

  func value(_ value: Double) -> String {
    guard let scale else {
      let unit = self == .percent ? " %" : self == .points ? " points" : ""
      return (NumberText.fixed(value * factor, decimals: 2) ?? "–") + unit
    }
    guard let whole = UInt64(exactly: value.rounded()), value != 0 else { return tick(value) }
    return switch self {
    case .objects: NumberText.grouped(whole)
    case .bytes: NumberText.bytes(whole)
    default: ChartText.scaled(value, by: scale.factor, units: scale.units, isTrimmed: false)
    }
  }

  var factor: Double { self == .percent || self == .points ? 100 : 1 }

  init(_ unit: CapacityUnit) { self = unit == .objects ? .objects : .bytes }
}

/// Maps values of an axis to positions. Uses its own logarithm, so that drawings are equal to the
/// byte on every machine.
struct ChartScale {
  let axis: ChartAxis
  let range: ClosedRange<Double>
  let ticks: [ChartAxis.Tick]
  private let ends: (first: Double, last: Double)

  /// A scale that covers all `values`, drawn from `first` to `last`, with about `count` ticks.
  /// `fromZero` includes 0, which bars need and points do not.
  init(
    _ axis: ChartAxis, values: [Double], from first: Double, to last: Double, count: Int = 6,
    fromZero: Bool = false
  ) {
    let usable = values.filter { $0.isFinite && (!axis.isLogarithmic || $0 > 0) }
    var low = axis.range?.lowerBound ?? usable.min() ?? (axis.isLogarithmic ? 1 : 0)
    var high = axis.range?.upperBound ?? usable.max() ?? (axis.isLogarithmic ? 10 : 1)
    var ticks: [Double]
    if axis.isLogarithmic {
      (low, high) = (max(low, .leastNormalMagnitude), max(high, .leastNormalMagnitude))
      if low == high { (low, high) = (low / 2, high * 2) }
      ticks = ChartTicks.logarithmic(low, high, isBinary: axis.unit == .bytes, count: count)
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
      ticks = ChartTicks.linear(low, high, step: step)
    }
    self.axis = axis
    self.ticks =
      axis.ticks ?? ticks.map { ChartAxis.Tick(value: $0, label: axis.unit.tick($0)) }
    range = low...high
    ends = (first, last)
  }

  /// The position of `value`; values outside of the range are drawn at its end.
  func place(_ value: Double) -> Double {
    let inside = min(max(value, range.lowerBound), range.upperBound)
    let (low, high) = (measure(range.lowerBound), measure(range.upperBound))
    return ends.first + (measure(inside) - low) / (high - low) * (ends.last - ends.first)
  }

  private func measure(_ value: Double) -> Double {
    axis.isLogarithmic ? DeterministicMath.log(value) : value
  }
}

enum ChartTicks {
  /// A step of 1, 2, 2.5 or 5 times a power of ten that divides the range into about `count` parts.
  static func step(_ low: Double, _ high: Double, factor: Double, count: Int) -> Double {
    let span = (high - low) * factor
    guard span > 0, span.isFinite else { return 1 / factor }
    let raw = span / Double(max(1, count))
    let power = power(of: 10, below: raw)
    let step = [1, 2, 2.5, 5, 10].map { $0 * power }.first { $0 >= raw * 0.999 } ?? 10 * power
    return step / factor
  }

  static func linear(_ low: Double, _ high: Double, step: Double) -> [Double] {
    let first = (low / step - 1e-9).rounded(.up)
    let last = (high / step + 1e-9).rounded(.down)
    guard first <= last, last - first < 100 else { return [] }
    return stride(from: first, through: last, by: 1).map { $0 * step }
  }

  /// Powers of ten, or of two for bytes; also 2 and 5 times them if there is room.
  static func logarithmic(
    _ low: Double, _ high: Double, isBinary: Bool, count: Int
  ) -> [Double] {
    let candidates =
      isBinary
      ? [2.0, 4, 8, 16, 32, 64, 1024].map { powers(low, high, base: $0, times: [1]) }
      : [[1.0, 2, 5], [1, 3], [1]].map { powers(low, high, base: 10, times: $0) }
        + [100.0, 1000, 1e6].map { powers(low, high, base: $0, times: [1]) }
    let fitting = candidates.first { $0.count <= count + 1 } ?? candidates.last ?? []
    return fitting.count < 2 ? candidates[0] : fitting
  }

  private static func power(of base: Double, below limit: Double) -> Double {
    var power = 1.0
    while power > limit { power /= base }
    while power * base <= limit { power *= base }
    return power
  }

  private static func powers(
    _ low: Double, _ high: Double, base: Double, times: [Double]
  ) -> [Double] {
    var power = power(of: base, below: low)
    var values: [Double] = []
    while power <= high * 1.0001, values.count < 200 {
      values += times.map { $0 * power }.filter { $0 >= low * 0.9999 && $0 <= high * 1.0001 }
      power *= base
    }
    return values
  }
}

enum ChartText {
  static func place(_ value: Double) -> String { NumberText.trimmed(value, decimals: 1) }

  static func short(_ value: Double) -> String {
    let size = value.magnitude
    let decimals = size >= 100 ? 1 : size >= 1 ? 2 : size >= 0.01 ? 4 : 8
    return NumberText.trimmed(value, decimals: decimals)
  }

  /// A number in the largest of `units` that leaves at least 1; each is `factor` times the one
  /// before.
  static func scaled(
    _ value: Double, by factor: Double, units: [String], isTrimmed: Bool = true
  ) -> String {
    var rest = value
    var unit = 0
    // A value that would round up to the next unit is shown in it.
    while unit + 1 < units.count, rest.magnitude >= factor * 0.9995 {
      rest /= factor
      unit += 1
    }
    let decimals = rest.magnitude >= 100 ? 0 : rest.magnitude >= 10 ? 1 : 2
    // Whole nanoseconds and whole bytes have no fraction.
    let shown = unit == 0 && rest == rest.rounded() ? 0 : decimals
    let text = isTrimmed ? nil : NumberText.fixed(rest, decimals: shown)
    return (text ?? NumberText.trimmed(rest, decimals: decimals)) + units[unit]
  }

  /// The approximate width of `text` in the unit of `size`. Fonts differ, so this rounds up.
  static func width(_ text: String, size: Double = SVGCanvas.textSize) -> Double {
    text.unicodeScalars.reduce(0) { $0 + size * em($1) }
  }

  static func widest(_ texts: [String]) -> Double { texts.map { width($0) }.max() ?? 0 }

  private static func em(_ scalar: Unicode.Scalar) -> Double {
    switch scalar {
    case "i", "j", "l", "I", ".", ",", ":", ";", "'", "|", "!", "(", ")", " ": 0.34
    case "f", "r", "t", "-", "[", "]": 0.42
    case "m", "w", "M", "W", "%", "@": 0.92
    case "A"..."Z": 0.7
    default: scalar.value < 0x1100 ? 0.62 : 1.05
    }
  }

  static func fitted(
    _ text: String, width: Double, size: Double = SVGCanvas.textSize
  ) -> String {
    guard self.width(text, size: size) > width else { return text }
    var kept = text
    while !kept.isEmpty, self.width(kept + "…", size: size) > width { kept.removeLast() }
    return kept + "…"
  }

  static func lines(_ text: String, width: Double, size: Double) -> [String] {
    text.split(separator: " ").reduce(into: []) { lines, word in
      if let last = lines.last, self.width("\(last) \(word)", size: size) <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(fitted(String(word), width: width, size: size))
      }
    }
  }
}
