import LarderEngine

/// The hit ratios of a policy on a trace by capacity; what is left to 1 is the miss ratio.
package struct MissRatioCurve: Sendable, Hashable {
  /// The trace.
  package var trace: String
  /// The policy as the user named it.
  package var policy: String
  /// How it came about; never `auto`.
  package var method: CurveMethod
  /// What capacities count.
  package var unit: CapacityUnit
  /// Gets.
  package var requests: UInt64
  /// Its points, by capacity.
  package var points: [Point]
  /// The share of the objects that was sampled; nil for an exact curve.
  package var rate: Double?
  /// How many objects that were.
  package var sampledObjects: Int?
  /// How far it is from the exact curve; nil where that was not measured.
  package var measuredError: MeasuredError?
  /// The smallest capacity that reaches the share of the best hit ratio; nil where the best is 0.
  package var smallestCache: UInt64?
  /// Where more capacity begins to pay less: places in `points`.
  package var knees: [Int]

  /// A capacity with its hit ratio.
  package struct Point: Sendable, Hashable {
    /// The capacity.
    package var capacity: UInt64
    /// Hits; nil where they are estimated.
    package var hits: UInt64?
    /// Hits divided by requests.
    package var hitRatio: Double
    /// Standard error of the hit ratio; nil where it is exact.
    package var standardError: Double?

    /// A point; see the properties for the meaning of each part.
    package init(
      capacity: UInt64, hits: UInt64?, hitRatio: Double, standardError: Double? = nil
    ) {
      self.capacity = capacity
      self.hits = hits
      self.hitRatio = hitRatio
      self.standardError = standardError
    }
  }

  /// The difference between estimated and exact hit ratios.
  package struct MeasuredError: Sendable, Hashable {
    /// Mean of the absolute differences.
    package var mean: Double
    /// The largest of them.
    package var largest: Double
    /// How many capacities were compared.
    package var capacities: Int

    /// An error; see the properties for the meaning of each part.
    package init(mean: Double, largest: Double, capacities: Int) {
      self.mean = mean
      self.largest = largest
      self.capacities = capacities
    }
  }

  /// A curve with its knees.
  package init(
    trace: String, policy: String, method: CurveMethod, unit: CapacityUnit, requests: UInt64,
    points: [Point], rate: Double? = nil, sampledObjects: Int? = nil,
    measuredError: MeasuredError? = nil, smallestCache: UInt64? = nil
  ) {
    self.trace = trace
    self.policy = policy
    self.method = method
    self.unit = unit
    self.requests = requests
    self.points = points
    self.rate = rate
    self.sampledObjects = sampledObjects
    self.measuredError = measuredError
    self.smallestCache = smallestCache
    knees = Knees.of(points.map { (Double($0.capacity), $0.hitRatio) })
  }

  /// The mean of the standard errors of the points; nil for an exact curve.
  package var meanStandardError: Double? {
    let errors = points.compactMap(\.standardError)
    return errors.isEmpty ? nil : errors.reduce(0, +) / Double(errors.count)
  }
}
