/// How far the best candidate may be above the chosen one.
struct RegretBound: Sendable {
  /// In points, on the scored part.
  let points: Double

  /// Standard errors that are added to an estimate.
  private static let errors = 2.0

  /// The bound for finalists, of which the first is the chosen one, after some sampled levels.
  ///
  /// For candidates that were dropped it is the estimate of their last sample, relative to that of
  /// the chosen one, with two standard errors. The error of a sample is measured: it is how far the
  /// same differences between finalists were from the exact ones.
  init(_ finalists: [Search.Finalist], _ levels: [[Int: Trial]]) {
    guard let chosen = finalists.first?.trial else {
      points = 0
      return
    }
    var bound = finalists.map { $0.trial.scored - chosen.scored }.max() ?? 0
    let confirmed = Set(finalists.map(\.candidate))
    var last: [Int: (level: Int, advantage: Double)] = [:]
    var errors: [Double] = []
    for (number, level) in levels.enumerated() {
      let base = level[chosen.candidate]?.scored ?? 0
      var squares = 0.0
      var compared = 0.0
      for finalist in finalists.dropFirst() {
        guard let estimate = level[finalist.candidate] else { continue }
        let error = (estimate.scored - base) - (finalist.trial.scored - chosen.scored)
        squares += error * error
        compared += 1
      }
      errors.append(compared > 0 ? (squares / compared).squareRoot() : 0)
      for (candidate, trial) in level where !confirmed.contains(candidate) {
        last[candidate] = (number, trial.scored - base)
      }
    }
    for (level, advantage) in last.values {
      bound = max(bound, advantage + Self.errors * errors[level])
    }
    points = max(0, bound) * 100
  }
}
