import LarderEngine
import LarderTraces
import LarderWorkloads

/// Finds the best candidate at one capacity: miniature simulations on samples that grow while
/// candidates are dropped, and exact simulations of those that are left.
struct Search {
  let trace: PreparedTrace
  let candidates: [Candidate]
  let segments: Segments
  let replayer: Replayer
  /// The capacity in the replayer's unit.
  let capacity: UInt64
  /// Requests of average cost that may be replayed.
  let budget: Double
  let seed: UInt64
  /// Whether tiers are on disk: hits count there.
  let isDisk: Bool
  /// Whether smaller caches are looked at, too.
  let looksAround: Bool

  /// What was found.
  struct Outcome: Sendable {
    /// The candidates that were replayed over the whole trace, the best first.
    var finalists: [Finalist]
    /// Points by which the best on the scored part may be above the first finalist: measured for
    /// finalists, estimated with two standard errors for the others.
    var regretBound: Double
    /// Whether all candidates were replayed over the whole trace.
    var isExhaustive: Bool
    /// Requests replayed.
    var replayed: Double
  }

  /// A candidate that was replayed over the whole trace.
  struct Finalist: Sendable {
    /// Its place among the candidates.
    var candidate: Int
    /// What it reached, exactly.
    var trial: Trial
    /// What was counted in each segment.
    var counts: [Counts]
  }

  /// A sampled cache holds at least so many objects, or tells little.
  static let scaledObjectsMin = 64.0

  private var lruPlace: Int? { candidates.firstIndex { $0.description == "lru" } }

  /// The capacities that candidates are replayed at in a sample.
  private var lookedAt: [UInt64] {
    guard looksAround else { return [capacity] }
    return Choice.lookedAt.map { max(1, UInt64((Double(capacity) * $0.part).rounded())) }
  }

  /// Searches.
  ///
  /// - Throws: `PolicyError` from a policy, `TraceError` where there is no memory, and
  ///   `AdviceError.cancelled`.
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
      var kept = Choice.ranking(trials).prefix(next).map { trials[$0].candidate }
      if let lruPlace, !kept.contains(lruPlace) { kept.append(lruPlace) }
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
    Effort(
      candidates: candidates.count, requests: trace.requests.count,
      budget: budget / ReplayCost.mean(candidates, weighs: replayer.unit == .bytes),
      repeated: lookedAt.count)
  }

  /// A sample whose requests are a share of the trace's.
  private func sample(share: Double, number: Int) throws -> MiniTrace {
    let footprint =
      replayer.unit == .bytes ? Double(trace.footprintBytes) : Double(trace.storableObjects)
    let meanSize = footprint / Double(max(1, trace.storableObjects))
    let smallest = Double(lookedAt.min() ?? capacity)
    // A part of the blocks tells nothing of prefixes.
    let rate =
      replayer.prefix != nil
      ? 1 : min(1, max(share, Self.scaledObjectsMin * max(meanSize, 1) / smallest))
    // Each level has a sample of its own: the luck of one is not that of the next.
    return try MiniTrace(
      of: trace, sample: SpatialSample(rate: rate, seed: seed &+ UInt64(number)),
      share: min(1, share / rate), ends: segments.ends, prefix: replayer.prefix)
  }

  private func arrangement(
    _ candidate: Candidate, _ capacity: UInt64, rate: Double
  ) throws(PolicyError) -> Arrangement {
    let tier = try candidate.tier(capacity: capacity, rate: rate)
    return isDisk ? .disk(tier) : .memory(tier)
  }

  private func counts(
    _ places: [Int], _ capacities: [UInt64], over mini: MiniTrace
  ) throws -> [[Counts]] {
    var jobs: [Replayer.Job] = []
    for place in places {
      for capacity in capacities {
        jobs.append(
          Replayer.Job(
            arrangement: try arrangement(candidates[place], capacity, rate: mini.rate),
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

  /// Candidates replayed over the whole trace. What is looked at besides comes from the last sample
  /// where there was one.
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
