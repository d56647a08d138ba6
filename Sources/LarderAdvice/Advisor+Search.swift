import LarderEngine

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
