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

/// The curves of one trace.
package struct TraceCurves: Sendable, Hashable {
  /// What is known of the trace.
  package var facts: TraceFacts
  /// What capacities count.
  package var unit: CapacityUnit
  /// One a policy, in the order asked for.
  package var curves: [MissRatioCurve]
  /// What to know of how they came about.
  package var notes: [String]

  /// Curves; see the properties for the meaning of each part.
  package init(
    facts: TraceFacts, unit: CapacityUnit, curves: [MissRatioCurve], notes: [String] = []
  ) {
    self.facts = facts
    self.unit = unit
    self.curves = curves
    self.notes = notes
  }

  /// Gives the trace another name in all curves.
  package mutating func rename(_ name: String) {
    facts.name = name
    for place in curves.indices { curves[place].trace = name }
  }
}

/// Which curves to make of a trace, and how.
package struct CurveSettings: Sendable, Hashable {
  /// The policies.
  package var policies: [PolicySpec]
  /// The capacities; empty for `points` of them up to the footprint, each larger by one factor.
  package var capacities: [CapacitySpec]
  /// How many capacities to choose where none are named.
  package var points: Int
  /// What capacities count; nil for bytes where the trace has sizes and objects where not.
  package var unit: CapacityUnit?
  /// How the curves come about.
  package var method: CurveMethod
  /// The share of the objects that a sample has; nil to choose one.
  package var rate: Double?
  /// How many objects SHARDS keeps; nil for a fixed rate.
  package var samples: Int?
  /// Chooses the sample, and drives random policies.
  package var seed: UInt64
  /// Whether estimates are compared with exact counts.
  package var measuresError: Bool
  /// The share of the best hit ratio that a smallest cache is looked for.
  package var share: Share
  /// Cells that are simulated at the same time. Curves do not depend on it.
  package var threads: Int

  /// Settings; see the properties for the meaning of each part.
  package init(
    policies: [PolicySpec], capacities: [CapacitySpec] = [], points: Int = 50,
    unit: CapacityUnit? = nil, method: CurveMethod = .auto, rate: Double? = nil,
    samples: Int? = nil, seed: UInt64 = 1, measuresError: Bool = false,
    share: Share = Share(percent: 90), threads: Int = 1
  ) {
    self.policies = policies
    self.capacities = capacities
    self.points = points
    self.unit = unit
    self.method = method
    self.rate = rate
    self.samples = samples
    self.seed = seed
    self.measuresError = measuresError
    self.share = share
    self.threads = threads
  }

  /// Requests that may be replayed for a policy before a sample takes the trace's place.
  static let replayedMax = 200_000_000
  /// A sample has this many objects at least, or all that there are.
  static let sampledObjectsMin = 128
  /// What is sampled for SHARDS where nothing else is said.
  static let defaultRate = 0.001
  /// A capacity that is chosen for an estimate has room for so many sampled objects.
  static let scaledObjectsMin = 10.0
}

/// How a curve comes about.
package enum CurveMethod: String, Sendable, Hashable, CaseIterable {
  /// What is exact where that takes seconds, and a miniature simulation elsewhere; with a rate, a
  /// sample of it: SHARDS for LRU, and a miniature simulation for other policies.
  case auto
  /// Exact counts: for LRU from stack distances, in one pass; for other policies, and where stack
  /// distances cannot tell, from a simulation at each capacity.
  case exact
  /// LRU's stack distances in a sample of the objects: Waldspurger, Park, Garthwaite and Ahmad,
  /// Efficient MRC construction with SHARDS, FAST 2015.
  case shards
  /// Any policy on a sample of the objects, with its capacity scaled down alike: Waldspurger,
  /// Saemundsson, Ahmad and Park, Cache modeling and optimization using miniature simulations,
  /// USENIX ATC 2017.
  case miniature
}

/// Capacities at which a curve is looked at.
enum CurveGrid {
  /// `count` capacities from `low` to `high`, each larger by the same factor, rounded to whole ones
  /// and distinct: so there may be fewer.
  static func logarithmic(from low: UInt64, to high: UInt64, count: Int) -> [UInt64] {
    let low = max(1, min(low, high))
    guard count > 1, high > low else { return [max(1, high)] }
    let span = DeterministicMath.log(Double(high) / Double(low))
    var grid: [UInt64] = []
    for place in 0..<count {
      let factor = DeterministicMath.exp(span * Double(place) / Double(count - 1))
      let capacity = place == count - 1 ? high : UInt64((Double(low) * factor).rounded())
      if grid.last.map({ capacity > $0 }) ?? true { grid.append(min(capacity, high)) }
    }
    return grid
  }
}

/// Finds the knees of a rising curve: where what comes after is worth less than what came before.
///
/// Kneedle (Satopaa, Albrecht, Irwin and Raghavan, Finding a "Kneedle" in a haystack, ICDCS
/// Workshops 2011), offline, with sensitivity 1 and without smoothing: the curve is scaled to the
/// unit square; a local maximum of its height above the diagonal is a knee when the height then
/// falls by the mean distance of the points before it rises again. Both axes are linear, since a
/// byte of capacity costs what every other one does.
enum Knees {
  /// The places of the knees in `points`, which ascend by x. O(points).
  static func of(_ points: [(x: Double, y: Double)]) -> [Int] {
    guard let first = points.first, let last = points.last, points.count > 2 else { return [] }
    let (low, high) = (points.map(\.y).min() ?? 0, points.map(\.y).max() ?? 0)
    guard last.x > first.x, high > low else { return [] }
    let heights = points.map { point in
      (point.y - low) / (high - low) - (point.x - first.x) / (last.x - first.x)
    }
    let step = 1 / Double(points.count - 1)
    var knees: [Int] = []
    var candidate: Int?
    for place in 1..<points.count {
      let height = heights[place]
      let isRising = height > heights[place - 1]
      let falls = place + 1 == points.count || heights[place + 1] <= height
      if isRising, falls {
        // The best of what has not fallen in between.
        if candidate.map({ height > heights[$0] }) ?? true { candidate = place }
      } else if let found = candidate, height < heights[found] - step {
        knees.append(found)
        candidate = nil
      }
    }
    return knees
  }
}
