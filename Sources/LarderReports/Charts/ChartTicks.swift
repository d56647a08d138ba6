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
