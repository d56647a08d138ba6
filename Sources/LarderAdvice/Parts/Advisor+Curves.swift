import LarderEngine

extension Advisor {
  /// Points of a curve.
  private static let points = 12
  /// Capacities in bytes at which LRU's stack distances are counted.
  private static let lruPoints = 64

  /// The capacities of a curve: from a thousandth of the footprint to all of it, each larger by the
  /// same factor.
  func grid(_ count: Int) -> [UInt64] {
    let low = max(1, footprint / 1000)
    let span = DeterministicMath.log(Double(footprint) / Double(low))
    let grid = (0..<count).map { place in
      UInt64(
        (Double(low) * DeterministicMath.exp(span * Double(place) / Double(count - 1))).rounded())
    }
    return Set(grid.map { min(max(1, $0), footprint) } + [footprint]).sorted()
  }

  /// LRU's curve: from stack distances where those are exact, or simulated.
  func lruCurve() throws -> LRUScores {
    let grid = grid(unit == .bytes ? Self.lruPoints : Self.points)
    // Stack distances know of blocks and not of prefixes.
    if settings.prefix == nil, !LRUCurvePass.expires(trace.requests) {
      began("Stack distances of lru", trace.requests.count)
      let pass = LRUCurvePass(over: trace.requests, unit: unit, capacities: grid)
      var before: LRUCurve?
      if let end = segments.scored.first.flatMap({ $0 > 0 ? segments.ends[$0 - 1] : nil }) {
        try advance(pass, to: end)
        before = pass.curve
      }
      try advance(pass, to: trace.requests.count)
      let after = pass.curve
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
        // A cache smaller than the largest object may do better than stack distances say.
        CurvePoint(capacity: $0, hitRatio: ratio($0), isEstimate: !after.isExact(at: $0))
      },
      all: unit == .objects ? (0..<after.hits.count).map { ratio(UInt64($0)) } : nil)
  }

  /// The curve of a design, with the exact points that are known of it.
  func curve(of design: Candidate, known: [CapacityAdvice]) throws -> [CurvePoint] {
    let exact = known.filter {
      $0.chosen.policy == design.policy.description
        && $0.chosen.admission == design.admission?.description
    }.map {
      CurvePoint(capacity: $0.capacity, hitRatio: $0.chosen.hitRatio, isEstimate: false)
    }
    let taken = Set(exact.map(\.capacity))
    // Half and double of what is asked for is what readers want to know.
    let around = known.flatMap { [$0.capacity / 2, min(footprint, $0.capacity * 2)] }
    let capacities = Set(grid(Self.points) + around.filter { $0 > 0 }).subtracting(taken).sorted()
    return (exact + (try simulatedCurve(of: design, at: capacities)))
      .sorted { $0.capacity < $1.capacity }
  }

  /// Simulations at several capacities, of a sample where all requests would be too many.
  func simulatedCurve(of design: Candidate, at capacities: [UInt64]) throws -> [CurvePoint] {
    let extents = capacities.map { extent(runs: capacities.count, of: [design], smallest: $0) }
    var made: [Extent: MiniTrace] = [:]
    for extent in extents where made[extent] == nil { made[extent] = try mini(extent) }
    let minis = extents.map { made[$0] ?? whole }
    began("Curve of \(design.words)", minis.reduce(0) { $0 + $1.trace.requests.count })
    let jobs = try zip(capacities, minis).map { capacity, mini in
      let tier = try design.tier(capacity: capacity, rate: mini.rate)
      return Replayer.Job(arrangement: .memory(tier), trace: mini)
    }
    let counts = try replayer.run(jobs)
    return capacities.indices.map { place in
      CurvePoint(
        capacity: capacities[place],
        hitRatio: minis[place].hitRatio(counts[place], in: segments.scored),
        isEstimate: extents[place] != .all)
    }
  }
}
