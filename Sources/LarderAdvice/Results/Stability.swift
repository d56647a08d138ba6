/// How much the advice depends on the part of the trace, and on single objects.
package struct Stability: Sendable, Hashable, Codable {
  /// The best design in the first half of the trace, and in the second.
  package var halves: [DesignResult]
  /// Points that the best of each half loses in the other half against the best there: the larger
  /// of the two.
  package var disagreementPoints: Double
  /// Whether that is more than 0.5 points.
  package var changes: Bool
  /// The design whose larger loss in the two halves is the smallest.
  package var safest: DesignResult
  /// That loss, points.
  package var safestLossPoints: Double
  /// Points that the chosen design is above LRU, with an interval of 95 % from a bootstrap over
  /// parts of the objects; nil where samples would be too small.
  package var advantage: Interval?
  /// The share of the resamples in which the chosen design is at most 0.2 points below the best
  /// finalist.
  package var confirmedShare: Double?

  /// An estimate with its interval.
  package struct Interval: Sendable, Hashable, Codable {
    /// The estimate.
    package var estimate: Double
    /// 2.5 % of the resamples are below.
    package var low: Double
    /// 2.5 % of the resamples are above.
    package var high: Double
  }
}
