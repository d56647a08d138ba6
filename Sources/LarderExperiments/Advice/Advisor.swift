import LarderEngine
import LarderSupport
import LarderTraces

/// Recommends a cache for a trace: its policy, its size, and whether the choice matters.
///
/// No statement is guessed from properties of the trace: all are counted in simulations of the
/// trace or of a sample of it. The advice is a function of the trace and the settings except
/// `threads`.
package struct Advisor: Sendable {
  package let trace: PreparedTrace
  package let settings: AdviceSettings
  package let cancellation: Cancellation
  package var began: @Sendable (_ title: String, _ requests: Int) -> Void = { _, _ in }
  package var replayed: @Sendable (_ requests: Int) -> Void = { _ in }
  /// The trace with keys without query parameters that may not change the response, and how the
  /// parameters are dropped.
  package var plainer: (trace: PreparedTrace, option: String)?

  let unit: CapacityUnit
  let segments: Segments
  let space: SearchSpace
  let candidates: [Candidate]
  let prices: Prices

  package init(
    trace given: PreparedTrace, settings: AdviceSettings,
    cancellation: Cancellation = Cancellation()
  ) throws {
    let trace = try Self.ordered(given, settings)
    var settings = settings
    if settings.current?.server?.isDisk == true, settings.tiers == .auto { settings.tiers = .disk }
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
    candidates = Self.affordable(space.candidates, settings, requests: requests, unit)
    guard
      [segments.scored, segments.learned].allSatisfy({ part in
        part.contains { whole.hasGets(in: $0) }
      })
    else { throw AdviceError.noGets(trace: trace.name) }
  }

  private static func ordered(
    _ trace: PreparedTrace, _ settings: AdviceSettings
  ) throws -> PreparedTrace {
    guard let order = settings.prefix else { return trace }
    if trace.prompts == nil { throw AdviceError.noPrompts(trace: trace.name) }
    if settings.tiers == .hybrid { throw AdviceError.prefixesOfTiers }
    return order == .tail ? try trace.tailFirst() : trace
  }

  private static let simpleMin = 8

  /// The simplest candidates that the budget allows to replay in full, if a sample says nothing
  /// about them; otherwise all.
  private static func affordable(
    _ candidates: [Candidate], _ settings: AdviceSettings, requests: Int, _ unit: CapacityUnit
  ) -> [Candidate] {
    guard settings.prefix != nil else { return candidates }
    let replays = settings.learned == nil ? 1 : Choice.lookedAt.count
    var left = budget(settings) / Double(max(1, requests * replays))
    let count = candidates.prefix { candidate in
      left -= ReplayCost.of(candidate, weighs: unit == .bytes)
      return left >= 0
    }.count
    return Array(candidates.prefix(max(count, simpleMin)))
  }

  var budget: Double { Self.budget(settings) }

  private static func budget(_ settings: AdviceSettings) -> Double {
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

  var footprint: UInt64 { min(trace.footprint(in: unit), CapacitySpec.largestBytes) }

  var whole: MiniTrace { MiniTrace(whole: trace, ends: segments.ends) }

  package func make() throws -> Advice {
    let capacities = try capacities()
    let smallest = smallestObject
    var obstacle = obstacle(at: capacities.map(\.0), smallest)
    // No design can be better than LRU then.
    let tried = obstacle == nil ? candidates : Array(candidates.prefix(1))
    let found = try capacities.map { try search($0, $1, among: tried) }
    if obstacle == nil, found.allSatisfy({ $0.advice.hindsight.hitRatio == 0 }) {
      obstacle = .nothingHits
    }
    let (place, reason) = obstacle == nil ? recommended(among: found) : (0, nil)
    var advice = Advice(
      trace: TraceFacts(trace),
      durationSeconds: trace.durationSeconds > 0 ? trace.durationSeconds : nil, unit: unit,
      tiers: settings.tiers, learnedBillionths: settings.learned?.billionths, seed: settings.seed,
      candidates: tried.count,
      replayedRequests: UInt64(found.reduce(0) { $0 + $1.replayed }),
      capacities: found.map(\.advice), recommended: place, reason: reason, obstacle: obstacle,
      smallestObject: smallest, uncacheableRatio: uncacheableRatio, prefix: settings.prefix)
    if candidates.count < space.candidates.count {
      advice.notes.append(
        "Prompts are simulated in full only: the \(candidates.count) simplest of "
          + "\(space.candidates.count) designs were; a larger max-requests allows more.")
    }
    if obstacle == nil, !settings.searchOnly { try complete(&advice, found[place]) }
    return advice.ofAllTraffic(trace.sampling)
  }

  private func complete(_ advice: inout Advice, _ finding: CapacityFinding) throws {
    let lru = try lruCurve()
    advice.lruCurve = lru.points
    for index in advice.capacities.indices {
      advice.capacities[index].lruCapacity = lru.capacity(
        reaching: advice.capacities[index].advised.hitRatio)
    }
    let design = finding.advised
    advice.curve = try curve(of: design, known: advice.capacities)
    advice.stability = stability(finding)
    advice.lifetimes = try lifetimes(design, finding.advice.capacity)
    let model = costModel()
    if [.auto, .hybrid].contains(settings.tiers), settings.prefix == nil {
      advice.splits = try splits(behind: design, finding.advice, model)
    }
    advice.costs = costs(advice, model)
    advice.decision = try decision(advice, finding, model)
  }

  private func capacities() throws(AdviceError) -> [(UInt64, String)] {
    let standard = settings.current.map { [$0.capacity] } ?? AdviceSettings.standardCapacities
    let specs = settings.capacities.isEmpty ? standard : settings.capacities
    var named: [UInt64: String] = [:]
    for spec in specs {
      do {
        let capacity = try trace.capacity(spec, in: unit)
        named[capacity] = named[capacity] ?? spec.description
      } catch {
        // A default share may be too small for a tiny trace.
        if !settings.capacities.isEmpty || settings.current != nil {
          throw .capacity("\(error)", trace: trace.name)
        }
      }
    }
    if named.isEmpty { named[footprint] = "100%" }
    return named.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

package struct AdviceSettings: Sendable, Hashable {
  /// Capacities; empty for default shares of the footprint.
  package var capacities: [CapacitySpec] = []
  /// Unit of capacities; nil for bytes if the trace has sizes, and objects otherwise.
  package var unit: CapacityUnit?
  package var tiers = AdviceTiers.auto
  /// Share of the requests on which policies and parameters are chosen; they are scored on the
  /// rest. Nil to use the whole trace for both.
  package var learned: Share? = Share(percent: 50)
  package var prices: Prices?
  /// File with prices, relative to the workload file's folder.
  package var pricesFile: String?
  package var requestsMax: Double?
  package var seed: UInt64 = 1
  package var threads = 1
  /// Policies to restrict the search to, each with its parameters or, without any, with all
  /// declared combinations; LRU is always included. Nil for all.
  package var policies: [PolicySpec]?
  package var prefix: PromptOrder?
  package var searchOnly = false
  package var current: CurrentCache?

  package static let standardCapacities: [CapacitySpec] = ["1%", "3%", "10%", "30%"]
    .compactMap { try? CapacitySpec(parsing: $0) }

  package static let unstablePoints = 0.5
}

extension AdviceSettings {
  package init(threads: Int) {
    self.init()
    self.threads = threads
  }

  /// Parses a share of the requests that leaves a rest, or `whole`, which is nil; nil for anything
  /// else.
  static func learned(_ text: String) -> Share?? {
    if text == "whole" { return .some(nil) }
    guard let share = Share(parsing: text), share.parts > 0, share.parts < share.whole
    else { return nil }
    return share
  }
}

package enum AdviceError: Error, Hashable, Sendable, CustomStringConvertible {
  case cancelled
  case noGets(trace: String)
  case tooShort(trace: String, requests: Int)
  case noSizes(trace: String)
  case noPrompts(trace: String)
  case prefixesOfTiers
  case policy(String, reason: String)
  case capacity(String, trace: String)
  case current(String, String)

  package var description: String {
    switch self {
    case .cancelled: "stopped; nothing was written"
    case .noGets(let trace): "\(trace): has no gets, so no hit ratio exists"
    case .tooShort(let trace, let requests):
      "\(trace): \(requests) requests are too few to choose on one part and score on the rest; "
        + "expected at least \(Self.requestsMin); use --whole"
    case .noSizes(let trace):
      "\(trace): has no sizes, so capacities cannot count bytes; remove --unit, or use "
        + "--ignore-size"
    case .noPrompts(let trace):
      "\(trace): has no prompts (a sample has none), so prefixes cannot be counted; remove "
        + "--prefix, or use a trace of the format hash-ids"
    case .prefixesOfTiers:
      "prefixes are counted in one tier: use --tiers memory or --tiers disk with --prefix"
    case .policy(let policy, let reason): "the policy '\(policy)' cannot be recommended: \(reason)"
    case .capacity(let message, let trace): "\(trace): \(message)"
    case .current(let text, let message):
      TextSafety.singleLine("current cache '\(text)': \(message)")
    }
  }

  static let requestsMin = 10
}

/// Result at one capacity, with all that was replayed over the whole trace.
struct CapacityFinding: Sendable {
  var advice: CapacityAdvice
  var advised: Candidate
  var finalists: [DesignResult]
  var replayed: Double
}

extension Advisor {
  func search(
    _ capacity: UInt64, _ label: String, among candidates: [Candidate]
  ) throws -> CapacityFinding {
    began("Searching at \(label)", Int(min(budget, 0x1p62)))
    let outcome = try Search(
      trace: trace, candidates: candidates, segments: segments, replayer: replayer,
      capacity: capacity, budget: budget, seed: settings.seed, tier: settings.tiers.storage,
      looksAround: settings.learned != nil
    ).run()
    let whole = whole
    let finalists = outcome.finalists.map { result($0, of: candidates[$0.candidate], whole) }
    let trials = outcome.finalists.map(\.trial)
    guard let first = finalists.first,
      let lru = finalists.indices.first(where: { finalists[$0].name == "lru" })
    else { preconditionFailure("a search ends with at least one candidate, and with LRU") }
    let recommended = Choice.recommended(trials, lru: trials[lru])
    let chosen = finalists[recommended ?? 0]
    let advised = finalists[recommended ?? lru]
    let hindsight = finalists[
      finalists.indices.max { finalists[$0].hitRatio < finalists[$1].hitRatio } ?? 0]
    // The bound applies to the first design.
    let bound = outcome.regretBound + (first.hitRatio - advised.hitRatio) * 100
    return CapacityFinding(
      advice: CapacityAdvice(
        capacity: capacity, label: label, advised: advised, lru: finalists[lru], chosen: chosen,
        hindsight: hindsight,
        runnersUp: Array(finalists.filter { !$0.isSameDesign(as: chosen) }.prefix(5)),
        matters: Choice.isBetter(hindsight.hitRatio, than: finalists[lru].hitRatio),
        regretBoundPoints: max(0, bound), isExhaustive: outcome.isExhaustive),
      advised: candidates[outcome.finalists[recommended ?? lru].candidate],
      finalists: finalists, replayed: outcome.replayed)
  }

  private func result(
    _ finalist: Search.Finalist, of candidate: Candidate, _ whole: MiniTrace
  ) -> DesignResult {
    // The bytes of prompts are their tokens.
    let isPrefix = settings.prefix != nil
    let served = whole.served(
      finalist.counts, in: segments.scored, unit: isPrefix ? .bytes : unit)
    return DesignResult(
      policy: candidate.policy.description, admission: candidate.admission?.description,
      hitRatio: finalist.trial.scored, byteHitRatio: isPrefix ? nil : served.byteHitRatio,
      writtenPerGet: settings.tiers.storage == .flash ? served.writtenPerGet : nil,
      learnedHitRatio: finalist.trial.learned[0], halves: finalist.trial.halves,
      wholeHitRatio: whole.hitRatio(finalist.counts, in: finalist.counts.indices),
      tokenShare: isPrefix ? served.byteHitRatio : nil)
  }

  func recommended(among found: [CapacityFinding]) -> (Int, Advice.CapacityReason?) {
    guard found.count > 1 else { return (0, .asked) }
    if settings.prices != nil {
      let model = costModel()
      let tier = settings.tiers.storage
      let costs = found.map(\.advice).map {
        model.point($0.capacity, on: tier, $0.advised.served(on: tier)).total
      }
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
  private func obstacle(at capacities: [UInt64], _ smallest: UInt64?) -> Advice.Obstacle? {
    guard repeats else { return .nothingRepeats }
    guard let smallest else { return nil }
    let fits = capacities.contains { trace.sampling.represented($0) >= smallest }
    return fits ? nil : .nothingFits
  }

  private func operation(at place: Int) -> UInt8 {
    trace.requests.operations.map { $0[place] } ?? Operation.get.rawValue
  }

  private var repeats: Bool {
    let columns = trace.requests
    var seen = [UInt64](repeating: 0, count: columns.objects / 64 + 1)
    for place in 0..<columns.count {
      let operation = operation(at: place)
      guard operation == Operation.get.rawValue || operation == Operation.set.rawValue else {
        continue
      }
      let (word, bit) = (Int(columns.ids[place] / 64), UInt64(1) << UInt64(columns.ids[place] % 64))
      if operation == Operation.get.rawValue, seen[word] & bit != 0 { return true }
      seen[word] |= bit
    }
    return false
  }

  /// Size of the smallest object that a cache may store; nil if capacities count objects.
  private var smallestObject: UInt64? {
    guard unit == .bytes, let sizes = trace.requests.sizes else { return nil }
    return (0..<trace.requests.count).lazy.filter {
      [Operation.get.rawValue, Operation.set.rawValue].contains(operation(at: $0))
    }.map { UInt64(sizes[$0]) }.min()
  }

  private var uncacheableRatio: Double? {
    guard trace.requests.operations != nil else { return nil }
    let first = segments.scored.lowerBound
    let scored = (first > 0 ? segments.ends[first - 1] : 0)..<trace.requests.count
    let bypassed = scored.count { operation(at: $0) == Operation.bypass.rawValue }
    let counted = scored.count { Operation.isCounted(operation(at: $0)) }
    return bypassed > 0 ? Double(bypassed) / Double(counted) : nil
  }
}

extension Advisor {
  private static let partOfBudget = 0.25

  struct Extent: Sendable, Hashable {
    var rate: Double
    var share: Double

    static let all = Extent(rate: 1, share: 1)
  }

  func extent(
    runs: Int, of designs: [Candidate], smallest capacity: UInt64
  ) -> Extent {
    if settings.prefix != nil { return .all }
    let cost = ReplayCost.mean(designs, weighs: unit == .bytes)
    let all = Double(trace.requests.count)
    let share = Self.partOfBudget * budget / (all * Double(max(1, runs)) * cost)
    guard share < 1 else { return .all }
    let wanted = Search.scaledObjectsMin * trace.meanSize(in: unit) / Double(capacity)
    // Powers of two, so that neighbours on a curve share a sample.
    var rate = 1.0
    while rate / 2 >= max(share, wanted) { rate /= 2 }
    return Extent(rate: rate, share: min(1, share / rate))
  }

  func mini(_ extent: Extent) throws -> MiniTrace {
    guard extent != .all else { return whole }
    return try MiniTrace(
      of: trace, sample: SpatialSample(rate: extent.rate, seed: settings.seed),
      share: extent.share, ends: segments.ends)
  }

  func mini(
    runs: Int, of designs: [Candidate], smallest capacity: UInt64
  ) throws -> MiniTrace {
    try mini(extent(runs: runs, of: designs, smallest: capacity))
  }
}
