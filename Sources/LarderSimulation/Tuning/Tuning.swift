import LarderEngine

/// Which configuration of a policy is best for a trace, by capacity.
package struct Tuning: Sendable, Hashable, Codable {
  /// The trace.
  package var trace: String
  /// The policy's name.
  package var policy: String
  /// What capacities count.
  package var unit: CapacityUnit
  /// How many configurations were tried.
  package var configurations: Int
  /// What was found, by capacity.
  package var points: [Point]
  /// What to know of how that came about.
  package var notes: [String]

  private enum CodingKeys: String, CodingKey {
    case trace, policy, unit, configurations, points, notes
  }

  /// A result; see the properties for the meaning of each part.
  package init(
    trace: String, policy: String, unit: CapacityUnit, configurations: Int, points: [Point],
    notes: [String]
  ) {
    self.trace = trace
    self.policy = policy
    self.unit = unit
    self.configurations = configurations
    self.points = points
    self.notes = notes
  }

  /// One capacity.
  package struct Point: Sendable, Hashable, Codable {
    /// The capacity.
    package var capacity: UInt64
    /// Gets.
    package var requests: UInt64
    /// The share of the objects that the configurations were tried on first; 1 for all of them.
    package var sampleRate: Double
    /// The policy with its defaults.
    package var defaults: Trial
    /// The configurations: those that were simulated in full first, then by hit ratio, best first.
    package var trials: [Trial]

    private enum CodingKeys: String, CodingKey {
      case capacity, requests, defaults, trials
      case sampleRate = "sample_rate"
    }

    /// A capacity; see the properties for the meaning of each part.
    package init(
      capacity: UInt64, requests: UInt64, sampleRate: Double, defaults: Trial, trials: [Trial]
    ) {
      self.capacity = capacity
      self.requests = requests
      self.sampleRate = sampleRate
      self.defaults = defaults
      self.trials = trials
    }

    /// The best configuration; nil where none was tried.
    package var best: Trial? { trials.first }
  }

  /// One configuration at one capacity.
  package struct Trial: Sendable, Hashable, Codable {
    /// The policy with its parameters.
    package var policy: String
    /// Hits; nil where they are estimated.
    package var hits: UInt64?
    /// Hits divided by requests.
    package var hitRatio: Double
    /// Standard error of the hit ratio; nil where it is exact.
    package var standardError: Double?

    private enum CodingKeys: String, CodingKey {
      case policy, hits
      case hitRatio = "hit_ratio"
      case standardError = "standard_error"
    }

    /// A trial; see the properties for the meaning of each part.
    package init(policy: String, hits: UInt64?, hitRatio: Double, standardError: Double?) {
      self.policy = policy
      self.hits = hits
      self.hitRatio = hitRatio
      self.standardError = standardError
    }
  }
}
