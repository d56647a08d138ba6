/// What a candidate reached in one step of a search.
struct Trial: Sendable {
  /// Its place among the candidates.
  var candidate: Int
  /// Hit ratio on the part that is chosen on, at the capacity and at those looked at besides.
  var learned: [Double]
  /// Hit ratio on the part that is scored.
  var scored: Double
  /// Hit ratios of the two halves of the trace.
  var halves: [Double]
}

/// Chooses among candidates.
enum Choice {
  /// The capacities looked at besides the one asked for, as parts of it, with the weight of each.
  ///
  /// The part of a trace that is chosen on is too short to fill a large cache, or to tell close
  /// candidates apart; a smaller cache goes through the same in less time. Measured over the traces
  /// of the regret table, this halves the mean regret on the rest and divides its largest by four.
  static let lookedAt: [(part: Double, weight: Double)] = [(1, 1), (0.5, 0.7), (0.25, 0.7)]

  /// How much each trial falls short of the best at each capacity, weighted: 0 for one that is the
  /// best at all of them.
  static func shortfalls(_ trials: [Trial]) -> [Double] {
    let capacities = trials.first?.learned.count ?? 0
    let best = (0..<capacities).map { place in trials.map { $0.learned[place] }.max() ?? 0 }
    return trials.map { trial in
      best.indices.reduce(0) { sum, place in
        sum + lookedAt[place].weight * (best[place] - trial.learned[place])
      }
    }
  }

  /// The places of the trials, the best first; of equals the one that comes first among the
  /// candidates.
  static func ranking(_ trials: [Trial]) -> [Int] {
    // Rounded: sums of the same values in another order differ in their last bits.
    let keys = shortfalls(trials).map { ($0 * 1e12).rounded() }
    return trials.indices.sorted { left, right in
      keys[left] == keys[right]
        ? trials[left].candidate < trials[right].candidate : keys[left] < keys[right]
    }
  }
}
