import Foundation
import LarderExperiments

/// The time of one cell in this build relative to a reference.
package struct TimingComparison: Sendable, Hashable {
  package var name: TimedName
  package var metric: TimedMetric
  package var against: String
  package var verdict: TimingVerdict
  /// The ratio of this to the reference, above 1 if this is slower; nil without measurements.
  package var ratio: CentreInterval?
  /// Independent measurements: pairs of processes, or rounds.
  package var blocks: Int
  package var pairs: Int
  /// Median of the time of one run, or of latencies, in seconds, in the reference.
  package var otherSeconds: Double
  /// Median of the time of one run, or of latencies, in seconds, in this build.
  package var thisSeconds: Double
  /// True if the two had different hits, and so did different work.
  package var doesDifferentWork: Bool

  package init(
    name: TimedName, metric: TimedMetric = .time, against: String, verdict: TimingVerdict,
    ratio: CentreInterval?, blocks: Int, pairs: Int, otherSeconds: Double, thisSeconds: Double,
    doesDifferentWork: Bool = false
  ) {
    self.name = name
    self.metric = metric
    self.against = against
    self.verdict = verdict
    self.ratio = ratio
    self.blocks = blocks
    self.pairs = pairs
    self.otherSeconds = otherSeconds
    self.thisSeconds = thisSeconds
    self.doesDifferentWork = doesDifferentWork
  }

  /// The cell and the metric: `memory/lru/1%, executed, latency`.
  package var title: String { "\(name)" + (metric == .latency ? ", latency" : "") }
}

/// The metrics by which two builds are compared.
package enum TimedMetric: Sendable, Hashable, CaseIterable {
  /// The time of a run: the inverse of throughput.
  case time
  /// The 99th percentile of the latency of gets. A run in one thread may hide it: a hundredth of
  /// the gets can take twice as long without making the run much longer.
  case latency

  static func all(of mode: Timing.Mode) -> [TimedMetric] {
    mode == .execute ? allCases : [.time]
  }

  /// The seconds of one of `runs` runs; nil if this was not measured.
  func seconds(_ time: RepetitionTime, _ mode: Timing.Mode, runs: Int) -> Double? {
    switch self {
    case .time: time.seconds(mode) / Double(max(1, runs))
    case .latency: time.latencyNanoseconds.map { Double(max(1, $0)) / 1e9 }
    }
  }
}

/// An estimate with an interval around it.
package struct CentreInterval: Sendable, Hashable {
  package var centre: Double
  /// The lower end; may be infinite.
  package var lower: Double
  /// The upper end; may be infinite.
  package var upper: Double

  package init(centre: Double, lower: Double, upper: Double) {
    self.centre = centre
    self.lower = lower
    self.upper = upper
  }

  /// The interval of ratios, if this is one of their logarithms.
  package var ratios: CentreInterval {
    CentreInterval(centre: exp(centre), lower: exp(lower), upper: exp(upper))
  }

  package func verdict(border: Double) -> TimingVerdict {
    if lower > border { return .fail }
    return upper < border ? .pass : .inconclusive
  }
}

package enum TimingVerdict: String, Sendable, Hashable, CaseIterable {
  case pass
  case fail
  /// The measurements do not decide.
  case inconclusive
}

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
  package let border: Double
  package let errorRate: Double
  package private(set) var logarithms: [Double] = []
  /// The interval of the last look; nil before it.
  package private(set) var interval: CentreInterval?
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
