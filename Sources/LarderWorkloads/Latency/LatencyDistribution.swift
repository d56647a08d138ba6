import LarderEngine

/// How long one access takes, apart from the part that grows with the size. Nanoseconds.
///
/// Quantiles and means are the same to the last bit on every machine: they use
/// `DeterministicMath`.
package enum LatencyDistribution: Sendable, Hashable {
  /// Always the same.
  case constant(Double)
  /// Normal, of which only what is not negative is kept.
  case normal(mean: Double, deviation: Double)
  /// Log-normal: the logarithm is normal with standard deviation `sigma`.
  case logNormal(median: Double, sigma: Double)
  /// Measured values, each as likely as the others.
  case empirical(LatencySamples)

  /// Whether every access takes equally long.
  package var isConstant: Bool {
    switch self {
    case .constant: true
    case .normal(_, let deviation): deviation == 0
    case .logNormal(_, let sigma): sigma == 0
    case .empirical(let samples): samples.sorted.first == samples.sorted.last
    }
  }

  /// The time that a share `p` of the accesses does not exceed; `p` is between 0 and 1, both
  /// excluded.
  package func quantile(_ p: Double) -> Double {
    switch self {
    case .constant(let value):
      return value
    case .normal(let mean, let deviation):
      guard deviation > 0 else { return mean }
      let cut = StandardNormal.below(-mean / deviation)
      let z = DeterministicMath.normalQuantile(cut + p * (1 - cut))
      return max(0, mean + deviation * z)
    case .logNormal(let median, let sigma):
      return median * DeterministicMath.exp(sigma * DeterministicMath.normalQuantile(p))
    case .empirical(let samples):
      let index = Int(p * Double(samples.sorted.count))
      return samples.sorted[min(max(index, 0), samples.sorted.count - 1)]
    }
  }

  /// The mean, in closed form.
  package var mean: Double {
    switch self {
    case .constant(let value):
      return value
    case .normal(let mean, let deviation):
      guard deviation > 0 else { return mean }
      let cut = -mean / deviation
      return mean + deviation * StandardNormal.density(cut) / (1 - StandardNormal.below(cut))
    case .logNormal(let median, let sigma):
      return median * DeterministicMath.exp(sigma * sigma / 2)
    case .empirical(let samples):
      return samples.sorted.reduce(0, +) / Double(samples.sorted.count)
    }
  }

  /// Equally likely times that stand for the distribution: one if it is constant, the values
  /// themselves if there are no more than `limit`, else the middles of `limit` equal slices.
  package func grid(limit: Int) -> [Double] {
    if isConstant { return [quantile(0.5)] }
    if case .empirical(let samples) = self, samples.sorted.count <= limit { return samples.sorted }
    return (0..<limit).map { quantile((Double($0) + 0.5) / Double(limit)) }
  }
}

/// Measured latencies in nanoseconds: sorted, at least one.
package struct LatencySamples: Sendable, Hashable {
  /// The values, smallest first.
  package let sorted: [Double]

  /// Sorts the values; nil when there are none.
  package init?(_ values: [Double]) {
    guard !values.isEmpty else { return nil }
    sorted = values.sorted()
  }
}

/// The standard normal distribution.
enum StandardNormal {
  /// The share of the distribution below `z`, found by bisecting its inverse so that it is the same
  /// on every machine.
  static func below(_ z: Double) -> Double {
    if z > 0 { return 1 - below(-z) }
    guard z > -37 else { return 0 }
    // Positive numbers are in the order of their bits.
    var low = UInt64(0)
    var high = (0.5).bitPattern
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if DeterministicMath.normalQuantile(Double(bitPattern: middle)) <= z {
        low = middle
      } else {
        high = middle
      }
    }
    return Double(bitPattern: z == 0 ? high : low)
  }

  /// The density at `z`.
  static func density(_ z: Double) -> Double {
    DeterministicMath.exp(-z * z / 2) / (2 * Double.pi).squareRoot()
  }
}
