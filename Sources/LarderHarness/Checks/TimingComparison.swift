import Foundation
import LarderExperiments

/// How long one cell takes in this build, in proportion to what it is held against.
package struct TimingComparison: Sendable, Hashable {
  /// The cell.
  package var name: TimedName
  /// What was compared of it.
  package var metric: TimedMetric
  /// What it was held against, such as another build.
  package var against: String
  /// What to make of it.
  package var verdict: TimingVerdict
  /// The ratio of this to the other, above 1 where this is slower; nil without measurements.
  package var ratio: CentreInterval?
  /// Independent measurements: pairs of processes, or rounds.
  package var blocks: Int
  /// Measurements of each side.
  package var pairs: Int
  /// Median of the time of one run, or of latencies, seconds, in the other.
  package var otherSeconds: Double
  /// Median of the time of one run, or of latencies, seconds, in this.
  package var thisSeconds: Double
  /// Whether the two had different hits, and so did different work.
  package var doesDifferentWork: Bool

  /// A comparison; see the properties for the meaning of each part.
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

  /// The cell, and what was compared of it: `memory/lru/1%, executed, latency`.
  package var title: String { "\(name)" + (metric == .latency ? ", latency" : "") }
}

/// What two builds are compared by.
package enum TimedMetric: Sendable, Hashable, CaseIterable {
  /// How long a run takes: the inverse of throughput.
  case time
  /// The 99th percentile of the latency of gets, which a run in one thread may hide: a hundredth of
  /// them can take twice as long without making the run much longer.
  case latency

  /// What is compared of a cell that is simulated or executed.
  static func all(of mode: Timing.Mode) -> [TimedMetric] {
    mode == .execute ? allCases : [.time]
  }

  /// The seconds of one of so many runs; nil where this was not measured.
  func seconds(_ time: RepetitionTime, _ mode: Timing.Mode, runs: Int) -> Double? {
    switch self {
    case .time: time.seconds(mode) / Double(max(1, runs))
    case .latency: time.latencyNanoseconds.map { Double(max(1, $0)) / 1e9 }
    }
  }
}

/// An estimate with an interval around it.
package struct CentreInterval: Sendable, Hashable {
  /// The estimate.
  package var centre: Double
  /// The lower end; may be infinite.
  package var lower: Double
  /// The upper end; may be infinite.
  package var upper: Double

  /// An interval; see the properties for the meaning of each part.
  package init(centre: Double, lower: Double, upper: Double) {
    self.centre = centre
    self.lower = lower
    self.upper = upper
  }

  /// The same of ratios, where this is one of their logarithms.
  package var ratios: CentreInterval {
    CentreInterval(centre: exp(centre), lower: exp(lower), upper: exp(upper))
  }

  /// Where the interval lies.
  package func verdict(border: Double) -> TimingVerdict {
    if lower > border { return .fail }
    return upper < border ? .pass : .inconclusive
  }
}

/// What a comparison of timings comes to.
package enum TimingVerdict: String, Sendable, Hashable, CaseIterable {
  /// Not slower by as much as matters.
  case pass
  /// Slower.
  case fail
  /// The measurements do not say.
  case inconclusive
}

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

/// Decides from logarithms of ratios, looked at again and again while they come in, whether their
/// centre lies above or below a border.
///
/// Whoever looks several times and stops when he likes what he sees is wrong more often than he
/// believes. So the chance to be wrong is spent: by the time the part t of the budget has passed,
/// looks have used up at most t^2 of it (Lan and DeMets, Discrete Sequential Boundaries for
/// Clinical Trials, Biometrika 70, 1983; the power family of Kim and DeMets, Biometrika 74, 1987),
/// and each look tests with what has been added since the last. The chances add up whatever the
/// looks have to do with each other. The interval of a look is then a repeated confidence interval
/// (Jennison and Turnbull, Journal of the Royal Statistical Society B 51, 1989): all intervals
/// shown on the way hold together.
package struct SequentialRatioTest: Sendable {
  /// The border between the verdicts, as a logarithm.
  package let border: Double
  /// The chance to be wrong on either side, over all looks.
  package let errorRate: Double
  /// What has been measured.
  package private(set) var logarithms: [Double] = []
  /// The interval of the last look; nil before it.
  package private(set) var interval: CentreInterval?
  /// The verdict of the last look.
  package private(set) var verdict = TimingVerdict.inconclusive
  private var spent = 0.0

  /// Nothing is measured yet.
  package init(border: Double, errorRate: Double) {
    self.border = border
    self.errorRate = errorRate
  }

  /// Adds a ratio's logarithm.
  package mutating func add(_ logarithm: Double) { logarithms.append(logarithm) }

  /// Looks, after the part `progress` of the budget (0 to 1), and says what there is to see. A look
  /// at too few values costs nothing. O(n^3) in the values.
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
