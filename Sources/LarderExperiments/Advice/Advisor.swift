import LarderEngine
import LarderSupport
import LarderTraces

/// Makes advice for a trace: which policy, how large, and whether it matters.
///
/// Nothing is guessed from what a trace looks like: every statement is counted in a simulation of
/// the trace or of a sample of it. All of it is a function of the trace and the settings but for
/// `threads`.
package struct Advisor: Sendable {
  /// The trace.
  package let trace: PreparedTrace
  /// What is asked for.
  package let settings: AdviceSettings
  /// Stops the work.
  package let cancellation: Cancellation
  /// Told what begins, and about how many requests it replays; 0 where that is not known.
  package var began: @Sendable (_ title: String, _ requests: Int) -> Void = { _, _ in }
  /// Told how many more requests are replayed; from several threads, one at a time.
  package var replayed: @Sendable (_ requests: Int) -> Void = { _ in }

  let unit: CapacityUnit
  let segments: Segments
  let space: SearchSpace
  let prices: Prices

  /// An advisor for `trace`.
  ///
  /// - Throws: `AdviceError` where the trace cannot give what is asked for, `PolicyError` for a
  ///   policy that declares values that are not valid.
  package init(
    trace given: PreparedTrace, settings: AdviceSettings,
    cancellation: Cancellation = Cancellation()
  ) throws {
    let trace = try Self.ordered(given, settings)
    self.trace = trace
    self.settings = settings
    self.cancellation = cancellation
    if settings.unit == .bytes, !trace.hasSizes { throw AdviceError.noSizes(trace: trace.name) }
    unit = settings.unit ?? (trace.hasSizes ? .bytes : .objects)
    let requests = trace.requests.count
    if settings.learned != nil, requests < AdviceError.requestsMin {
      throw AdviceError.tooShort(trace: trace.name, requests: requests)
    }
    segments = Segments(requests: requests, learned: settings.learned) { place in
      settings.prefix == nil || place == 0 || place == requests
        ? place : trace.promptEnd(from: place - 1)
    }
    space = try SearchSpace(for: trace.requests, unit: unit, policies: settings.policies)
    prices = settings.prices ?? Prices()
    let whole = MiniTrace(whole: trace, ends: segments.ends)
    guard
      [segments.scored, segments.learned].allSatisfy({ part in
        part.contains { whole.hasGets(in: $0) }
      })
    else { throw AdviceError.noGets(trace: trace.name) }
  }

  /// The trace with the blocks of its prompts in the order that is asked for.
  private static func ordered(
    _ trace: PreparedTrace, _ settings: AdviceSettings
  ) throws -> PreparedTrace {
    guard let order = settings.prefix else { return trace }
    if trace.prompts == nil { throw AdviceError.noPrompts(trace: trace.name) }
    if settings.tiers == .hybrid { throw AdviceError.prefixesOfTiers }
    return order == .tail ? try trace.tailFirst() : trace
  }

  /// Requests that may be replayed at one capacity.
  var budget: Double {
    let named = settings.capacities.count
    let searched = named > 0 ? named : AdviceSettings.standardCapacities.count
    let parts = Double(searched + (settings.searchOnly ? 0 : 1))
    return settings.requestsMax.map { $0 / parts } ?? Effort.standard(capacities: searched)
  }

  var replayer: Replayer {
    Replayer(
      threads: settings.threads, seed: settings.seed, unit: unit, prefix: settings.prefix,
      cancellation: cancellation,
      replayed: replayed)
  }

  /// What holds everything, in the unit of the capacities.
  var footprint: UInt64 {
    max(1, unit == .bytes ? trace.footprintBytes : UInt64(trace.storableObjects))
  }

  /// The whole trace in its segments.
  var whole: MiniTrace { MiniTrace(whole: trace, ends: segments.ends) }

  /// The advice.
  ///
  /// - Throws: `AdviceError`, `PolicyError` from a policy, `TraceError` where there is no memory.
  package func make() throws -> Advice {
    var found: [CapacityFinding] = []
    for (capacity, label) in try capacities() {
      found.append(try search(capacity, label))
    }
    let (place, reason) = recommended(among: found)
    var advice = Advice(
      trace: TraceFacts(trace),
      durationSeconds: trace.durationSeconds > 0 ? trace.durationSeconds : nil, unit: unit,
      tiers: settings.tiers, learnedBillionths: settings.learned?.billionths, seed: settings.seed,
      candidates: space.candidates.count,
      replayedRequests: UInt64(found.reduce(0) { $0 + $1.replayed }),
      capacities: found.map(\.advice), recommended: place, reason: reason,
      prefix: settings.prefix)
    if !settings.searchOnly { try complete(&advice, found[place]) }
    return advice.ofAllTraffic(trace.sampling)
  }

  /// Everything beside the designs themselves, at the recommended capacity.
  private func complete(_ advice: inout Advice, _ finding: CapacityFinding) throws {
    let lru = try lruCurve()
    advice.lruCurve = lru.points
    for index in advice.capacities.indices {
      advice.capacities[index].lruCapacity = lru.capacity(
        reaching: advice.capacities[index].advised.hitRatio)
    }
    let design = finding.advised
    advice.curve = try curve(of: design, known: advice.capacities)
    advice.stability = try stability(finding)
    advice.lifetimes = try lifetimes(design, finding.advice.capacity)
    let model = costModel()
    if [.auto, .hybrid].contains(settings.tiers), settings.prefix == nil {
      advice.splits = try splits(behind: design, finding.advice, model)
    }
    advice.costs = costs(advice, model)
  }

  /// The cost of what is advised at a capacity.
  func cost(_ advice: CapacityAdvice, _ model: CostModel) -> Double {
    model.memory(advice.capacity)
      + model.origin(
        hitRatio: advice.advised.hitRatio, byteHitRatio: advice.advised.byteHitRatio)
  }

  /// The capacities with their labels, ascending and distinct.
  private func capacities() throws(AdviceError) -> [(UInt64, String)] {
    let facts = TraceFacts(trace)
    let specs =
      settings.capacities.isEmpty ? AdviceSettings.standardCapacities : settings.capacities
    var named: [UInt64: String] = [:]
    for spec in specs {
      do {
        let capacity = trace.sampling.scaled(
          try spec.resolve(unit: unit, of: facts))
        named[capacity] = named[capacity] ?? spec.description
      } catch {
        // A share that was not asked for may be too small for a tiny trace.
        if !settings.capacities.isEmpty { throw .capacity("\(error)", trace: trace.name) }
      }
    }
    if named.isEmpty { named[footprint] = "100%" }
    return named.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

/// What advice is asked for.
package struct AdviceSettings: Sendable, Hashable {
  /// Which tiers a design may have.
  package typealias Tiers = AdviceTiers

  /// The capacities; empty for a few shares of the footprint.
  package var capacities: [CapacitySpec]
  /// What capacities count; nil for bytes where the trace has sizes and objects where not.
  package var unit: CapacityUnit?
  /// Which tiers a design may have.
  package var tiers: Tiers
  /// The share of the requests that policies and parameters are chosen on; the rest is what they
  /// are scored on. nil to do both on the whole trace.
  package var learned: Share?
  /// Prices; nil for the example values.
  package var prices: Prices?
  /// Requests that may be replayed. nil for the standard of `Effort`.
  package var requestsMax: Double?
  /// Chooses the samples, and drives random policies.
  package var seed: UInt64
  /// Caches that are simulated at the same time. Advice does not depend on it.
  package var threads: Int
  /// Policies to restrict the search to, each with its parameters or, where it has none, with all
  /// that are worth trying; LRU is always among them. nil for all.
  package var policies: [PolicySpec]?
  /// The order in which the blocks of prompts are requested, where hits are those of prefixes; nil
  /// for hits of requests.
  package var prefix: PromptOrder?
  /// Whether only the search is done, without curves, tiers, TTLs and stability: for measuring it.
  package var searchOnly: Bool

  /// Settings; see the properties for the meaning of each part.
  package init(
    capacities: [CapacitySpec] = [], unit: CapacityUnit? = nil, tiers: Tiers = .auto,
    learned: Share? = Share(percent: 50), prices: Prices? = nil, requestsMax: Double? = nil,
    seed: UInt64 = 1, threads: Int = 1, searchOnly: Bool = false
  ) {
    self.capacities = capacities
    self.unit = unit
    self.tiers = tiers
    self.learned = learned
    self.prices = prices
    self.requestsMax = requestsMax
    self.seed = seed
    self.threads = threads
    self.searchOnly = searchOnly
  }

  /// What a workload file asks for; prices are the caller's to read.
  package init(_ spec: AdviseSpec, unit: CapacityUnit?, seed: UInt64, threads: Int) {
    self.init(
      capacities: spec.capacities, unit: unit, tiers: spec.tiers, learned: spec.learned,
      requestsMax: spec.budgetSeconds.map { Double($0) * Self.requestsPerSecond }, seed: seed,
      threads: threads)
  }

  /// What a second of a budget of time stands for, in replayed requests.
  package static var requestsPerSecond: Double { Effort.requestsPerSecond }

  /// Shares of the footprint that are tried where no capacity is named.
  package static let standardCapacities: [CapacitySpec] = ["1%", "3%", "10%", "30%"]
    .compactMap { try? CapacitySpec(parsing: $0) }

  /// Within so many points of LRU it does not matter which policy is chosen.
  package static let indifferentPoints = 0.2
  /// Halves of the trace that disagree by more points than this are different traffic.
  package static let unstablePoints = 0.5
}

/// Why there is no advice.
package enum AdviceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The work was stopped.
  case cancelled
  /// The trace has sets and deletes alone.
  case noGets(trace: String)
  /// The trace is too short to be divided into a part to choose on and a part to score on.
  case tooShort(trace: String, requests: Int)
  /// Bytes are asked for, but the trace has no sizes.
  case noSizes(trace: String)
  /// Prefixes are asked for, but the trace has no prompts.
  case noPrompts(trace: String)
  /// Prefixes are asked for, with a tier that they are not counted in.
  case prefixesOfTiers
  /// A policy that was asked for is no candidate.
  case policy(String, reason: String)
  /// A capacity does not fit the trace.
  case capacity(String, trace: String)
  /// A file with prices says something that is not understood.
  case prices(file: String, line: Int?, message: String)

  /// One line for a person.
  package var description: String {
    switch self {
    case .cancelled: "stopped; nothing was written"
    case .noGets(let trace): "\(trace): has no gets, so no hit ratio exists"
    case .tooShort(let trace, let requests):
      "\(trace): \(requests) requests are too few to choose on one part and score on the rest; "
        + "expected at least \(Self.requestsMin); use --whole"
    case .noSizes(let trace):
      "\(trace): has no sizes, so capacities cannot count bytes; remove --unit, or use --unit "
        + "objects"
    case .noPrompts(let trace):
      "\(trace): has no prompts, so prefixes cannot be counted; remove --prefix, or use a trace of "
        + "the format hash-ids"
    case .prefixesOfTiers:
      "prefixes are counted in one tier: use --tiers memory or --tiers disk with --prefix"
    case .policy(let policy, let reason): "the policy '\(policy)' cannot be advised: \(reason)"
    case .capacity(let message, let trace): "\(trace): \(message)"
    case .prices(let file, let line, let message):
      "\(file):" + (line.map { "\($0):" } ?? "") + " \(message)"
    }
  }

  /// Fewer requests than this are not divided.
  static let requestsMin = 10
}

/// What was found at one capacity, with the candidates themselves.
struct CapacityFinding: Sendable {
  /// What is told.
  var advice: CapacityAdvice
  /// The design that is advised.
  var advised: Candidate
  /// The design that was chosen.
  var chosen: Candidate
  /// The designs that were replayed in full, the best first.
  var finalists: [(candidate: Candidate, result: DesignResult)]
  /// Requests replayed.
  var replayed: Double
}

extension Advisor {
  /// Searches at a capacity.
  func search(_ capacity: UInt64, _ label: String) throws -> CapacityFinding {
    began("Searching at \(label)", Int(budget))
    let outcome = try Search(
      trace: trace, candidates: space.candidates, segments: segments, replayer: replayer,
      capacity: capacity, budget: budget, seed: settings.seed, isDisk: settings.tiers == .disk,
      looksAround: settings.learned != nil
    ).run()
    let whole = whole
    let finalists = outcome.finalists.map { finalist in
      (
        candidate: space.candidates[finalist.candidate],
        result: result(finalist, whole)
      )
    }
    guard let first = finalists.first,
      let lru = finalists.first(where: { $0.candidate.description == "lru" })
    else { preconditionFailure("a search ends with at least one candidate, and with LRU") }
    let scored = finalists.map(\.result.hitRatio)
    let hindsight = finalists[scored.indices.max { scored[$0] < scored[$1] } ?? 0]
    let spread = (hindsight.result.hitRatio - lru.result.hitRatio) * 100
    let matters = spread > AdviceSettings.indifferentPoints
    let advised = matters ? first : lru
    // The bound is against the chosen design.
    let bound =
      outcome.regretBound + (first.result.hitRatio - advised.result.hitRatio) * 100
    return CapacityFinding(
      advice: CapacityAdvice(
        capacity: capacity, label: label, advised: advised.result, lru: lru.result,
        chosen: first.result, hindsight: hindsight.result,
        runnersUp: finalists.dropFirst().prefix(5).map(\.result), matters: matters,
        regretBoundPoints: max(0, bound), isExhaustive: outcome.isExhaustive),
      advised: advised.candidate, chosen: first.candidate, finalists: finalists,
      replayed: outcome.replayed)
  }

  private func result(_ finalist: Search.Finalist, _ whole: MiniTrace) -> DesignResult {
    let candidate = space.candidates[finalist.candidate]
    let scored = finalist.counts[segments.scored]
    let requested = scored.reduce(0) { $0 + Double($1.bytesRequested) }
    let bytesHit = requested > 0 ? scored.reduce(0) { $0 + Double($1.bytesHit) } / requested : nil
    return DesignResult(
      policy: candidate.policy.description, admission: candidate.admission?.description,
      hitRatio: finalist.trial.scored,
      byteHitRatio: unit == .bytes && settings.prefix == nil ? bytesHit : nil,
      learnedHitRatio: finalist.trial.learned[0], halves: finalist.trial.halves,
      wholeHitRatio: whole.hitRatio(finalist.counts, in: finalist.counts.indices),
      tokenShare: settings.prefix == nil ? nil : bytesHit)
  }

  /// The capacity that is recommended: the only one; with prices, the cheapest; or that with the
  /// largest gain over the straight line from nothing to the whole footprint. Capacity is linear
  /// for this, since one byte costs what every other one does.
  func recommended(among found: [CapacityFinding]) -> (Int, Advice.CapacityReason) {
    guard found.count > 1 else { return (0, .asked) }
    if settings.prices != nil {
      let model = costModel()
      let costs = found.map { cost($0.advice, model) }
      return (costs.indices.min { costs[$0] < costs[$1] } ?? 0, .cheapest)
    }
    let all = Double(footprint)
    let top = found.map(\.advice.advised.hitRatio).max() ?? 0
    let heights = found.map { finding in
      finding.advice.advised.hitRatio / max(top, 1e-12) - Double(finding.advice.capacity) / all
    }
    return (heights.indices.max { heights[$0] < heights[$1] } ?? 0, .knee)
  }
}

extension Advisor {
  /// What a part of the advice beside the search may replay, as a share of a search.
  private static let partOfBudget = 0.25

  /// How much of a trace is replayed.
  struct Extent: Sendable, Hashable {
    /// The share of the objects.
    var rate: Double
    /// The share of the requests in windows.
    var share: Double

    /// Everything.
    static let all = Extent(rate: 1, share: 1)
  }

  /// As much of the trace as so many runs of these designs may replay, in a sample that leaves room
  /// for enough objects in a cache of a capacity; windows of the trace where that would still be
  /// too much.
  func extent(
    runs: Int, of designs: [Candidate], smallest capacity: UInt64
  ) -> Extent {
    let cost = ReplayCost.mean(designs, weighs: unit == .bytes)
    let all = Double(trace.requests.count)
    let share = Self.partOfBudget * budget / (all * Double(max(1, runs)) * cost)
    guard share < 1 else { return .all }
    let meanSize = Double(footprint) / Double(max(1, trace.storableObjects))
    let wanted = Search.scaledObjectsMin * max(1, meanSize) / Double(capacity)
    // Powers of two, so that neighbours on a curve share a sample.
    var rate = 1.0
    while settings.prefix == nil, rate / 2 >= max(share, wanted) { rate /= 2 }
    return Extent(rate: rate, share: min(1, share / rate))
  }

  /// That much of the trace.
  func mini(_ extent: Extent) throws -> MiniTrace {
    guard extent != .all else { return whole }
    return try MiniTrace(
      of: trace, sample: SpatialSample(rate: extent.rate, seed: settings.seed),
      share: extent.share, ends: segments.ends, prefix: settings.prefix)
  }

  /// That much of the trace as so many runs of these designs may replay.
  func mini(
    runs: Int, of designs: [Candidate], smallest capacity: UInt64
  ) throws -> MiniTrace {
    try mini(extent(runs: runs, of: designs, smallest: capacity))
  }
}
