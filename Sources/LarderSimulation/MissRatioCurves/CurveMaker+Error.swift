import LarderEngine
import LarderTraces

/// Estimates beside exact counts.
extension CurveMaker {
  /// At how many capacities an estimate of LRU is compared, and at how many one of a policy that
  /// has to be simulated.
  private static var comparedMax: (lru: UInt64, simulated: Int) { (100, 10) }

  /// Capacities spread evenly up to the footprint, for SHARDS: its authors measure there, too.
  var comparedCapacities: [UInt64] {
    let count = Self.comparedMax.lru
    let steps = (1...count).map { step in
      footprint / count * step + footprint % count * step / count
    }
    return Set(steps.filter { $0 > 0 }).sorted()
  }

  /// How far estimates are from exact counts: for LRU all of them, for a policy that has to be
  /// simulated some.
  func measuredError(
    _ policy: PolicySpec, _ estimates: [(capacity: UInt64, hitRatio: Double)]
  ) throws -> MissRatioCurve.MeasuredError {
    var compared = estimates
    let exact: [UInt64]
    if isLRU(policy), !expires {
      let capacities = estimates.map(\.capacity)
      exact = try lruHits(policy, capacities, trusting: try stackDistances(capacities)).map(\.hits)
    } else {
      let count = min(Self.comparedMax.simulated, estimates.count)
      compared = (0..<count).map { estimates[(estimates.count - 1) * $0 / max(1, count - 1)] }
      exact = try replay(
        [policy], compared.map(\.capacity), over: trace, title: "Measuring the error"
      ).map(\.hits)
    }
    let differences = zip(compared, exact).map { estimate, hits in
      (estimate.hitRatio - Double(hits) / Double(gets)).magnitude
    }
    return MissRatioCurve.MeasuredError(
      mean: differences.reduce(0, +) / Double(max(1, differences.count)),
      largest: differences.max() ?? 0, capacities: differences.count)
  }
}
