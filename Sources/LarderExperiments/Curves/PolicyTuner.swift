import LarderEngine
import LarderSupport
import LarderTraces

/// Tries the configurations that a policy declares on a trace: all of them on a sample of the
/// objects, with capacities scaled down alike (miniature simulation), then the best few in full.
/// Where that is not too much, all of them in full.
package struct PolicyTuner: Sendable {
  /// The trace.
  package let trace: PreparedTrace
  /// What to try.
  package let settings: TuningSettings
  /// Stops the work.
  package let cancellation: Cancellation
  /// Told what begins, and how many requests it replays.
  package var began: @Sendable (_ title: String, _ requests: Int) -> Void = { _, _ in }
  /// Told how many more requests are replayed; from several threads, one at a time.
  package var replayed: @Sendable (_ requests: Int) -> Void = { _ in }

  private let configurations: [PolicySpec]
  private let defaults: PolicySpec

  /// A tuner.
  ///
  /// - Throws: `PolicyError` for a policy that does not exist, declares no configurations, or
  ///   declares one that is not valid.
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

  /// The best configurations at each capacity, in the order of the capacities.
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

  /// One capacity: a sample first where the trace is long, then the finalists.
  private func point(at capacity: CapacitySpec) throws -> (Tuning.Point, TraceCurves) {
    let rate = try rate(at: capacity)
    guard rate < 1 else {
      let curves = try curves([defaults] + configurations, capacity, rate: 1)
      let trials = zip(configurations, curves.curves.dropFirst()).map(trial).sorted(by: isBetter)
      return (point(capacity, curves, trials, rate: 1), curves)
    }
    // Objects are as large as ever and queues are smaller: what refuses by size must not here.
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

  /// The share of the objects to try on: all where that is not too much to replay, and enough for
  /// the capacity to mean something.
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

  /// What a curve of one capacity says of a configuration.
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

  /// Of equal ones the first declared stays first: sorting keeps the order of equals.
  private func isBetter(_ left: Tuning.Trial, _ right: Tuning.Trial) -> Bool {
    left.hitRatio > right.hitRatio
  }
}

/// What to try.
package struct TuningSettings: Sendable, Hashable {
  /// The policy's name.
  package var policy: String
  /// The capacities.
  package var capacities: [CapacitySpec]
  /// What capacities count; nil for bytes where the trace has sizes and objects where not.
  package var unit: CapacityUnit?
  /// The share of the objects to try configurations on; nil to choose one.
  package var rate: Double?
  /// How many of the best are simulated in full.
  package var finalists: Int
  /// Chooses the sample, and drives random policies.
  package var seed: UInt64
  /// Cells that are simulated at the same time. Results do not depend on it.
  package var threads: Int

  /// Settings; see the properties for the meaning of each part.
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

  /// Requests that all configurations may replay together at a capacity before a sample takes the
  /// trace's place.
  static let replayedMax = 200_000_000
  /// A sample is large enough for the capacity to hold so many of its objects.
  static let scaledObjectsMin = 1000.0
}

/// Which configuration of a policy is best for a trace, by capacity.
package struct Tuning: Sendable, Hashable, Codable {
  /// The trace.
  package var trace: String
  /// The policy's name.
  package var policy: String
  /// What capacities count.
  package var unit: CapacityUnit
  /// How many configurations were tried.
  package var configurations: Int
  /// What was found, by capacity.
  package var points: [Point]
  /// What to know of how that came about.
  package var notes: [String]

  private enum CodingKeys: String, CodingKey {
    case trace, policy, unit, configurations, points, notes
  }

  /// A result; see the properties for the meaning of each part.
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

  /// One capacity.
  package struct Point: Sendable, Hashable, Codable {
    /// The capacity.
    package var capacity: UInt64
    /// Gets.
    package var requests: UInt64
    /// The share of the objects that the configurations were tried on first; 1 for all of them.
    package var sampleRate: Double
    /// The policy with its defaults.
    package var defaults: Trial
    /// The configurations: those that were simulated in full first, then by hit ratio, best first.
    package var trials: [Trial]

    private enum CodingKeys: String, CodingKey {
      case capacity, requests, defaults, trials
      case sampleRate = "sample_rate"
    }

    /// A capacity; see the properties for the meaning of each part.
    package init(
      capacity: UInt64, requests: UInt64, sampleRate: Double, defaults: Trial, trials: [Trial]
    ) {
      self.capacity = capacity
      self.requests = requests
      self.sampleRate = sampleRate
      self.defaults = defaults
      self.trials = trials
    }

    /// The best configuration; nil where none was tried.
    package var best: Trial? { trials.first }
  }

  /// One configuration at one capacity.
  package struct Trial: Sendable, Hashable, Codable {
    /// The policy with its parameters.
    package var policy: String
    /// Hits; nil where they are estimated.
    package var hits: UInt64?
    /// Hits divided by requests.
    package var hitRatio: Double
    /// Standard error of the hit ratio; nil where it is exact.
    package var standardError: Double?

    private enum CodingKeys: String, CodingKey {
      case policy, hits
      case hitRatio = "hit_ratio"
      case standardError = "standard_error"
    }

    /// A trial; see the properties for the meaning of each part.
    package init(policy: String, hits: UInt64?, hitRatio: Double, standardError: Double?) {
      self.policy = policy
      self.hits = hits
      self.hitRatio = hitRatio
      self.standardError = standardError
    }
  }
}
