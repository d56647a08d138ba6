import Foundation
import LarderEngine
import LarderPolicies
import LarderSupport
import LarderTraces

/// Makes the miss-ratio curves of a trace.
///
/// All counts and estimates are a function of the trace and the settings except `threads`: samples
/// are chosen by hash, and sums are taken in a fixed order.
package struct CurveMaker: Sendable {
  package let trace: PreparedTrace
  package let settings: CurveSettings
  package let cancellation: Cancellation
  package var began: @Sendable (_ title: String, _ requests: Int) -> Void = { _, _ in }
  package var replayed: @Sendable (_ requests: Int) -> Void = { _ in }

  let unit: CapacityUnit
  let gets: UInt64
  let expires: Bool

  static let chunk = 1 << 20

  package struct Cancelled: Error {}

  package init(
    trace: PreparedTrace, settings: CurveSettings, cancellation: Cancellation = Cancellation()
  ) throws(CurveError) {
    self.trace = trace
    self.settings = settings
    self.cancellation = cancellation
    if settings.unit == .bytes, !trace.hasSizes { throw .noSizes(trace: trace.name) }
    unit = settings.unit ?? (trace.hasSizes ? .bytes : .objects)
    gets = Self.gets(in: trace.requests)
    guard gets > 0 else { throw .noGets(trace: trace.name) }
    expires = LRUCurvePass.expires(trace.requests)
    guard settings.method == .shards else { return }
    if let other = settings.policies.first(where: { $0.name != "lru" }) {
      throw .shardsOfAnotherPolicy(other.description)
    }
    if expires { throw .shardsWithExpiry(trace: trace.name) }
  }

  package func make() throws -> TraceCurves {
    let capacities = try capacities()
    var curves: [Int: MissRatioCurve] = [:]
    var notes: [String] = []
    let methods = settings.policies.map(method)
    for (place, policy) in settings.policies.enumerated() where isLRU(policy) {
      switch methods[place] {
      case .exact: curves[place] = try exactLRU(policy, capacities, &notes)
      case .shards: curves[place] = try sampled([policy], .shards, capacities, &notes).first
      default: break
      }
    }
    // Policies that are simulated share one sweep.
    for method in [CurveMethod.exact, .miniature] {
      let places = methods.indices.filter { methods[$0] == method && curves[$0] == nil }
      let policies = places.map { settings.policies[$0] }
      let made =
        method == .exact
        ? try simulated(policies, capacities)
        : try sampled(policies, .miniature, capacities, &notes)
      for (place, curve) in zip(places, made) { curves[place] = curve }
    }
    return TraceCurves(
      facts: TraceFacts(trace), unit: unit,
      curves: settings.policies.indices.compactMap { curves[$0].map(ofAllTraffic) }, notes: notes)
  }

  func isLRU(_ policy: PolicySpec) -> Bool { policy.name == "lru" }

  /// Method for the curve of a policy; never `auto`.
  func method(of policy: PolicySpec) -> CurveMethod {
    switch settings.method {
    case .exact, .shards: return settings.method
    case .miniature: return sampleRate >= 1 ? .exact : .miniature
    case .auto:
      if isLRU(policy), !expires, settings.rate == nil || sampleRate >= 1 { return .exact }
      if sampleRate >= 1 { return .exact }
      return isLRU(policy) && !expires ? .shards : .miniature
    }
  }

  var sampleRate: Double {
    let least = Double(CurveSettings.sampledObjectsMin) / Double(max(1, trace.requests.objects))
    if let rate = settings.rate { return min(1, max(rate, least)) }
    if settings.method == .shards, let samples = settings.samples {
      return min(1, Double(samples) / Double(max(1, trace.requests.objects)))
    }
    guard settings.method != .shards else { return min(1, max(CurveSettings.defaultRate, least)) }
    let points = settings.capacities.isEmpty ? settings.points : settings.capacities.count
    let replayed = Double(trace.requests.count) * Double(max(1, points))
    return min(1, max(Double(CurveSettings.replayedMax) / replayed, least))
  }

  var footprint: UInt64 { min(trace.footprint(in: unit), CapacitySpec.largestBytes) }

  func capacities() throws(CurveError) -> [UInt64] {
    guard settings.capacities.isEmpty else {
      do throws(CapacityError) {
        var named: Set<UInt64> = []
        for spec in settings.capacities { named.insert(try trace.capacity(spec, in: unit)) }
        return named.sorted()
      } catch {
        throw .capacity(error, trace: trace.name)
      }
    }
    // A sample is not informative about caches that hold only a few of its objects.
    var low = Double(footprint) / 10_000
    let isSampled = settings.policies.contains { [.shards, .miniature].contains(method(of: $0)) }
    if isSampled {
      low = max(low, CurveSettings.scaledObjectsMin * trace.meanSize(in: unit) / sampleRate)
    }
    return CurveGrid.logarithmic(
      from: UInt64(low.rounded(.up)), to: footprint, count: settings.points)
  }

  private static func gets(in columns: RequestColumns) -> UInt64 {
    guard let operations = columns.operations else { return UInt64(columns.count) }
    return UInt64((0..<columns.count).count { Operation.isCounted(operations[$0]) })
  }

  func inChunks(_ title: String, run: (_ end: Int) -> Void) throws(Cancelled) {
    let count = trace.requests.count
    began(title, count)
    for start in stride(from: 0, to: count, by: Self.chunk) {
      if cancellation.isRequested { throw Cancelled() }
      let end = min(start + Self.chunk, count)
      run(end)
      replayed(end - start)
    }
  }
}

package enum CurveError: Error, Hashable, Sendable, CustomStringConvertible {
  case shardsOfAnotherPolicy(String)
  case shardsWithExpiry(trace: String)
  case noGets(trace: String)
  case noSizes(trace: String)
  case capacity(CapacityError, trace: String)

  package var description: String {
    switch self {
    case .shardsOfAnotherPolicy(let policy):
      return "SHARDS supports 'lru' only, not '\(policy)'; use --method miniature"
    case .shardsWithExpiry(let trace):
      return "\(trace): entries expire, which stack distances cannot model; use --method "
        + "miniature, or exact to simulate at each capacity"
    case .noGets(let trace):
      return "\(trace): has no gets, so no hit ratio exists"
    case .noSizes(let trace):
      return "\(trace): has no sizes, so capacities cannot count bytes; remove --unit, or use "
        + "--ignore-size"
    case .capacity(let error, let trace):
      return "\(trace): \(error)"
    }
  }
}

extension CurveMaker {
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
      let needed = settings.share.ceiling(of: best)
      curve.smallestCache =
        best > 0 ? pass.hits.firstIndex { $0 >= needed }.map { UInt64($0) } : nil
    }
    return curve
  }

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

  func stackDistances(_ capacities: [UInt64]) throws -> LRUCurve {
    let pass = try LRUCurvePass(over: trace.requests, unit: unit, capacities: capacities)
    try inChunks("Stack distances of \(trace.name)") { pass.run(upTo: $0) }
    return pass.result
  }

  func simulated(
    _ policies: [PolicySpec], _ capacities: [UInt64]
  ) throws -> [MissRatioCurve] {
    guard !policies.isEmpty else { return [] }
    let counts = try replay(policies, capacities, over: trace, title: "Simulating")
    return policies.enumerated().map { number, policy in
      let own = counts[number * capacities.count..<(number + 1) * capacities.count]
      return curve(policy, Array(zip(capacities, own.map(\.hits))))
    }
  }

  func replay(
    _ policies: [PolicySpec], _ capacities: [UInt64], over trace: PreparedTrace, title: String
  ) throws -> [Counts] {
    let policies = try policies.map { try $0.scaled(by: self.trace.sampling.rate) }
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

  func curve(
    _ policy: PolicySpec, _ hits: [(capacity: UInt64, hits: UInt64)]
  ) -> MissRatioCurve {
    let points = hits.map { capacity, hits in
      MissRatioCurve.Point(
        capacity: capacity, hits: hits, hitRatio: Double(hits) / Double(gets))
    }
    let best = points.compactMap(\.hits).max() ?? 0
    let needed = settings.share.ceiling(of: best)
    return MissRatioCurve(
      trace: trace.name, policy: policy.description, method: .exact, unit: unit, requests: gets,
      points: points,
      smallestCache: best == 0 ? nil : points.first { ($0.hits ?? 0) >= needed }?.capacity)
  }
}

/// Scaling of curves of a trace that is itself a sample: counts of the sample, with scaled
/// capacities, become estimates for all the traffic.
extension CurveMaker {
  func ofAllTraffic(_ curve: MissRatioCurve) -> MissRatioCurve {
    let sampling = trace.sampling
    guard sampling.isPart else { return curve }
    var whole = curve
    if curve.method == .exact { whole.method = curve.policy == "lru" ? .shards : .miniature }
    whole.rate = (curve.rate ?? 1) * sampling.rate
    whole.sampledObjects = curve.sampledObjects ?? trace.requests.objects
    whole.requests = sampling.gets > 0 ? sampling.gets : sampling.represented(curve.requests)
    whole.smallestCache = curve.smallestCache.map(sampling.represented)
    let correction = sampling.correction(sampledGets: gets)
    whole.points = curve.points.map { point in
      MissRatioCurve.Point(
        capacity: sampling.represented(point.capacity), hits: nil,
        hitRatio: sampling.corrected(point.hitRatio, sampledGets: gets),
        standardError: point.standardError.map { $0 / correction })
    }
    return whole
  }
}
