import LarderEngine
import LarderSupport
import LarderTraces

/// Tries the declared configurations of a policy on a trace: all of them on a sample of the
/// objects, with equally scaled capacities (miniature simulation), then the best few on the whole
/// trace. Small traces are replayed completely with all configurations.
package struct PolicyTuner: Sendable {
  package let trace: PreparedTrace
  package let settings: TuningSettings
  package let cancellation: Cancellation
  /// Called when a step begins, with the number of requests that it replays.
  package var began: @Sendable (_ title: String, _ requests: Int) -> Void = { _, _ in }
  /// Called with the number of further replayed requests; from several threads, one at a time.
  package var replayed: @Sendable (_ requests: Int) -> Void = { _ in }

  private let configurations: [PolicySpec]
  private let defaults: PolicySpec

  /// Creates a tuner.
  ///
  /// - Throws: `PolicyError` for a policy that is unknown, declares no configurations, or declares
  ///   an invalid one.
  package init(
    trace: PreparedTrace, settings: TuningSettings, cancellation: Cancellation = Cancellation()
  ) throws(PolicyError) {
    self.trace = trace
    self.settings = settings
    self.cancellation = cancellation
    configurations = try PolicyRegistry.configurations(of: settings.policy)
    for spec in configurations { try PolicyRegistry.validate(spec) }
    defaults = try PolicySpec(parsing: settings.policy)
  }

  /// Finds the best configurations at each capacity, in the order of the capacities.
  ///
  /// - Throws: as `CurveMaker.make()`.
  package func run() throws -> Tuning {
    var points: [Tuning.Point] = []
    var notes: [String] = []
    var (name, unit) = (trace.name, settings.unit ?? .objects)
    for capacity in settings.capacities {
      let (point, curves) = try point(at: capacity)
      points.append(point)
      (name, unit) = (curves.facts.name, curves.unit)
      for note in curves.notes where !notes.contains(note) { notes.append(note) }
    }
    return Tuning(
      trace: name, policy: defaults.description, unit: unit, configurations: configurations.count,
      points: points, notes: notes)
  }

  /// Tunes at one capacity: on a sample first if the trace is long, then the finalists.
  private func point(at capacity: CapacitySpec) throws -> (Tuning.Point, TraceCurves) {
    let rate = try rate(at: capacity)
    guard rate < 1 else {
      let curves = try curves([defaults] + configurations, capacity, rate: 1)
      let trials = zip(configurations, curves.curves.dropFirst()).map(trial).sorted(by: isBetter)
      return (point(capacity, curves, trials, rate: 1), curves)
    }
    // Objects keep their size while queues shrink, so rejection by size must be disabled.
    let tried = try configurations.map { try PolicyRegistry.inRealCache($0) }
    let sampled = try curves(tried, capacity, rate: rate)
    let estimates = zip(configurations, sampled.curves).map(trial).enumerated().sorted {
      $0.element.hitRatio == $1.element.hitRatio
        ? $0.offset < $1.offset : $0.element.hitRatio > $1.element.hitRatio
    }
    let finalists = estimates.prefix(max(1, settings.finalists))
    let exact = try curves(
      [defaults] + finalists.map { configurations[$0.offset] }, capacity, rate: 1)
    let trials =
      zip(finalists.map { configurations[$0.offset] }, exact.curves.dropFirst()).map(trial)
      .sorted(by: isBetter) + estimates.dropFirst(finalists.count).map(\.element)
    var all = exact
    all.notes = sampled.notes + exact.notes
    return (point(capacity, all, trials, rate: rate), all)
  }

  /// Share of the objects for trials: all if that is not too much to replay, and enough for the
  /// capacity to be meaningful.
  private func rate(at capacity: CapacitySpec) throws -> Double {
    if let rate = settings.rate { return rate }
    let maker = try maker([defaults], capacity, rate: 1)
    let tried = Double(trace.requests.count) * Double(configurations.count)
    let affordable = Double(TuningSettings.replayedMax) / max(1, tried)
    let meanSize = Double(maker.footprint) / Double(max(1, trace.storableObjects))
    let held = Double(try maker.capacities().first ?? 1) / max(meanSize, 1e-9)
    return min(1, max(affordable, TuningSettings.scaledObjectsMin / max(held, 1e-9)))
  }

  private func maker(
    _ policies: [PolicySpec], _ capacity: CapacitySpec, rate: Double
  ) throws -> CurveMaker {
    var maker = try CurveMaker(
      trace: trace,
      settings: CurveSettings(
        policies: policies, capacities: [capacity], unit: settings.unit,
        method: rate < 1 ? .miniature : .exact, rate: rate < 1 ? rate : nil, seed: settings.seed,
        threads: settings.threads),
      cancellation: cancellation)
    maker.began = began
    maker.replayed = replayed
    return maker
  }

  private func curves(
    _ policies: [PolicySpec], _ capacity: CapacitySpec, rate: Double
  ) throws -> TraceCurves {
    try maker(policies, capacity, rate: rate).make()
  }

  /// Result of a configuration, from its curve of one capacity.
  private func trial(_ spec: PolicySpec, _ curve: MissRatioCurve) -> Tuning.Trial {
    let point = curve.points.first
    return Tuning.Trial(
      policy: spec.description, hits: point?.hits, hitRatio: point?.hitRatio ?? 0,
      standardError: point?.standardError)
  }

  private func point(
    _ capacity: CapacitySpec, _ exact: TraceCurves, _ trials: [Tuning.Trial], rate: Double
  ) -> Tuning.Point {
    let curve = exact.curves.first
    return Tuning.Point(
      capacity: curve?.points.first?.capacity ?? 0, requests: curve?.requests ?? 0,
      sampleRate: rate,
      defaults: curve.map { trial(defaults, $0) }
        ?? Tuning.Trial(policy: defaults.description, hits: nil, hitRatio: 0, standardError: nil),
      trials: trials)
  }

  /// Ties keep the declared order, because sorting is stable.
  private func isBetter(_ left: Tuning.Trial, _ right: Tuning.Trial) -> Bool {
    left.hitRatio > right.hitRatio
  }
}

/// Options of a tuner.
package struct TuningSettings: Sendable, Hashable {
  /// Name of the policy.
  package var policy: String
  package var capacities: [CapacitySpec]
  /// Unit of capacities; nil for bytes if the trace has sizes, and objects otherwise.
  package var unit: CapacityUnit?
  /// Share of the objects for trials of configurations; nil to choose one.
  package var rate: Double?
  /// Number of the best configurations that are simulated on the whole trace.
  package var finalists: Int
  /// Seed of the sample and of random policies.
  package var seed: UInt64
  /// Number of cells simulated concurrently. Does not affect the results.
  package var threads: Int

  /// Creates settings; see the properties for the meaning of each part.
  package init(
    policy: String, capacities: [CapacitySpec], unit: CapacityUnit? = nil, rate: Double? = nil,
    finalists: Int = 3, seed: UInt64 = 1, threads: Int = 1
  ) {
    self.policy = policy
    self.capacities = capacities
    self.unit = unit
    self.rate = rate
    self.finalists = finalists
    self.seed = seed
    self.threads = threads
  }

  /// Maximum number of requests that all configurations may replay together at a capacity without
  /// sampling.
  static let replayedMax = 200_000_000
  /// Minimum number of sampled objects that fit into the scaled capacity.
  static let scaledObjectsMin = 1000.0
}

/// Best configurations of a policy for a trace, by capacity.
package struct Tuning: Sendable, Hashable, Codable {
  package var trace: String
  /// Name of the policy.
  package var policy: String
  /// Unit of capacities.
  package var unit: CapacityUnit
  /// Number of configurations tried.
  package var configurations: Int
  /// Results by capacity.
  package var points: [Point]
  /// Notes on the making of the results.
  package var notes: [String]

  private enum CodingKeys: String, CodingKey {
    case trace, policy, unit, configurations, points, notes
  }

  /// Creates a result; see the properties for the meaning of each part.
  package init(
    trace: String, policy: String, unit: CapacityUnit, configurations: Int, points: [Point],
    notes: [String]
  ) {
    self.trace = trace
    self.policy = policy
    self.unit = unit
    self.configurations = configurations
    self.points = points
    self.notes = notes
  }

  /// Result at one capacity.
  package struct Point: Sendable, Hashable, Codable {
    package var capacity: UInt64
    /// Number of gets.
    package var requests: UInt64
    /// Share of the objects for the first trials; 1 for all of them.
    package var sampleRate: Double
    /// Policy with its defaults.
    package var defaults: Trial
    /// Configurations: those simulated on the whole trace first, then by hit ratio, best first.
    package var trials: [Trial]

    private enum CodingKeys: String, CodingKey {
      case capacity, requests, defaults, trials
      case sampleRate = "sample_rate"
    }

    /// Creates a point; see the properties for the meaning of each part.
    package init(
      capacity: UInt64, requests: UInt64, sampleRate: Double, defaults: Trial, trials: [Trial]
    ) {
      self.capacity = capacity
      self.requests = requests
      self.sampleRate = sampleRate
      self.defaults = defaults
      self.trials = trials
    }

    /// Best configuration; nil if none was tried.
    package var best: Trial? { trials.first }
  }

  /// One configuration at one capacity.
  package struct Trial: Sendable, Hashable, Codable {
    /// Policy with its parameters.
    package var policy: String
    /// Hits; nil if estimated.
    package var hits: UInt64?
    /// Hits divided by requests.
    package var hitRatio: Double
    /// Standard error of the hit ratio; nil if exact.
    package var standardError: Double?

    private enum CodingKeys: String, CodingKey {
      case policy, hits
      case hitRatio = "hit_ratio"
      case standardError = "standard_error"
    }

    /// Creates a trial; see the properties for the meaning of each part.
    package init(policy: String, hits: UInt64?, hitRatio: Double, standardError: Double?) {
      self.policy = policy
      self.hits = hits
      self.hitRatio = hitRatio
      self.standardError = standardError
    }
  }
}
