import LarderEngine
import LarderTraces

/// Finds the best candidate at one capacity: miniature simulations on growing samples eliminate
/// candidates, and exact simulations compare the rest.
struct Search {
  let trace: PreparedTrace
  let candidates: [Candidate]
  let segments: Segments
  let replayer: Replayer
  let capacity: UInt64
  let budget: Double
  let seed: UInt64
  let tier: StorageTier
  /// True to replay smaller capacities as well.
  let looksAround: Bool

  struct Outcome: Sendable {
    var finalists: [Finalist]
    var regretBound: Double
    var isExhaustive: Bool
    var replayed: Double
  }

  struct Finalist: Sendable {
    var candidate: Int
    var trial: Trial
    var counts: [Counts]
  }

  static let scaledObjectsMin = 64.0

  private var references: [Int] {
    candidates.indices.filter { ["lru", "auto"].contains(candidates[$0].description) }
  }

  private var lookedAt: [UInt64] {
    guard looksAround else { return [capacity] }
    return Choice.lookedAt.map { max(1, UInt64((Double(capacity) * $0.part).rounded())) }
  }

  func run() throws -> Outcome {
    let effort = effort
    let whole = MiniTrace(whole: trace, ends: segments.ends)
    var sampled: [[Int: Trial]] = []
    var survivors = Array(candidates.indices)
    var replayed = 0.0
    for level in effort.levels.dropLast() {
      let mini = try sample(share: level.share, number: sampled.count)
      let trials = try trials(survivors, over: mini)
      replayed += Double(mini.trace.requests.count * survivors.count * lookedAt.count)
      sampled.append(Dictionary(uniqueKeysWithValues: trials.map { ($0.candidate, $0) }))
      let next = effort.levels[sampled.count].candidates
      let ranked = Choice.ranking(trials).map { trials[$0] }
      var kept = ranked.prefix(next).map(\.candidate)
      // The simplest design within 0.2 points of the best, which may be recommended.
      let simple = Choice.simplest(of: ranked, by: \.candidate) {
        Choice.isEqual($0.learned[0], $1.learned[0])
      }?.candidate
      if let simple, !kept.contains(simple) { kept.append(simple) }
      kept += references.filter { !kept.contains($0) }
      survivors = kept.sorted()
    }
    let last = sampled.last
    let exact = try finalists(survivors, over: whole, after: last)
    replayed += Double(trace.requests.count * survivors.count * (last == nil ? lookedAt.count : 1))
    let ranking = Choice.ranking(exact.map(\.trial))
    let finalists = ranking.map { exact[$0] }
    return Outcome(
      finalists: finalists, regretBound: RegretBound(finalists, sampled).points,
      isExhaustive: effort.isExhaustive, replayed: replayed)
  }

  private var effort: Effort {
    // A part of the blocks, or a cold cache, is not informative about prefixes.
    if replayer.prefix != nil { return Effort(exhaustive: candidates.count) }
    return Effort(
      candidates: candidates.count, requests: trace.requests.count,
      budget: budget / ReplayCost.mean(candidates, weighs: replayer.unit == .bytes),
      repeated: lookedAt.count)
  }

  private func sample(share: Double, number: Int) throws -> MiniTrace {
    let smallest = Double(lookedAt.min() ?? capacity)
    let rate = min(
      1, max(share, Self.scaledObjectsMin * trace.meanSize(in: replayer.unit) / smallest))
    // Levels have independent samples, so that their errors are independent.
    return try MiniTrace(
      of: trace, sample: SpatialSample(rate: rate, seed: seed &+ UInt64(number)),
      share: min(1, share / rate), ends: segments.ends)
  }

  private func counts(
    _ places: [Int], _ capacities: [UInt64], over mini: MiniTrace
  ) throws -> [[Counts]] {
    var jobs: [Replayer.Job] = []
    for place in places {
      for capacity in capacities {
        jobs.append(
          Replayer.Job(
            arrangement: tier.arrangement(
              try candidates[place].tier(
                capacity: capacity, rate: mini.rate, sampled: trace.sampling.rate)),
            trace: mini))
      }
    }
    return try replayer.run(jobs)
  }

  private func trials(_ places: [Int], over mini: MiniTrace) throws -> [Trial] {
    let capacities = lookedAt
    let counts = try counts(places, capacities, over: mini)
    return places.enumerated().map { number, place in
      let own = counts[number * capacities.count..<(number + 1) * capacities.count]
      return trial(place, Array(own), mini)
    }
  }

  private func trial(_ place: Int, _ counts: [[Counts]], _ mini: MiniTrace) -> Trial {
    Trial(
      candidate: place, learned: counts.map { mini.hitRatio($0, in: segments.learned) },
      scored: mini.hitRatio(counts[0], in: segments.scored),
      halves: [segments.firstHalf, segments.secondHalf].map {
        mini.hitRatio(counts[0], in: $0)
      })
  }

  /// Candidates replayed over the whole trace. Results at the smaller capacities come from the last
  /// sample, if any.
  private func finalists(
    _ places: [Int], over whole: MiniTrace, after sampled: [Int: Trial]?
  ) throws -> [Finalist] {
    let capacities = sampled == nil ? lookedAt : [capacity]
    let counts = try counts(places, capacities, over: whole)
    return places.enumerated().map { number, place in
      let own = Array(counts[number * capacities.count..<(number + 1) * capacities.count])
      var trial = trial(place, own, whole)
      if let sampled { trial.learned += sampled[place]?.learned.dropFirst() ?? [] }
      return Finalist(candidate: place, trial: trial, counts: own[0])
    }
  }
}

/// Results of a candidate in one step of a search.
struct Trial: Sendable {
  var candidate: Int
  var learned: [Double]
  var scored: Double
  var halves: [Double]
}

package enum Choice {
  package static let indifferentPoints = 0.2

  package static func isBetter(_ ratio: Double, than other: Double) -> Bool {
    // Differences of ratios are not exact.
    (ratio - other) * 100 > indifferentPoints + 1e-9
  }

  package static func isEqual(_ ratio: Double, _ other: Double) -> Bool {
    !isBetter(ratio, than: other) && !isBetter(other, than: ratio)
  }

  /// The simplest of ranked designs that equal the first.
  package static func simplest<Design, Key: Comparable>(
    of ranked: [Design], by simplicity: (Design) -> Key, equal: (Design, Design) -> Bool
  ) -> Design? {
    guard let first = ranked.first else { return nil }
    return ranked.filter { equal($0, first) }.min { simplicity($0) < simplicity($1) }
  }

  /// Index of the recommended one of ranked trials, the best on the part for choosing first: the
  /// simplest that equals the first on the scored part and is better than LRU. Nil for LRU, if
  /// the first is not better. Candidates are in the order of simplicity.
  static func recommended(_ ranked: [Trial], lru: Trial) -> Int? {
    guard let first = ranked.first, isBetter(first.scored, than: lru.scored) else { return nil }
    let better = ranked.indices.filter { isBetter(ranked[$0].scored, than: lru.scored) }
    return simplest(
      of: better, by: { ranked[$0].candidate },
      equal: { isEqual(ranked[$0].scored, ranked[$1].scored) })
  }

  /// Capacities that are replayed, as shares of the requested one, with the weight of each.
  ///
  /// The part of a trace for choosing is too short to fill a large cache, or to separate close
  /// candidates; a smaller cache goes through the same states in less time. Measured over the
  /// traces of the regret table, this halves the mean regret on the rest and divides its largest by
  /// four.
  static let lookedAt: [(part: Double, weight: Double)] = [(1, 1), (0.5, 0.7), (0.25, 0.7)]

  static func shortfalls(_ trials: [Trial]) -> [Double] {
    let capacities = trials.first?.learned.count ?? 0
    let best = (0..<capacities).map { place in trials.map { $0.learned[place] }.max() ?? 0 }
    return trials.map { trial in
      best.indices.reduce(0) { sum, place in
        sum + lookedAt[place].weight * (best[place] - trial.learned[place])
      }
    }
  }

  /// Indices of the trials, the best first; ties are in the order of candidates.
  static func ranking(_ trials: [Trial]) -> [Int] {
    // Rounded: sums of equal values in another order differ in their last bits.
    let keys = shortfalls(trials).map { ($0 * 1e12).rounded() }
    return trials.indices.sorted { left, right in
      keys[left] == keys[right]
        ? trials[left].candidate < trials[right].candidate : keys[left] < keys[right]
    }
  }
}

/// Replay effort: the levels of a search by successive halving (Jamieson and Talwalkar,
/// Non-stochastic best arm identification and hyperparameter optimization, AISTATS 2016), from a
/// small sample for all candidates to the whole trace for a few. A function of counts alone, so it
/// is equal on every machine.
struct Effort: Sendable, Hashable {
  struct Level: Sendable, Hashable {
    var candidates: Int
    var share: Double
  }

  let levels: [Level]

  static let requestsPerSecond = 20_000_000.0
  /// Default number of requests for a search at each of some capacities: 4 s for one, and at most
  /// 12 s for all of them together.
  static func standard(capacities: Int) -> Double {
    4 * requestsPerSecond * min(1, 3 / Double(max(1, capacities)))
  }
  private static let factor = 4.0
  private static let confirming = 0.35
  private static let finalistsRange = 3.0...32.0

  init(candidates: Int, requests: Int, budget: Double, repeated: Int) {
    let all = Double(max(1, requests))
    let count = Double(candidates)
    if count * all * Double(repeated) <= budget {
      levels = [Level(candidates: candidates, share: 1)]
      return
    }
    let affordable = (Self.confirming * budget / all).rounded(.down)
    let finalists = min(
      count, min(max(affordable, Self.finalistsRange.lowerBound), Self.finalistsRange.upperBound))
    let left = max(budget - finalists * all, budget * (1 - Self.confirming))
    var steps = 1
    while finalists * Self.power(steps) < count { steps += 1 }
    var levels: [Level] = []
    for step in 0..<steps {
      let survivors = min(count, (finalists * Self.power(steps - step)).rounded())
      let share = left / Double(steps) / (survivors * all * Double(repeated))
      levels.append(
        Level(candidates: step == 0 ? candidates : Int(survivors), share: min(1, share)))
    }
    self.levels = levels + [Level(candidates: Int(finalists), share: 1)]
  }

  init(exhaustive candidates: Int) { levels = [Level(candidates: candidates, share: 1)] }

  private static func power(_ exponent: Int) -> Double {
    (0..<exponent).reduce(1) { power, _ in power * factor }
  }

  var isExhaustive: Bool { levels.count == 1 }
}

/// Time for replaying a request through a design, in average requests of a search over objects of
/// one size. Budgets count it, so that a search among slow designs ends as soon as one among fast
/// ones. Based on constant tables and not on clocks, so that advice is equal on every machine.
enum ReplayCost {
  private static let standardNanoseconds = 57.0
  private static let sizesFactor = 1.7
  /// Additional cost of a filter in nanoseconds: 10 M Zipf requests for 1 M objects of 8 KiB,
  /// capacity 10 %, LRU behind the filter and alone, one thread of an AMD EPYC.
  static let filters = [
    "size": 36.0, "probabilistic": 33, "second-hit": 50, "tinylfu": 55, "adaptsize": 85,
  ]
  private static let unknownFilter = 80.0

  static func of(_ candidate: Candidate, weighs: Bool) -> Double {
    let policy = PolicyCost.of(candidate.policy.name) * (weighs ? sizesFactor : 1)
    let filter = candidate.admission.map { filters[$0.name] ?? unknownFilter } ?? 0
    return (policy + filter) / standardNanoseconds
  }

  static func mean(_ candidates: [Candidate], weighs: Bool) -> Double {
    guard !candidates.isEmpty else { return 1 }
    return candidates.reduce(0) { $0 + of($1, weighs: weighs) } / Double(candidates.count)
  }
}

/// Bound of the chosen candidate's distance from the best one.
struct RegretBound: Sendable {
  let points: Double

  private static let errors = 2.0

  /// Bound for finalists, the chosen one first, after some sampled levels.
  ///
  /// For eliminated candidates it is the estimate of their last sample, relative to that of the
  /// chosen one, plus two standard errors. The error of a sample is measured: the deviation of the
  /// differences between finalists in the sample from the exact ones.
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
