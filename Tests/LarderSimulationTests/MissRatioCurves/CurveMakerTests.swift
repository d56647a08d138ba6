import Foundation
import LarderEngine
import LarderPolicies
import LarderTraces
import TestSupport
import Testing

@testable import LarderExperiments

/// Exact curves against plain simulation at 50 capacities, to the request.
@Suite struct CurveMakerTests {
  @Test(arguments: [
    "zipf:objects=3000:exponent=1", "zipf:objects=3000:exponent=0.6", "loop:objects=700",
    "uniform:objects=900", "shifting:objects=5000:working-set=1000:step=100:every=2000",
  ])
  func lruMatchesSimulations(_ generator: String) throws {
    let trace = try CurveTraces.generated(generator, requests: 30_000)
    try check(trace, unit: .objects)
  }

  @Test(arguments: ["uniform:min=1:max=1000", "log-normal:median=4096:sigma=1.5"])
  func bytesMatchSimulations(_ sizes: String) throws {
    let trace = try CurveTraces.generated(
      "zipf:objects=2000:exponent=0.9", requests: 20_000, sizes: sizes)
    #expect(trace.hasSizes)
    try check(trace, unit: .bytes)
    try check(trace, unit: .objects)
  }

  @Test(arguments: CurveTraces.samples)
  func samplesMatchSimulations(_ name: String) throws {
    let trace = try CurveTraces.sample(name)
    for unit in [CapacityUnit.objects, .bytes] where unit == .objects || trace.hasSizes {
      try check(trace, unit: unit)
    }
  }

  @Test(
    .enabled(if: CurveTraces.folder != nil, "needs LARDER_TRACES"),
    arguments: [
      "arc/OLTP.lis.zst", "lirs/sprite.trace.gz", "lirs/multi1.trace.gz",
      "cloudPhysicsIO.oracleGeneral.zst", "webcachesim_test.tr", "cachelib/kv_traces_1.csv",
      "cachelib/block_traces_1.csv",
    ])
  func realTracesMatchSimulations(_ name: String) throws {
    let trace = try PreparedTrace.load(path: "\(CurveTraces.folder ?? "")/\(name)")
    for unit in [CapacityUnit.objects, .bytes] where unit == .objects || trace.hasSizes {
      try check(trace, unit: unit)
    }
  }

  /// The curve at 50 capacities, each compared with a simulation.
  private func check(_ trace: PreparedTrace, unit: CapacityUnit) throws {
    let settings = CurveSettings(policies: [try PolicySpec(parsing: "lru")], unit: unit, threads: 2)
    let curves = try CurveMaker(trace: trace, settings: settings).make()
    let curve = try #require(curves.curves.first)
    #expect(curve.method == .exact)
    for point in TestEffort.cases(curve.points, atLeast: 8) {
      let simulation = try PolicyRegistry.makeSimulation(
        SimulationSetup(
          arrangement: .memory(
            TierSetup(policy: try PolicySpec(parsing: "lru"), capacity: point.capacity)),
          unit: unit), over: trace.requests)
      simulation.run(upTo: trace.requests.count, untilFirstEviction: false)
      #expect(simulation.counts.hits == point.hits, "\(trace.name), \(point.capacity) \(unit)")
      #expect(simulation.counts.requests == curve.requests)
    }
  }

  @Test func otherPoliciesAreSimulated() throws {
    let trace = try CurveTraces.generated("zipf:objects=500:exponent=1", requests: 5000)
    let settings = CurveSettings(
      policies: try ["fifo", "belady", "lru"].map { try PolicySpec(parsing: $0) }, points: 8)
    let curves = try CurveMaker(trace: trace, settings: settings).make().curves
    #expect(curves.map(\.policy) == ["fifo", "belady", "lru"])
    #expect(curves.allSatisfy { $0.method == .exact && $0.points.count == 8 })
    for (belady, lru) in zip(curves[1].points, curves[2].points) {
      #expect((belady.hits ?? 0) >= (lru.hits ?? 0))
    }
    // With room for everything all policies are equal.
    #expect(Set(curves.map { $0.points.last?.hits }).count == 1)
  }

  @Test func entriesThatExpireAreSimulated() throws {
    let trace = try CurveTraces.generated(
      "zipf:objects=200:exponent=1", requests: 5000, lives: "constant:value=1")
    #expect(LRUCurvePass.expires(trace.requests))
    let settings = CurveSettings(policies: [try PolicySpec(parsing: "lru")], points: 10)
    let curves = try CurveMaker(trace: trace, settings: settings).make()
    #expect(curves.notes.contains { $0.contains("expiry") })
    try check(trace, unit: .objects)
    var shards = settings
    shards.method = .shards
    #expect(throws: CurveError.shardsWithExpiry(trace: trace.name)) {
      try CurveMaker(trace: trace, settings: shards)
    }
  }

  @Test func theSmallestCacheIsExactForObjects() throws {
    // 1 and 2 alternate: with room for one nothing hits, with room for two nearly everything.
    let trace = try CurveTraces.text("1 2 1 2 1 2 1 2 3 1 2")
    let settings = CurveSettings(policies: [try PolicySpec(parsing: "lru")], points: 2)
    let curve = try #require(try CurveMaker(trace: trace, settings: settings).make().curves.first)
    #expect(curve.points.map(\.capacity) == [1, 3])
    #expect(curve.points.map(\.hits) == [0, 8])
    // 6 of the 8 hits from 2 on: 75 %.
    #expect(curve.smallestCache == 3)
    var modest = settings
    modest.share = Share(percent: 75)
    #expect(try CurveMaker(trace: trace, settings: modest).make().curves[0].smallestCache == 2)
  }

  @Test func hostileTraces() throws {
    let settings = CurveSettings(policies: [try PolicySpec(parsing: "lru")])
    let one = try CurveMaker(trace: try CurveTraces.text("7"), settings: settings).make()
    #expect(one.curves[0].points.map(\.hits) == [0])
    #expect(one.curves[0].smallestCache == nil && one.curves[0].knees == [])
    let setsAlone = try CurveTraces.csv("1,set\n2,delete\n")
    #expect(throws: CurveError.noGets(trace: setsAlone.name)) {
      try CurveMaker(trace: setsAlone, settings: settings)
    }
    var bytes = settings
    bytes.unit = .bytes
    #expect(throws: CurveError.self) {
      try CurveMaker(trace: try CurveTraces.text("1 2"), settings: bytes)
    }
    // All objects larger than the capacity.
    let large = try CurveTraces.generated(
      "zipf:objects=50:exponent=1", requests: 500, sizes: "constant:value=1000")
    bytes.capacities = [try CapacitySpec(parsing: "10B"), try CapacitySpec(parsing: "2KB")]
    let curve = try CurveMaker(trace: large, settings: bytes).make().curves[0]
    #expect(curve.points[0].hits == 0)
    #expect((curve.points[1].hits ?? 0) > 0)
  }

  @Test func theGridIsDistinctAndEndsAtTheFootprint() {
    #expect(CurveGrid.logarithmic(from: 1, to: 3, count: 50) == [1, 2, 3])
    #expect(CurveGrid.logarithmic(from: 5, to: 5, count: 50) == [5])
    #expect(CurveGrid.logarithmic(from: 9, to: 4, count: 3) == [4])
    let grid = CurveGrid.logarithmic(from: 10, to: 1_000_000, count: 6)
    #expect(grid == [10, 100, 1000, 10_000, 100_000, 1_000_000])
  }
}
