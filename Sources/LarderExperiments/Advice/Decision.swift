import LarderEngine
import LarderSupport
import LarderTraces

/// Today's cache against the proposed one: the first thing on every screen and page.
package struct Decision: Sendable, Hashable, Codable {
  package var trace: String
  package var unit: CapacityUnit
  /// Part of the trace that hit ratios cover, in words.
  package var scope: String
  package var today: Side
  /// Proposed within the settings of the same server; any design if there is no server.
  package var proposed: Side
  /// Design of any cache that is better than the proposed one, at today's size if searched.
  package var other: Side?
  /// True if today's cache is a server with settings.
  package var isServer = false
  /// True if today's cache was not named.
  package var isAssumed = false
  /// True if hit ratios are those of real caches that were not simulated.
  package var isExecuted: Bool?
  /// Hit ratio by the log's own HIT and MISS; nil without them.
  package var recordedHitRatio: Double?
  /// Shortest TTL that costs the proposed cache at most 0.2 points; nil if none was tried.
  package var ttlSeconds: UInt32?
  /// Option of the log's format that drops query parameters from the key; nil for the whole key.
  package var keyOption: String?
  /// Currency of the costs; nil without prices.
  package var currency: String?
  /// Time from which amounts a day are extrapolated, in words.
  package var basis: String?

  package struct Side: Sendable, Hashable, Codable {
    package var cache: String
    package var capacity: UInt64
    package var hitRatio: Double
    package var byteHitRatio: Double?
    package var originRequestsPerDay: Double?
    package var originBytesPerDay: Double?
    package var monthlyCost: Double?

    package init(cache: String, capacity: UInt64, hitRatio: Double) {
      (self.cache, self.capacity, self.hitRatio) = (cache, capacity, hitRatio)
    }
  }

  package init(
    trace: String, unit: CapacityUnit, scope: String = "the whole trace", today: Side,
    proposed: Side
  ) {
    (self.trace, self.unit, self.scope) = (trace, unit, scope)
    (self.today, self.proposed) = (today, proposed)
  }

  package var gainPoints: Double { (proposed.hitRatio - today.hitRatio) * 100 }

  /// True if nothing but the TTL would change.
  package var keeps: Bool {
    today.cache == proposed.cache && today.capacity == proposed.capacity && keyOption == nil
  }

  func with(_ change: (inout Side) -> Void) -> Decision {
    var decision = self
    change(&decision.today)
    change(&decision.proposed)
    if var other = decision.other {
      change(&other)
      decision.other = other
    }
    return decision
  }
}

extension Advisor {
  func decision(_ advice: Advice, _ finding: CapacityFinding, _ model: CostModel) throws
    -> Decision?
  {
    guard settings.prefix == nil else { return nil }
    func side(_ design: DesignResult, at capacity: UInt64) -> Decision.Side {
      self.side(design.name, capacity, design.served(on: settings.tiers.storage), model)
    }
    var decision: Decision
    let best = finding.advice
    if let current = settings.current {
      let capacity = try trace.capacity(current.capacity, in: unit)
      let settings = try ServerSettings(self, current, capacity, model)
      decision = try settings.decision()
      let found = advice.capacities.first { $0.capacity == capacity } ?? best
      let advised = side(found.advised, at: found.capacity)
      if Choice.isBetter(advised.hitRatio, than: decision.proposed.hitRatio) {
        if decision.isServer {
          decision.other = advised
        } else {
          // Lifetimes were simulated for the recommended design.
          let lifetimes = found.capacity == best.capacity ? advice.lifetimes : []
          (decision.proposed, decision.keyOption) = (advised, nil)
          decision.ttlSeconds =
            lifetimes.first { $0.lostPoints <= Choice.indifferentPoints }?.seconds
        }
      }
    } else {
      decision = Decision(
        trace: trace.name, unit: unit, today: side(best.lru, at: best.capacity),
        proposed: side(best.advised, at: best.capacity))
      decision.isAssumed = true
    }
    if let learned = settings.learned {
      let rest = NumberText.trimmed(100 - learned.ratio * 100, decimals: 4)
      decision.scope = "the last \(rest) % of the trace, with a warm cache"
    }
    decision.recordedHitRatio = trace.reading.recordedHitRatio
    decision.currency = settings.prices?.currency
    decision.basis = model.basis
    return decision
  }

  fileprivate func side(
    _ cache: String, _ capacity: UInt64, _ served: Served, _ model: CostModel
  ) -> Decision.Side {
    var side = Decision.Side(cache: cache, capacity: capacity, hitRatio: served.hitRatio)
    side.byteHitRatio = served.byteHitRatio
    let gets = model.monthlyGets * 86400 / Prices.monthSeconds
    side.originRequestsPerDay = gets * (1 - served.hitRatio)
    if model.hasSizes {
      side.originBytesPerDay =
        gets * model.requestBytes * (1 - (served.byteHitRatio ?? served.hitRatio))
    }
    if settings.prices != nil {
      side.monthlyCost = model.point(capacity, on: settings.tiers.storage, served).total
    }
    return side
  }
}

/// The settings of today's server: each is simulated over the whole trace.
private struct ServerSettings {
  let advisor: Advisor
  let current: CurrentCache
  let capacity: UInt64
  let model: CostModel
  let designs: [ServerDesign]

  init(_ advisor: Advisor, _ current: CurrentCache, _ capacity: UInt64, _ model: CostModel) throws {
    (self.advisor, self.current, self.capacity, self.model) = (advisor, current, capacity, model)
    if current.design.candidate.policy.name == "ttl", advisor.trace.requests.ttls == nil {
      throw AdviceError.current(current.text, "the trace has no TTLs")
    }
    designs = try current.server?.designs(today: current.design) ?? [current.design]
    if let server = current.server, settable(capacity) != capacity {
      throw AdviceError.current(current.text, server.sizes)
    }
  }

  /// The size to which the server can be set, at most `capacity`; nil if there is none.
  private func settable(_ capacity: UInt64) -> UInt64? {
    guard advisor.unit == .bytes, !advisor.trace.sampling.isPart, let server = current.server else {
      return capacity > 0 ? capacity : nil
    }
    return server.settable(capacity)
  }

  /// Smaller sizes, which may do as well; with prices, larger ones too.
  private func sizes() throws -> [UInt64] {
    if !advisor.settings.capacities.isEmpty {
      let asked = try advisor.settings.capacities.map {
        try advisor.trace.capacity($0, in: advisor.unit)
      }
      return Set(asked).subtracting([capacity]).sorted()
    }
    var halves = [capacity / 2, capacity / 4]
    while let last = halves.last, last / 8 >= advisor.footprint { halves.append(last / 4) }
    let smaller = Set(halves.compactMap(settable)).sorted()
    let larger = [capacity * 2, capacity * 4].filter { $0 <= CapacitySpec.largestBytes }
    return advisor.settings.prices == nil ? smaller : smaller + larger
  }

  private func run(_ jobs: [(ServerDesign, UInt64)], over mini: MiniTrace) throws -> [[Counts]] {
    advisor.began("Settings of \(current.text)", mini.trace.requests.count * jobs.count)
    let storage = advisor.settings.tiers.storage
    return try advisor.replayer.run(
      jobs.map { design, capacity in
        Replayer.Job(
          arrangement: storage.arrangement(
            try design.candidate.tier(capacity: capacity, sampled: advisor.trace.sampling.rate)),
          trace: mini)
      })
  }

  private func side(
    _ design: ServerDesign, _ capacity: UInt64, _ counts: [Counts], _ mini: MiniTrace
  ) -> Decision.Side {
    let name = current.server.map { "\($0.names[0]) " } ?? ""
    return advisor.side(
      name + design.words, capacity,
      mini.served(counts, in: advisor.segments.scored, unit: advisor.unit), model)
  }

  func decision() throws -> Decision {
    var mini = advisor.whole
    var counts = try run(designs.map { ($0, capacity) }, over: mini)
    let trials = counts.indices.map { place in
      Trial(
        candidate: place, learned: [mini.hitRatio(counts[place], in: advisor.segments.learned)],
        scored: mini.hitRatio(counts[place], in: advisor.segments.scored), halves: [])
    }
    let ranked = Choice.ranking(trials).map { trials[$0] }
    let chosen = Choice.recommended(ranked, lru: trials[0]).map { ranked[$0].candidate } ?? 0
    let design = designs[chosen]
    let today = side(designs[0], capacity, counts[0], mini)
    var decision = Decision(
      trace: advisor.trace.name, unit: advisor.unit, today: today,
      proposed: side(design, capacity, counts[chosen], mini))
    decision.isServer = current.server != nil
    if let plainer = advisor.plainer,
      plainer.trace.requests.count == advisor.trace.requests.count
    {
      let plain = MiniTrace(whole: plainer.trace, ends: advisor.segments.ends)
      let own = try run([(design, capacity)], over: plain)[0]
      let side = side(design, capacity, own, plain)
      if Choice.isBetter(side.hitRatio, than: decision.proposed.hitRatio) {
        (decision.proposed, decision.keyOption, mini) = (side, plainer.option, plain)
      }
    }
    let sizes = try sizes()
    // As in samples, without memory beyond the size, which would not become less.
    counts = try run(try sizes.map { (try design.scaled(by: 1.nextDown), $0) }, over: mini)
    let sides = sizes.indices.map { side(design, sizes[$0], counts[$0], mini) }
    decision.proposed = resized(decision.proposed, sides)
    decision.ttlSeconds = try advisor.lifetimes(design.candidate, decision.proposed.capacity)
      .first { $0.lostPoints <= Choice.indifferentPoints }?.seconds
    return decision
  }

  /// The cheapest by the prices; without them, the smallest that hits as often.
  private func resized(_ side: Decision.Side, _ others: [Decision.Side]) -> Decision.Side {
    if let cost = side.monthlyCost {
      let cheapest = others.min { ($0.monthlyCost ?? cost) < ($1.monthlyCost ?? cost) }
      return cheapest.flatMap { ($0.monthlyCost ?? cost) < cost ? $0 : nil } ?? side
    }
    guard side.hitRatio > 0 else { return side }
    return others.filter { $0.capacity < side.capacity }
      .first { !Choice.isBetter(side.hitRatio, than: $0.hitRatio) } ?? side
  }
}
