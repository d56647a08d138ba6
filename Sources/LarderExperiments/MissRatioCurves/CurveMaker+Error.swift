import LarderEngine

/// Estimates beside exact counts.
extension CurveMaker {
  /// At how many capacities a policy is simulated to see how far an estimate is off.
  private static var comparedMax: Int { 10 }

  /// How far the points of an estimate are from exact counts: for LRU all of them, for a policy
  /// that has to be simulated some, spread evenly.
  func measuredError(
    _ policy: PolicySpec, _ points: [MissRatioCurve.Point]
  ) throws -> MissRatioCurve.MeasuredError {
    var compared = points
    let exact: [UInt64]
    if isLRU(policy), !expires {
      let capacities = points.map(\.capacity)
      exact = try lruHits(policy, capacities, trusting: try stackDistances(capacities)).map(\.hits)
    } else {
      let count = min(Self.comparedMax, points.count)
      compared = (0..<count).map { points[(points.count - 1) * $0 / max(1, count - 1)] }
      exact = try replay(
        [policy], compared.map(\.capacity), over: trace, title: "Measuring the error"
      ).map(\.hits)
    }
    let differences = zip(compared, exact).map { point, hits in
      (point.hitRatio - Double(hits) / Double(gets)).magnitude
    }
    return MissRatioCurve.MeasuredError(
      mean: differences.reduce(0, +) / Double(max(1, differences.count)),
      largest: differences.max() ?? 0, capacities: differences.count)
  }
}
