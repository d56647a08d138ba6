import LarderEngine
import LarderSystem
import LarderTraces
import LarderWorkloads

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
