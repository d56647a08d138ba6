extension LatencyModel {
  /// The model in words, for a report on configurations of these kinds.
  package func describe(for kinds: Set<ConfigurationKind> = Set(ConfigurationKind.allCases))
    -> String
  {
    var places: [String] = []
    if kinds.contains(.memory) || kinds.contains(.hybrid) {
      places.append("memory \(memory.words)")
    }
    if kinds.contains(.disk) || kinds.contains(.hybrid) {
      places.append("disk \(disk.words)")
    }
    places.append(
      "origin "
        + (isOriginFromTrace ? "as the trace's costs say, in milliseconds" : origin.words))
    return "Access times are computed from a model, not measured: "
      + places.joined(separator: "; ")
      + ". A request is charged for every lookup, in order, and for the transfer from the tier "
      + "that has the object; storing is not charged."
  }
}

extension AccessLatency {
  /// The access in words.
  var words: String {
    guard nanosecondsPerByte > 0 else { return base.words }
    return "\(base.words) plus \(Self.number(nanosecondsPerByte)) ns per byte"
  }

  /// At most three decimals, without trailing zeros.
  static func number(_ value: Double) -> String {
    let rounded = (value * 1000).rounded() / 1000
    guard rounded != 0 || value == 0 else { return "\(value)" }
    return rounded == rounded.rounded() && rounded < 1e15 ? "\(Int64(rounded))" : "\(rounded)"
  }

  /// A time in the unit that suits it.
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
  /// The distribution in words.
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
