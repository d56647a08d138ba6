import Foundation
import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments

struct PolicyTunerTests {
  private static func tune(
    _ trace: PreparedTrace, _ policy: String, _ capacities: String, rate: Double? = nil,
    finalists: Int = 3, unit: CapacityUnit? = nil
  ) throws -> Tuning {
    try PolicyTuner(
      trace: trace,
      settings: TuningSettings(
        policy: policy, capacities: try CapacitySpec.list(parsing: capacities), unit: unit,
        rate: rate, finalists: finalists, threads: 2)
    ).run()
  }

  private static func hits(
    _ trace: PreparedTrace, _ policy: String, _ capacity: UInt64, _ unit: CapacityUnit
  ) throws -> UInt64 {
    let simulation = try PolicyRegistry.makeSimulation(
      SimulationSetup(
        arrangement: .memory(
          TierSetup(policy: try PolicySpec(parsing: policy), capacity: capacity)),
        unit: unit, seed: 1),
      over: trace.requests)
    simulation.run(upTo: trace.requests.count, untilFirstEviction: false)
    return simulation.counts.hits
  }

  private static func trace() throws -> PreparedTrace {
    try CurveTraces.generated("zipf:objects=5000:exponent=0.9", requests: 60_000)
  }

  /// A short trace is simulated completely, with every configuration.
  @Test func shortTraceTriesAllInFull() throws {
    let trace = try Self.trace()
    let tuning = try Self.tune(trace, "s4-fifo", "100,1000")
    #expect(tuning.configurations == 18 && tuning.points.map(\.capacity) == [100, 1000])
    for point in tuning.points {
      #expect(point.sampleRate == 1 && point.requests == 60_000)
      #expect(Set(point.trials.map(\.policy)).count == 18)
      #expect(point.defaults.policy == "s4-fifo")
      let ratios = point.trials.map(\.hitRatio)
      #expect(ratios == ratios.sorted(by: >))
      for trial in [point.defaults, point.trials[0], point.trials[17]] {
        #expect(trial.hits == (try Self.hits(trace, trial.policy, point.capacity, .objects)))
        #expect(trial.standardError == nil)
      }
    }
  }

  /// With a sample, the finalists are exact and come first; the rest are estimates, close to the
  /// exact values.
  @Test func aSampleChoosesFinalists() throws {
    let trace = try Self.trace()
    let exact = try Self.tune(trace, "s4-fifo", "500")
    let sampled = try Self.tune(trace, "s4-fifo", "500", rate: 0.3, finalists: 4)
    let (all, point) = (exact.points[0], sampled.points[0])
    #expect(point.sampleRate == 0.3 && point.trials.count == 18)
    #expect(point.defaults == all.defaults)
    #expect(point.trials.prefix(4).allSatisfy { $0.standardError == nil && $0.hits != nil })
    #expect(point.trials.dropFirst(4).allSatisfy { $0.standardError != nil && $0.hits == nil })
    let best = try #require(all.best)
    let found = try #require(point.best)
    #expect(best.hitRatio - found.hitRatio < 0.005)
    let truth = Dictionary(uniqueKeysWithValues: all.trials.map { ($0.policy, $0.hitRatio) })
    for trial in point.trials {
      let expected = try #require(truth[trial.policy])
      #expect(abs(trial.hitRatio - expected) < (trial.hits == nil ? 0.05 : 1e-12))
    }
  }

  /// A policy without a list of its own has the combinations of its parameters' declared values.
  @Test func searchedValuesAreCombined() throws {
    let names = try PolicyRegistry.configurations(of: "2q").map(\.description)
    #expect(
      names == ["2q:in=0.05", "2q:in=0.05:ghost=1.5", "2q:ghost=1.5", "2q:in=0.5"]
        + ["2q:in=0.5:ghost=1.5"])
    let trace = try Self.trace()
    let tuning = try Self.tune(trace, "2q", "5%")
    #expect(tuning.configurations == 5)
    #expect(tuning.points[0].capacity == UInt64(trace.requests.objects / 20))
    for policy in PolicyRegistry.standard.map(\.description) {
      guard let specs = try? PolicyRegistry.configurations(of: policy.name) else { continue }
      for spec in specs { try PolicyRegistry.validate(spec) }
      #expect(Set(specs).count == specs.count)
    }
  }

  @Test func policiesWithoutConfigurationsAreRejected() throws {
    #expect(throws: PolicyError.noConfigurations(policy: "lru")) {
      try PolicyRegistry.configurations(of: "lru")
    }
    #expect(throws: PolicyError.unknownPolicy("s5-fifo", nearest: "s3-fifo")) {
      try PolicyRegistry.configurations(of: "s5-fifo")
    }
    #expect(throws: CurveError.self) {
      try Self.tune(try Self.trace(), "s4-fifo", "10", unit: .bytes)
    }
  }

  @Test func starSelectsAllConfigurations() throws {
    #expect(try PolicySpec.list(parsing: "s4-fifo:*").count == 18)
    #expect(try PolicySpec.list(parsing: "lru").map(\.description) == ["lru"])
    #expect(throws: PolicyError.self) { try PolicySpec.list(parsing: "lru:*") }
    #expect(throws: PolicyError.self) { try PolicySpec.list(parsing: "s4-fifo:small=0.2:*") }
  }

  /// The best of the 18 configurations, by the reference: misses at 128 to 1024 MiB.
  @Test(.enabled(if: CurveTraces.folder != nil, "needs LARDER_TRACES"))
  func theBestOnCloudPhysics() throws {
    let file = "\(CurveTraces.folder ?? "")/cloudPhysicsIO.oracleGeneral.zst"
    let trace = try PreparedTrace.load(path: file)
    let tuning = try Self.tune(
      trace, "s4-fifo", "128MiB,256MiB,384MiB,512MiB,640MiB,768MiB,896MiB,1024MiB")
    let misses = tuning.points.map { $0.requests - ($0.best?.hits ?? 0) }
    #expect(misses == [88288, 81162, 74848, 71841, 69511, 65057, 59065, 53487])
    let defaults = tuning.points.map { $0.requests - ($0.defaults.hits ?? 0) }
    #expect(defaults == [90117, 80915, 75060, 72191, 69815, 65542, 60799, 56045])
  }
}
