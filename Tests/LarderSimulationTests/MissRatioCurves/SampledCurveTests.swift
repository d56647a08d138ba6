import LarderEngine
import Testing

@testable import LarderExperiments
@testable import LarderSupport
@testable import LarderTraces

/// Estimates against exact curves. Samples are chosen by hash, so the results are deterministic.
@Suite struct SampledCurveTests {
  private static func curves(
    _ trace: PreparedTrace, _ policies: [String], _ change: (inout CurveSettings) throws -> Void
  ) throws -> TraceCurves {
    var settings = CurveSettings(
      policies: try policies.map { try PolicySpec(parsing: $0) }, points: 20, threads: 2)
    try change(&settings)
    return try CurveMaker(trace: trace, settings: settings).make()
  }

  /// Differences of an estimate from the exact curve at its capacities, and their mean.
  private static func error(
    _ curve: MissRatioCurve, of trace: PreparedTrace
  ) throws -> (mean: Double, all: [Double]) {
    let exact = try curves(trace, [curve.policy]) { settings in
      settings.method = .exact
      settings.capacities = curve.points.compactMap {
        try? CapacitySpec(parsing: "\($0.capacity)" + (curve.unit == .bytes ? "B" : ""))
      }
    }.curves[0]
    #expect(exact.points.map(\.capacity) == curve.points.map(\.capacity))
    let differences = zip(curve.points, exact.points).map { ($0.hitRatio - $1.hitRatio).magnitude }
    return (differences.reduce(0, +) / Double(differences.count), differences)
  }

  private static let zipf = Result {
    try CurveTraces.generated("zipf:objects=20000:exponent=0.9", requests: 200_000)
  }

  @Test func shardsOfAFixedRate() throws {
    let trace = try Self.zipf.get()
    let curve = try Self.curves(trace, ["lru"]) {
      $0.method = .shards
      $0.rate = 0.05
    }.curves[0]
    #expect(curve.method == .shards && curve.rate.map { ($0 - 0.05).magnitude < 1e-9 } == true)
    #expect((curve.sampledObjects ?? 0) > 800)
    #expect(curve.points.allSatisfy { $0.hits == nil && ($0.standardError ?? 0) > 0 })
    let error = try Self.error(curve, of: trace)
    #expect(error.mean < 0.02)
    for (estimate, difference) in zip(curve.points, error.all) {
      // No point is off by more than three standard errors.
      #expect(difference <= 3 * (estimate.standardError ?? 0) + 0.005, "\(estimate.capacity)")
    }
  }

  @Test func shardsOfAFixedSize() throws {
    let trace = try Self.zipf.get()
    let curve = try Self.curves(trace, ["lru"]) {
      $0.method = .shards
      $0.samples = 500
      $0.capacities = (1...10).compactMap { try? CapacitySpec(parsing: "\($0 * 10)%") }
    }.curves[0]
    #expect(curve.sampledObjects == 500)
    #expect(try Self.error(curve, of: trace).mean < 0.02)
  }

  @Test func shardsOfBytes() throws {
    let trace = try CurveTraces.generated(
      "zipf:objects=20000:exponent=0.9", requests: 200_000, sizes: "uniform:min=100:max=9000")
    let curve = try Self.curves(trace, ["lru"]) {
      $0.method = .shards
      $0.rate = 0.03
    }.curves[0]
    #expect(curve.unit == .bytes)
    #expect(try Self.error(curve, of: trace).mean < 0.025)
  }

  @Test func miniaturesOfOtherPolicies() throws {
    let trace = try Self.zipf.get()
    let curves = try Self.curves(trace, ["s3-fifo", "fifo", "belady"]) {
      $0.method = .miniature
      $0.rate = 0.05
    }.curves
    #expect(curves.map(\.policy) == ["s3-fifo", "fifo", "belady"])
    for curve in curves {
      #expect(curve.method == .miniature)
      #expect(try Self.error(curve, of: trace).mean < 0.02, "\(curve.policy)")
      #expect(curve.points.allSatisfy { $0.standardError != nil })
    }
  }

  /// As in a simulation of a trace that is a sample.
  @Test func parametersThatCountAreScaled() throws {
    var trace = try CurveTraces.generated("zipf:objects=2000:exponent=1", requests: 50_000)
    func ratio(_ policy: String, _ capacity: String) throws -> Double {
      try Self.curves(trace, [policy]) {
        $0.method = .exact
        $0.capacities = [try CapacitySpec(parsing: capacity)]
      }.curves[0].points[0].hitRatio
    }
    let (scaled, given) = (
      try ratio("lhd:period=1000", "200"), try ratio("lhd:period=10000", "200")
    )
    var reading = ReadingFacts()
    reading.sampling = TraceSampling(rate: 0.1)
    trace = PreparedTrace(
      name: trace.name, requests: trace.requests, footprint: trace.footprint, reading: reading)
    let sampled = try ratio("lhd:period=10000", "2000")
    #expect(scaled != given && abs(sampled - scaled) < 1e-9, "\(sampled) and \(scaled)")
  }

  @Test func aRateOfOneIsExact() throws {
    let trace = try CurveTraces.generated("zipf:objects=500:exponent=1", requests: 3000)
    let sampled = try Self.curves(trace, ["fifo"]) {
      $0.method = .miniature
      $0.rate = 1
    }
    let exact = try Self.curves(trace, ["fifo"]) { $0.method = .exact }
    #expect(sampled == exact)
    let shards = try Self.curves(trace, ["lru"]) {
      $0.method = .shards
      $0.rate = 1
    }.curves[0]
    let lru = try Self.curves(trace, ["lru"]) { settings in
      settings.capacities = shards.points.compactMap {
        try? CapacitySpec(parsing: "\($0.capacity)")
      }
    }.curves[0]
    for (estimate, exact) in zip(shards.points, lru.points) {
      #expect((estimate.hitRatio - exact.hitRatio).magnitude < 1e-12)
      #expect(estimate.standardError == 0)
    }
  }

  @Test func curvesDoNotDependOnThreads() throws {
    let trace = try CurveTraces.generated("zipf:objects=5000:exponent=0.8", requests: 40_000)
    for method in [CurveMethod.exact, .miniature] {
      let results = try [1, 2, 7].map { threads in
        try Self.curves(trace, ["lru", "sieve", "random"]) {
          $0.method = method
          $0.rate = method == .miniature ? 0.1 : nil
          $0.threads = threads
        }
      }
      #expect(results[0] == results[1] && results[0] == results[2])
    }
  }

  @Test func smallTracesAreSampledEnough() throws {
    let trace = try CurveTraces.generated("zipf:objects=1000:exponent=0.8", requests: 10_000)
    let curve = try Self.curves(trace, ["lru"]) { $0.method = .shards }.curves[0]
    #expect((100...160).contains(curve.sampledObjects ?? 0))
  }

  @Test func capacitiesTooSmallForASampleAreReported() throws {
    let trace = try CurveTraces.generated("zipf:objects=5000:exponent=0.8", requests: 20_000)
    let curves = try Self.curves(trace, ["lru"]) {
      $0.method = .shards
      $0.rate = 0.05
      $0.capacities = ["10", "20", "4000"].compactMap { try? CapacitySpec(parsing: $0) }
    }
    #expect(curves.notes.contains { $0.contains("2 of 3 capacities") }, "\(curves.notes)")
    let chosen = try Self.curves(trace, ["lru"]) {
      $0.method = .shards
      $0.rate = 0.05
    }
    #expect(chosen.notes.isEmpty, "\(chosen.notes)")
  }

  @Test func unsupportedShardsAreRejected() throws {
    let trace = try CurveTraces.text("1 2 1")
    #expect(throws: CurveError.shardsOfAnotherPolicy("fifo")) {
      try Self.curves(trace, ["lru", "fifo"]) { $0.method = .shards }
    }
  }

  @Test func rateAloneDeterminesTheMethod() throws {
    let trace = try CurveTraces.generated("zipf:objects=5000:exponent=0.8", requests: 20_000)
    let curves = try Self.curves(trace, ["lru", "fifo"]) { $0.rate = 0.1 }
    #expect(curves.curves.map(\.method) == [.shards, .miniature])
    let whole = try Self.curves(trace, ["lru", "fifo"]) { $0.rate = 1 }
    #expect(whole.curves.map(\.method) == [.exact, .exact])
    // Capacities are chosen for the kept objects.
    let kept = try Self.curves(trace, ["lru"]) {
      $0.method = .shards
      $0.samples = 200
    }
    #expect(kept.notes.isEmpty, "\(kept.notes)")
  }

  @Test func stoppedWorkThrows() throws {
    let cancellation = Cancellation()
    cancellation.request()
    for method in [CurveMethod.exact, .shards, .miniature] {
      let maker = try CurveMaker(
        trace: try Self.zipf.get(),
        settings: CurveSettings(
          policies: [try PolicySpec(parsing: "lru")], method: method, rate: 0.1),
        cancellation: cancellation)
      #expect(throws: CurveMaker.Cancelled.self) { try maker.make() }
    }
  }
}
