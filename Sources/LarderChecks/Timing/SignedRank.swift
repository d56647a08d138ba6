/// Wilcoxon's signed-rank test, turned into an interval for the centre of symmetric values.
///
/// Wilcoxon, Individual Comparisons by Ranking Methods, Biometrics Bulletin 1 (1945); the interval
/// from the means of all pairs: Hodges and Lehmann, Estimates of Location Based on Rank Tests,
/// Annals of Mathematical Statistics 34 (1963), as in Hollander and Wolfe, Nonparametric
/// Statistical Methods (1973), chapter 3. Nothing but symmetry is asked of the values: no normal
/// distribution, and outliers weigh no more than their rank.
package enum SignedRank {
  /// The largest sum of positive ranks that is at most `tail` likely when the centre is 0, or nil
  /// when even 0 is likelier: there are too few values to say anything. Exact, O(n^3).
  package static func critical(count: Int, tail: Double) -> Int? {
    guard count > 0 else { return nil }
    // The chance of each sum, one rank after the other: it is positive or it is not.
    let largest = count * (count + 1) / 4
    var chances = [Double](repeating: 0, count: largest + 1)
    chances[0] = 1
    for rank in 1...count {
      for sum in stride(from: largest, through: 0, by: -1) {
        chances[sum] = (chances[sum] + (sum >= rank ? chances[sum - rank] : 0)) / 2
      }
    }
    var total = 0.0
    var critical: Int?
    for (sum, chance) in chances.enumerated() {
      total += chance
      guard total <= tail else { break }
      critical = sum
    }
    return critical
  }

  /// The centre of the values and an interval that misses it on either side with a chance of at
  /// most `tail`; its ends are infinite when there are too few values. O(n^2 log n) and the cost of
  /// `critical`.
  package static func interval(_ values: [Double], tail: Double) -> CentreInterval? {
    guard !values.isEmpty else { return nil }
    var means: [Double] = []
    means.reserveCapacity(values.count * (values.count + 1) / 2)
    for (index, first) in values.enumerated() {
      for second in values[index...] { means.append((first + second) / 2) }
    }
    means.sort()
    let middle = means.count / 2
    let centre =
      means.count.isMultiple(of: 2) ? (means[middle - 1] + means[middle]) / 2 : means[middle]
    guard let critical = critical(count: values.count, tail: tail) else {
      return CentreInterval(centre: centre, lower: -.infinity, upper: .infinity)
    }
    return CentreInterval(
      centre: centre, lower: means[critical], upper: means[means.count - 1 - critical])
  }
}
