import LarderEngine
import LarderSupport

/// Cost of an access to each tier and the origin.
package struct LatencyModel: Sendable, Hashable {
  package var memory = AccessLatency()
  package var disk = AccessLatency()
  package var origin: AccessLatency
  package var isOriginFromTrace = false

  package func places(of kind: ConfigurationKind) -> [AccessLatency] {
    switch kind {
    case .memory: [memory, origin]
    case .disk: [disk, origin]
    case .hybrid: [memory, disk, origin]
    }
  }
}

/// Time of one access: a random part, and a part proportional to the size.
package struct AccessLatency: Sendable, Hashable {
  package var base = LatencyDistribution.constant(0)
  package var nanosecondsPerByte = 0.0
}

/// Latency of one access in nanoseconds, without the part that is proportional to the size.
package enum LatencyDistribution: Sendable, Hashable {
  case constant(Double)
  case normal(mean: Double, deviation: Double)
  case logNormal(median: Double, sigma: Double)
  case empirical(LatencySamples)

  package var isConstant: Bool {
    switch self {
    case .constant: true
    case .normal(_, let deviation): deviation == 0
    case .logNormal(_, let sigma): sigma == 0
    case .empirical(let samples): samples.sorted.first == samples.sorted.last
    }
  }

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

  package func grid(limit: Int) -> [Double] {
    if isConstant { return [quantile(0.5)] }
    if case .empirical(let samples) = self, samples.sorted.count <= limit { return samples.sorted }
    return (0..<limit).map { quantile((Double($0) + 0.5) / Double(limit)) }
  }
}

/// Measured latencies in nanoseconds: sorted, at least one.
package struct LatencySamples: Sendable, Hashable {
  package let sorted: [Double]

  package init?(_ values: [Double]) {
    guard !values.isEmpty else { return nil }
    sorted = values.sorted()
  }
}

enum StandardNormal {
  /// Share of the distribution below `z`, found by bisecting its inverse so that it is identical on
  /// every machine.
  static func below(_ z: Double) -> Double {
    if z > 0 { return 1 - below(-z) }
    guard z > -37 else { return 0 }
    // The bit patterns of positive numbers have their order.
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

  static func density(_ z: Double) -> Double {
    DeterministicMath.exp(-z * z / 2) / (2 * Double.pi).squareRoot()
  }
}

extension LatencyModel {
  package func describe(for kinds: Set<ConfigurationKind> = Set(ConfigurationKind.allCases))
    -> String
  {
    var places: [String] = []
    if kinds.contains(.memory) || kinds.contains(.hybrid) {
      places.append("memory \(memory.words)")
    }
    if kinds.contains(.disk) || kinds.contains(.hybrid) { places.append("disk \(disk.words)") }
    places.append(
      "origin "
        + (isOriginFromTrace ? "the trace's costs, in milliseconds" : origin.words))
    return "Access times are computed from a model, not measured: "
      + places.joined(separator: "; ")
      + ". A request is charged for every lookup, in order, and for the transfer from the tier "
      + "that has the object; storing is not charged."
  }
}

extension AccessLatency {
  var words: String {
    guard nanosecondsPerByte > 0 else { return base.words }
    return "\(base.words) plus \(Self.number(nanosecondsPerByte)) ns per byte"
  }

  static func number(_ value: Double) -> String {
    let text = NumberText.trimmed(value, decimals: 3)
    return text == "0" && value != 0 ? "\(value)" : text
  }

  static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1000: "\(number(nanoseconds)) ns"
    case ..<1e6: "\(number(nanoseconds / 1000)) us"
    case ..<1e9: "\(number(nanoseconds / 1e6)) ms"
    default: "\(number(nanoseconds / 1e9)) s"
    }
  }
}

extension LatencyDistribution {
  var words: String {
    switch self {
    case .constant(let value):
      return "always \(AccessLatency.time(value))"
    case .normal(let mean, let deviation):
      return "normal, mean \(AccessLatency.time(mean)), standard deviation "
        + "\(AccessLatency.time(deviation)), never negative"
    case .logNormal(let median, let sigma):
      return "log-normal, median \(AccessLatency.time(median)), sigma "
        + AccessLatency.number(sigma)
    case .empirical(let samples):
      let range = [samples.sorted.first, samples.sorted.last].compactMap { $0 }
        .map(AccessLatency.time).joined(separator: " to ")
      return "one of \(samples.sorted.count) measured values from \(range)"
    }
  }
}
