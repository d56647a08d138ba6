import LarderExperiments

/// Wilcoxon's signed-rank test, turned into an interval for the centre of symmetric values.
///
/// Wilcoxon, Individual Comparisons by Ranking Methods, Biometrics Bulletin 1 (1945); the interval
/// from the means of all pairs: Hodges and Lehmann, Estimates of Location Based on Rank Tests,
/// Annals of Mathematical Statistics 34 (1963), as in Hollander and Wolfe, Nonparametric
/// Statistical Methods (1973), chapter 3. It requires symmetric values only: no normal
/// distribution, and outliers weigh no more than their rank.
package enum SignedRank {
  /// The largest sum of positive ranks whose cumulative probability is at most `tail` if the centre
  /// is 0; nil if even 0 is likelier, that is, there are too few values. Exact, O(n^3).
  package static func critical(count: Int, tail: Double) -> Int? {
    guard count > 0 else { return nil }
    // The probability of each sum, rank by rank: each is positive or not.
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

  /// The centre of the values and an interval that misses it on either side with a probability of
  /// at most `tail`; its ends are infinite if there are too few values. O(n^2 log n) and the cost
  /// of `critical`.
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

/// A sequential test of logarithms of ratios: decides whether their centre lies above or below a
/// border, with repeated looks at the data as they arrive.
///
/// Repeated looks inflate the error rate, so the error probability is spent over the looks: after
/// the part t of the budget, looks have used at most t^2 of it (Lan and DeMets, Discrete Sequential
/// Boundaries for Clinical Trials, Biometrika 70, 1983; the power family of Kim and DeMets,
/// Biometrika 74, 1987), and each look tests with the increase since the last. The probabilities
/// add up whatever the dependence between looks. The interval of a look is then a repeated
/// confidence interval (Jennison and Turnbull, Journal of the Royal Statistical Society B 51,
/// 1989): all intervals shown on the way hold together.
package struct SequentialRatioTest: Sendable {
  /// The border between the verdicts, as a logarithm.
  package let border: Double
  /// The probability of an error on either side, over all looks.
  package let errorRate: Double
  /// The measurements so far.
  package private(set) var logarithms: [Double] = []
  /// The interval of the last look; nil before it.
  package private(set) var interval: CentreInterval?
  /// The verdict of the last look.
  package private(set) var verdict = TimingVerdict.inconclusive
  private var spent = 0.0

  package init(border: Double, errorRate: Double) {
    self.border = border
    self.errorRate = errorRate
  }

  package mutating func add(_ logarithm: Double) { logarithms.append(logarithm) }

  /// Looks at the data after the part `progress` of the budget (0 to 1) and returns the verdict. A
  /// look at too few values spends nothing. O(n^3) in the values.
  @discardableResult package mutating func look(progress: Double) -> TimingVerdict {
    let progress = min(max(progress, 0), 1)
    let allowed = errorRate * progress * progress
    guard let interval = SignedRank.interval(logarithms, tail: allowed - spent) else {
      return verdict
    }
    if self.interval == nil || interval.lower.isFinite { self.interval = interval }
    guard interval.lower.isFinite else { return verdict }
    spent = allowed
    verdict = interval.verdict(border: border)
    return verdict
  }
}
