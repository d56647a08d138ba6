import LarderEngine

/// A distribution of sizes in bytes or times to live in seconds. A value is drawn from 64 bits,
/// which come from the object's key, so that an object always has the same value.
enum ValueDistribution: Sendable {
  /// Always the same.
  case constant(UInt32)
  /// Every whole number from `low` to `high` equally likely.
  case uniform(low: UInt32, high: UInt32)
  /// The logarithm is normal; values outside `low ... high` are moved to the nearer bound.
  case logNormal(logMedian: Double, sigma: Double, low: UInt32, high: UInt32)
  /// Bounded Pareto: P(X > x) falls as x^-alpha between `low` and `high`.
  case pareto(alpha: Double, low: UInt32, high: UInt32)
  /// One of the values, by weight.
  case list(values: [UInt32], table: AliasTable)

  /// The value that the bits stand for.
  func value(_ bits: UInt64) -> UInt32 {
    switch self {
    case .constant(let value): return value
    case .uniform(let low, let high):
      return low + UInt32(bits.multipliedFullWidth(by: UInt64(high - low) + 1).high)
    case .logNormal(let logMedian, let sigma, let low, let high):
      // The middle of a step, never 0 or 1.
      let z = DeterministicMath.normalQuantile(RandomStream.unit(bits) + 0x1p-54)
      return Self.whole(DeterministicMath.exp(logMedian + sigma * z), low, high)
    case .pareto(let alpha, let low, let high):
      let ratio = DeterministicMath.pow(Double(low) / Double(high), alpha)
      let rest = 1 - RandomStream.unit(bits) * (1 - ratio)
      return Self.whole(Double(low) / DeterministicMath.pow(rest, 1 / alpha), low, high)
    case .list(let values, let table): return values[table.index(bits)]
    }
  }

  /// The same for every object, so that no draw is needed.
  var constantValue: UInt32? {
    if case .constant(let value) = self { value } else { nil }
  }

  private static func whole(_ value: Double, _ low: UInt32, _ high: UInt32) -> UInt32 {
    UInt32(min(max(value.rounded(), Double(low)), Double(high)))
  }
}
