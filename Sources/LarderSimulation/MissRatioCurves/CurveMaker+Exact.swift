import LarderEngine
import LarderTraces
import LarderWorkloads

/// Exact curves.
extension CurveMaker {
  /// LRU's curve: from one pass where stack distances can tell, and from simulations elsewhere.
  func exactLRU(
    _ policy: PolicySpec, _ capacities: [UInt64], _ notes: inout [String]
  ) throws -> MissRatioCurve {
    if expires {
      notes.append(
        "\(trace.name): expiry depends on the capacity, so lru was simulated at each "
          + "of \(capacities.count) capacities")
      return curve(policy, try lruHits(policy, capacities, trusting: nil))
    }
    let pass = try stackDistances(capacities)
    let hits = try lruHits(policy, capacities, trusting: pass)
    let simulated = capacities.count { !pass.isExact(at: $0) }
    if simulated > 0 {
      let why =
        pass.resizedGets > 0
        ? "objects change size on \(pass.resizedGets) gets"
        : "the largest object has \(pass.largestObject) bytes"
      notes.append(
        "\(trace.name): \(why): lru was simulated at \(simulated) of \(capacities.count) "
          + "capacities")
    }
    var curve = curve(policy, hits)
    if pass.capacities == nil, let best = hits.last?.hits {
      curve.smallestCache = smallest(best, settings.share, in: pass.hits)
    }
    return curve
  }

  /// LRU's exact hits at each capacity.
  func lruHits(
    _ policy: PolicySpec, _ capacities: [UInt64], trusting pass: LRUCurve?
  ) throws -> [(capacity: UInt64, hits: UInt64)] {
    let simulated = capacities.filter { !(pass?.isExact(at: $0) ?? false) }
    var hits: [UInt64: UInt64] = [:]
    if !simulated.isEmpty {
      let counts = try replay([policy], simulated, over: trace, title: "Simulating lru")
      for (capacity, counts) in zip(simulated, counts) { hits[capacity] = counts.hits }
    }
    return capacities.map { ($0, hits[$0] ?? pass?.hits(at: $0) ?? 0) }
  }

  /// The pass over all requests.
  func stackDistances(_ capacities: [UInt64]) throws -> LRUCurve {
    began("Stack distances of \(trace.name)", trace.requests.count)
    let pass = LRUCurvePass(over: trace.requests, unit: unit, capacities: capacities)
    while pass.position < trace.requests.count {
      if cancellation.isRequested { throw Cancelled() }
      let start = pass.position
      pass.run(upTo: min(start + Self.chunk, trace.requests.count))
      replayed(pass.position - start)
    }
    return pass.curve
  }

  /// The curves of policies, simulated at each capacity.
  func simulate(_ places: [Int], _ capacities: [UInt64]) throws -> [MissRatioCurve] {
    guard !places.isEmpty else { return [] }
    let policies = places.map { settings.policies[$0] }
    let counts = try replay(policies, capacities, over: trace, title: "Simulating")
    return policies.enumerated().map { number, policy in
      let own = counts[number * capacities.count..<(number + 1) * capacities.count]
      return curve(policy, Array(zip(capacities, own.map(\.hits))))
    }
  }

  /// Simulates policies at capacities: counts by policy, then capacity.
  func replay(
    _ policies: [PolicySpec], _ capacities: [UInt64], over trace: PreparedTrace, title: String
  ) throws -> [Counts] {
    var trace = trace
    if policies.contains(where: PolicyRegistry.needsFuture) { trace = try trace.withNextUses() }
    let cells = policies.flatMap { policy in
      capacities.map { capacity in
        PlannedCell(
          cell: Cell(
            workload: "mrc", trace: trace.name, configuration: "memory", kind: .memory,
            policy: policy.description, capacity: capacity, capacityLabel: "\(capacity)",
            unit: unit, seed: settings.seed),
          setup: SimulationSetup(
            arrangement: .memory(TierSetup(policy: policy, capacity: capacity)), unit: unit,
            seed: settings.seed))
      }
    }
    let sweep = Sweep(cells: cells, traces: TraceTable(trace), threads: settings.threads)
    began("\(title): \(cells.count) cells", sweep.totalRequests)
    let records = try sweep.run(
      cancellation: cancellation, observer: Sweep.Observer(replayed: replayed))
    guard records.count == cells.count else { throw Cancelled() }
    return records.map(\.counts)
  }

  /// An exact curve.
  func curve(
    _ policy: PolicySpec, _ hits: [(capacity: UInt64, hits: UInt64)]
  ) -> MissRatioCurve {
    let points = hits.map { capacity, hits in
      MissRatioCurve.Point(
        capacity: capacity, hits: hits, hitRatio: Double(hits) / Double(gets))
    }
    let best = points.compactMap(\.hits).max() ?? 0
    let needed = settings.share.ofAtLeast(best)
    return MissRatioCurve(
      trace: trace.name, policy: policy.description, method: .exact, unit: unit, requests: gets,
      points: points,
      smallestCache: best == 0 ? nil : points.first { ($0.hits ?? 0) >= needed }?.capacity)
  }

  /// The smallest capacity with a share of the best hits, where hits at all capacities are known.
  private func smallest(_ best: UInt64, _ share: Share, in hits: [UInt64]) -> UInt64? {
    guard best > 0 else { return nil }
    let needed = share.ofAtLeast(best)
    return hits.firstIndex { $0 >= needed }.map { UInt64($0) }
  }
}

extension Share {
  /// The share of `whole`, rounded up.
  func ofAtLeast(_ whole: UInt64) -> UInt64 {
    let product = UInt128(whole) * UInt128(billionths)
    return UInt64((product + 999_999_999) / 1_000_000_000)
  }
}
