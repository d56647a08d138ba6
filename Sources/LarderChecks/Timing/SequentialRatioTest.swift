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
  @discardableResult
  package mutating func look(progress: Double) -> TimingVerdict {
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
