import LarderEngine

/// Hit ratios of a policy on a trace by capacity; the miss ratio is the complement.
package struct MissRatioCurve: Sendable, Hashable {
  package var trace: String
  package var policy: String
  /// Method of the curve; never `auto`.
  package var method: CurveMethod
  package var unit: CapacityUnit
  package var requests: UInt64
  package var points: [Point]
  /// Share of sampled objects; nil for an exact curve.
  package var rate: Double?
  package var sampledObjects: Int?
  /// Error against the exact curve; nil if not measured.
  package var measuredError: MeasuredError?
  /// Smallest capacity that reaches the requested share of the best hit ratio; nil if the best is
  /// 0.
  package var smallestCache: UInt64?
  package struct Point: Sendable, Hashable {
    package var capacity: UInt64
    /// Hits; nil if estimated.
    package var hits: UInt64?
    package var hitRatio: Double
    /// Standard error of the hit ratio; nil if exact.
    package var standardError: Double?
  }

  /// Difference between estimated and exact hit ratios.
  package struct MeasuredError: Sendable, Hashable {
    package var mean: Double
    package var largest: Double
    package var capacities: Int
  }

  /// Indices in `points` of the knees, after which more capacity gains less.
  package var knees: [Int] { Knees.of(points.map { (Double($0.capacity), $0.hitRatio) }) }

  /// Mean standard error of the points; nil for an exact curve.
  package var meanStandardError: Double? {
    let errors = points.compactMap(\.standardError)
    return errors.isEmpty ? nil : errors.reduce(0, +) / Double(errors.count)
  }
}

/// Curves of one trace.
package struct TraceCurves: Sendable, Hashable {
  package var facts: TraceFacts
  package var unit: CapacityUnit
  package var curves: [MissRatioCurve]
  package var notes: [String] = []

  package mutating func rename(_ name: String) {
    facts.name = name
    for place in curves.indices { curves[place].trace = name }
  }
}

/// Options of curves.
package struct CurveSettings: Sendable, Hashable {
  package var policies: [PolicySpec]
  /// Capacities; empty for `points` of them up to the footprint, in a geometric sequence.
  package var capacities: [CapacitySpec] = []
  package var points = 50
  /// Unit of capacities; nil for bytes if the trace has sizes, and objects otherwise.
  package var unit: CapacityUnit?
  package var method = CurveMethod.auto
  /// Share of the objects in a sample; nil to choose one.
  package var rate: Double?
  /// Number of objects that SHARDS keeps; nil for a fixed rate.
  package var samples: Int?
  package var seed: UInt64 = 1
  package var measuresError = false
  package var share = Share(percent: 90)
  package var threads = 1

  static let replayedMax = 200_000_000
  static let sampledObjectsMin = 128
  static let defaultRate = 0.001
  static let scaledObjectsMin = 10.0
}

/// Method of making a curve.
package enum CurveMethod: String, Sendable, Hashable, CaseIterable {
  /// Exact if that takes seconds, otherwise a miniature simulation; with a rate, SHARDS for LRU,
  /// and a miniature simulation for other policies.
  case auto
  /// Exact counts: for LRU from stack distances in one pass; for other policies, and if stack
  /// distances are not exact, from a simulation at each capacity.
  case exact
  /// LRU's stack distances in a sample of the objects: Waldspurger, Park, Garthwaite and Ahmad,
  /// Efficient MRC construction with SHARDS, FAST 2015.
  case shards
  /// Any policy on a sample of the objects, with equally scaled capacity: Waldspurger, Saemundsson,
  /// Ahmad and Park, Cache modeling and optimization using miniature simulations, USENIX ATC 2017.
  case miniature
}

/// Capacities of the points of a curve.
enum CurveGrid {
  /// Up to `count` capacities from `low` to `high` in a geometric sequence, rounded to whole
  /// numbers and distinct.
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

/// Finds the knees of a rising curve: points after which the gain per capacity falls.
///
/// Kneedle (Satopaa, Albrecht, Irwin and Raghavan, Finding a "Kneedle" in a haystack, ICDCS
/// Workshops 2011), offline, with sensitivity 1 and without smoothing: the curve is scaled to the
/// unit square; a local maximum of its height above the diagonal is a knee if the height then falls
/// by the mean distance of the points before it rises again. Both axes are linear, since all bytes
/// of capacity cost the same.
enum Knees {
  /// Indices of the knees in `points`, which ascend by x. O(points).
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
        // The highest point since the last fall.
        if candidate.map({ height > heights[$0] }) ?? true { candidate = place }
      } else if let found = candidate, height < heights[found] - step {
        knees.append(found)
        candidate = nil
      }
    }
    return knees
  }
}
