import Foundation
import LarderEngine
import LarderSystem
import LarderTraces
import LarderWorkloads

/// Makes the miss-ratio curves of a trace.
///
/// Everything that is counted or estimated is a function of the trace and the settings but for
/// `threads`: samples are chosen by hash, and sums are taken in a fixed order.
package struct CurveMaker: Sendable {
  /// The trace.
  package let trace: PreparedTrace
  /// What to make.
  package let settings: CurveSettings
  /// Stops the work.
  package let cancellation: Cancellation
  /// Told what begins, and how many requests it replays.
  package var began: @Sendable (_ title: String, _ requests: Int) -> Void = { _, _ in }
  /// Told how many more requests are replayed; from several threads, one at a time.
  package var replayed: @Sendable (_ requests: Int) -> Void = { _ in }

  let unit: CapacityUnit
  let gets: UInt64
  let expires: Bool

  /// Requests between two looks at the flag.
  static let chunk = 1 << 20

  /// The work was stopped.
  package struct Cancelled: Error {}

  /// A maker of the curves of `trace`.
  ///
  /// - Throws: `CurveError` where the trace or the method cannot give what is asked for.
  /// - Complexity: O(requests) for traces with operations or times to live.
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

  /// The curves, in the order of the policies.
  ///
  /// - Throws: `CurveError` for a capacity that does not fit, `PolicyError` from a policy,
  ///   `TraceError` where there is no memory, and `Cancelled`.
  package func make() throws -> TraceCurves {
    let capacities = try capacities()
    var curves: [Int: MissRatioCurve] = [:]
    var notes: [String] = []
    for (place, policy) in settings.policies.enumerated() {
      switch method(of: policy) {
      case .exact where isLRU(policy):
        curves[place] = try exactLRU(policy, capacities, &notes)
      case .shards: curves[place] = try shards(policy, capacities, &notes)
      default: break
      }
    }
    let simulated = settings.policies.indices.filter {
      curves[$0] == nil && method(of: settings.policies[$0]) == .exact
    }
    let estimated = settings.policies.indices.filter {
      method(of: settings.policies[$0]) == .miniature
    }
    for (place, curve) in zip(simulated, try simulate(simulated, capacities)) {
      curves[place] = curve
    }
    for (place, curve) in zip(estimated, try miniature(estimated, capacities, &notes)) {
      curves[place] = curve
    }
    return TraceCurves(
      facts: TraceFacts(trace), unit: unit,
      curves: settings.policies.indices.compactMap { curves[$0].map(ofAllTraffic) }, notes: notes)
  }

  func isLRU(_ policy: PolicySpec) -> Bool { policy.name == "lru" }

  /// How the curve of a policy comes about: never `auto`.
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

  /// The share of the objects that a sample has.
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

  /// What holds everything, in the unit of the capacities.
  var footprint: UInt64 {
    max(1, unit == .bytes ? trace.footprintBytes : UInt64(trace.storableObjects))
  }

  /// The capacities, ascending and distinct.
  func capacities() throws(CurveError) -> [UInt64] {
    let facts = TraceFacts(trace)
    guard settings.capacities.isEmpty else {
      var named: Set<UInt64> = []
      for spec in settings.capacities {
        do {
          named.insert(
            trace.sampling.scaled(
              try spec.resolve(unit: unit, of: facts)))
        } catch {
          throw .capacity(error, trace: trace.name)
        }
      }
      return named.sorted()
    }
    // A sample says nothing of caches that hold a handful of its objects.
    var low = Double(footprint) / 10_000
    let isSampled = settings.policies.contains { [.shards, .miniature].contains(method(of: $0)) }
    if isSampled {
      let meanSize = Double(footprint) / Double(max(1, trace.storableObjects))
      low = max(low, CurveSettings.scaledObjectsMin * meanSize / sampleRate)
    }
    return CurveGrid.logarithmic(
      from: UInt64(low.rounded(.up)), to: footprint, count: settings.points)
  }

  private static func gets(in columns: RequestColumns) -> UInt64 {
    guard let operations = columns.operations else { return UInt64(columns.count) }
    var gets: UInt64 = 0
    for place in 0..<columns.count where Operation.isCounted(operations[place]) { gets += 1 }
    return gets
  }
}
