import LarderEngine

extension Advisor {
  private static let points = 12
  /// Number of capacities in bytes at which LRU's stack distances are counted.
  private static let lruPoints = 64

  /// Capacities of a curve: from a thousandth of the footprint to all of it, in a geometric
  /// sequence.
  func grid(_ count: Int) -> [UInt64] {
    CurveGrid.logarithmic(from: footprint / 1000, to: footprint, count: count)
  }

  func lruCurve() throws -> LRUScores {
    let grid = grid(unit == .bytes ? Self.lruPoints : Self.points)
    // Stack distances apply to blocks and not to prefixes.
    if settings.prefix == nil, !LRUCurvePass.expires(trace.requests) {
      began("Stack distances of lru", trace.requests.count)
      let pass = try LRUCurvePass(over: trace.requests, unit: unit, capacities: grid)
      var before: LRUCurve?
      if let end = segments.scored.first.flatMap({ $0 > 0 ? segments.ends[$0 - 1] : nil }) {
        try advance(pass, to: end)
        before = pass.result
      }
      try advance(pass, to: trace.requests.count)
      let after = pass.result
      if after.resizedGets == 0 { return scores(before, after, grid) }
    }
    let lru = Candidate(policy: try PolicySpec(parsing: "lru"))
    return LRUScores(points: try simulatedCurve(of: lru, at: self.grid(Self.points)))
  }

  private func advance(_ pass: LRUCurvePass, to end: Int) throws {
    while pass.position < end {
      if cancellation.isRequested { throw AdviceError.cancelled }
      let start = pass.position
      pass.run(upTo: min(start + 1 << 20, end))
      replayed(pass.position - start)
    }
  }

  private func scores(_ before: LRUCurve?, _ after: LRUCurve, _ grid: [UInt64]) -> LRUScores {
    let gets = Double(max(1, after.requests - (before?.requests ?? 0)))
    let correction = MiniTrace.correction(of: trace)
    func ratio(_ capacity: UInt64) -> Double {
      let hits = Double((after.hits(at: capacity) ?? 0) - (before?.hits(at: capacity) ?? 0))
      return correction == 1 ? hits / gets : max(0, 1 - (1 - hits / gets) / correction)
    }
    return LRUScores(
      points: grid.map {
        // A cache smaller than the largest object may do better than stack distances predict.
        CurvePoint(capacity: $0, hitRatio: ratio($0), isEstimate: !after.isExact(at: $0))
      },
      all: unit == .objects ? (0..<after.hits.count).map { ratio(UInt64($0)) } : nil)
  }

  func curve(of design: Candidate, known: [CapacityAdvice]) throws -> [CurvePoint] {
    let exact = known.compactMap { advice in
      ([advice.chosen, advice.lru] + advice.runnersUp).first {
        $0.policy == design.policy.description && $0.admission == design.admission?.description
      }.map {
        CurvePoint(
          capacity: advice.capacity, hitRatio: $0.hitRatio, byteHitRatio: $0.byteHitRatio,
          writtenPerGet: $0.writtenPerGet, isEstimate: false)
      }
    }
    let taken = Set(exact.map(\.capacity))
    // Readers want to know the effect of half and double the requested capacity.
    let around = known.flatMap { [$0.capacity / 2, min(footprint, $0.capacity * 2)] }
    let capacities = Set(grid(Self.points) + around.filter { $0 > 0 }).subtracting(taken).sorted()
    return (exact + (try simulatedCurve(of: design, at: capacities)))
      .sorted { $0.capacity < $1.capacity }
  }

  func simulatedCurve(of design: Candidate, at capacities: [UInt64]) throws -> [CurvePoint] {
    let extents = capacities.map { extent(runs: capacities.count, of: [design], smallest: $0) }
    var made: [Extent: MiniTrace] = [:]
    for extent in extents where made[extent] == nil { made[extent] = try mini(extent) }
    let minis = extents.map { made[$0] ?? whole }
    began("Curve of \(design.words)", minis.reduce(0) { $0 + $1.trace.requests.count })
    let jobs = try zip(capacities, minis).map { capacity, mini in
      let tier = try design.tier(
        capacity: capacity, rate: mini.rate, sampled: trace.sampling.rate)
      return Replayer.Job(arrangement: settings.tiers.storage.arrangement(tier), trace: mini)
    }
    let counts = try replayer.run(jobs)
    return capacities.indices.map { place in
      let served = minis[place].served(
        counts[place], in: segments.scored, unit: settings.prefix == nil ? unit : .objects)
      return CurvePoint(
        capacity: capacities[place], hitRatio: served.hitRatio,
        byteHitRatio: served.byteHitRatio,
        writtenPerGet: settings.tiers.storage == .flash ? served.writtenPerGet : nil,
        isEstimate: extents[place] != .all)
    }
  }
}

struct LRUScores: Sendable {
  var points: [CurvePoint]
  /// Hit ratios at all capacities from 0 on, if known.
  var all: [Double]?

  /// Smallest capacity with at least this hit ratio, interpolated linearly between points of a
  /// curve. Nil if no capacity reaches it.
  func capacity(reaching ratio: Double) -> UInt64? {
    // Ratios of equal hits may differ in their last bits.
    let wanted = ratio - 1e-12
    if let all { return all.firstIndex { $0 >= wanted }.map { UInt64($0) } }
    guard let place = points.firstIndex(where: { $0.hitRatio >= wanted }) else { return nil }
    let high = points[place]
    guard place > 0 else { return high.capacity }
    let low = points[place - 1]
    let share = (wanted - low.hitRatio) / max(high.hitRatio - low.hitRatio, 1e-12)
    let gap = Double(high.capacity - low.capacity)
    return low.capacity + UInt64((gap * min(1, max(0, share))).rounded(.up))
  }
}

extension Advisor {
  private static let disks = [4.0, 16.0]
  private static let memories = [0.02, 0.05, 0.1, 0.25]

  /// Combinations of memory and disk: with `auto`, disks behind the recommended memory; with
  /// `hybrid`, memory in front of a disk of that capacity. The recommended tier alone comes first.
  func splits(
    behind design: Candidate, _ advice: CapacityAdvice, _ model: CostModel
  ) throws -> [TierSplit] {
    let capacity = advice.capacity
    let sizes: [(memory: UInt64, disk: UInt64)] =
      settings.tiers == .hybrid
      ? Self.memories.map { (max(1, UInt64(Double(capacity) * $0)), capacity) }
      : Self.disks.map { (capacity, min(footprint, UInt64(Double(capacity) * $0))) }
        .filter { $0.1 > capacity }
    let distinct = sizes.enumerated().filter { place, size in
      !sizes[..<place].contains { $0 == size }
    }.map(\.element)
    var plans = [
      settings.tiers == .hybrid
        ? Plan(disk: capacity, diskDesign: design)
        : Plan(memory: capacity, memoryDesign: design)
    ]
    let lru = Candidate(policy: try PolicySpec(parsing: "lru"))
    let fifo = Candidate(policy: try PolicySpec(parsing: "fifo"))
    for (memory, disk) in distinct {
      for inclusion in HybridRules.Inclusion.allCases {
        // Memory receives all requests; disk receives only the misses of memory.
        for pair in [(design, fifo), (design, design), (lru, design)] {
          let plan = Plan(
            memory: memory, disk: disk, memoryDesign: pair.0, diskDesign: pair.1,
            inclusion: inclusion)
          if !plans.contains(plan) { plans.append(plan) }
        }
      }
    }
    guard plans.count > 1 else { return [] }
    let smallest = plans.flatMap { [$0.memory, $0.disk] }.filter { $0 > 0 }.min() ?? capacity
    // A run of two tiers takes about as long as a run of each.
    let tiers = plans.count * 2
    let mini = try mini(runs: tiers, of: [design, lru, fifo], smallest: smallest)
    began("Memory and disk", mini.trace.requests.count * plans.count)
    let jobs = try plans.map {
      Replayer.Job(arrangement: try $0.arrangement(mini.rate, trace.sampling.rate), trace: mini)
    }
    let counts = try replayer.run(jobs)
    let splits = plans.indices.map { split(plans[$0], counts[$0], mini, model) }
    // The cheapest of equal sizes.
    return splits.enumerated().filter { place, split in
      !splits.enumerated().contains { other, rival in
        rival.memory == split.memory && rival.disk == split.disk
          && (rival.monthlyCost, other) < (split.monthlyCost, place)
      }
    }.map(\.element)
  }

  private struct Plan: Hashable {
    var memory: UInt64 = 0
    var disk: UInt64 = 0
    var memoryDesign: Candidate?
    var diskDesign: Candidate?
    var inclusion: HybridRules.Inclusion?

    func arrangement(_ rate: Double, _ sampled: Double) throws(PolicyError) -> Arrangement {
      let first = try memoryDesign?.tier(capacity: memory, rate: rate, sampled: sampled)
      let second = try diskDesign?.tier(capacity: disk, rate: rate, sampled: sampled)
      switch (first, second) {
      case (let first?, let second?):
        return .hybrid(
          memory: first, disk: second, rules: HybridRules(inclusion: inclusion ?? .inclusive))
      case (let first?, nil): return .memory(first)
      case (nil, let second?): return .disk(second)
      case (nil, nil): preconditionFailure("a plan has at least one tier")
      }
    }
  }

  private func split(
    _ plan: Plan, _ counts: [Counts], _ mini: MiniTrace, _ model: CostModel
  ) -> TierSplit {
    let served = mini.served(counts, in: segments.scored, unit: unit)
    let cost = model.cost(memory: plan.memory, disk: plan.disk, served)
    return TierSplit(
      memory: plan.memory, disk: plan.disk, memoryPolicy: plan.memoryDesign?.description,
      diskPolicy: plan.diskDesign?.description, inclusion: plan.inclusion,
      memoryHitRatio: max(0, served.hitRatio - served.diskHitRatio),
      diskHitRatio: min(served.diskHitRatio, served.hitRatio),
      writtenPerGet: served.writtenPerGet, monthlyCost: cost.storage + cost.misses,
      isEstimate: mini.trace.requests.count < trace.requests.count)
  }
}

extension Advisor {
  private static let lifetimes: [UInt32] = [60, 300, 3600, 21_600, 86_400, 604_800, 2_419_200]

  func lifetimes(_ design: Candidate, _ capacity: UInt64) throws -> [LifetimePoint] {
    let tried = Self.lifetimes.filter { Double($0) < trace.durationSeconds }
    guard !tried.isEmpty else { return [] }
    let mini = try mini(runs: tried.count + 1, of: [design], smallest: capacity)
    began("TTLs", mini.trace.requests.count * (tried.count + 1))
    let settings: [UInt32?] = [nil] + tried
    let jobs = try settings.map { seconds in
      let tier = try design.tier(
        capacity: capacity, rate: mini.rate, sampled: trace.sampling.rate,
        timeToLiveSeconds: seconds)
      return Replayer.Job(
        arrangement: self.settings.tiers.storage.arrangement(tier), trace: mini)
    }
    let counts = try replayer.run(jobs)
    let ratios = counts.map { mini.hitRatio($0, in: segments.scored) }
    let hasChanges = changes
    return tried.indices.map { place in
      let own = counts[place + 1][segments.scored]
      let gets = own.reduce(0) { $0 + Double($1.requests) }
      let stale = own.reduce(0) { $0 + Double($1.staleHits) }
      return LifetimePoint(
        seconds: tried[place], hitRatio: ratios[place + 1],
        lostPoints: (ratios[0] - ratios[place + 1]) * 100,
        staleRatio: hasChanges && gets > 0 ? stale / gets : nil)
    }
  }

  private var changes: Bool {
    guard let operations = trace.requests.operations else { return false }
    return (0..<trace.requests.count).contains { operations[$0] == Operation.modify.rawValue }
  }
}

extension Advisor {
  func stability(_ finding: CapacityFinding) -> Stability {
    let results = finding.finalists
    let bests = (0..<2).map { half in
      results.indices.max { results[$0].halves[half] < results[$1].halves[half] } ?? 0
    }
    func losses(_ place: Int) -> [Double] {
      (0..<2).map { (results[bests[$0]].halves[$0] - results[place].halves[$0]) * 100 }
    }
    let disagreement = max(losses(bests[0])[1], losses(bests[1])[0])
    let worst = results.indices.map { losses($0).max() ?? 0 }
    let safest = worst.indices.min { worst[$0] < worst[$1] } ?? 0
    return Stability(
      halves: bests.map { results[$0] }, disagreementPoints: disagreement,
      changes: disagreement > AdviceSettings.unstablePoints, safest: results[safest],
      safestLossPoints: worst[safest],
      auto: results.first { $0.name == "auto" })
  }
}
