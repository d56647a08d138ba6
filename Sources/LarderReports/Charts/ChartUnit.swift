import LarderSystem

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
