import Larder
import LarderContracts
import LarderEngine
import LarderLearning
import LarderPolicies
import Testing

@Suite(.enabled(if: Library.isInstalled, "LightGBM is not installed: pip install lightgbm"))
struct LearnedPolicyTests {
  static let specs = [
    "lrb:batch=500", "lrb:batch=500:objective=objects", "lrb:batch=400:window=3000",
    "3l-cache:batch=300", "3l-cache:batch=300:objective=objects",
  ]

  /// 8,000 requests: a third for objects with a single request, the others for 800 objects, the
  /// first of which are popular, each in turns of its own.
  private static let ids: [ObjectID] = {
    var random = SeededGenerator(seed: 77)
    var once: ObjectID = 800
    return (0..<8_000).map { _ in
      if random.next(below: 3) == 0 {
        once += 1
        return once
      }
      let draw = random.nextUnit()
      return ObjectID(1 + Int(800 * draw * draw * draw))
    }
  }()

  private static func counts(_ spec: String, seed: UInt64 = 1, capacity: UInt64 = 80) throws
    -> Counts
  {
    try GradientBoosting.$substitute.withValue(Library.installed()) {
      let column = Column<ObjectID>(objects: ids.count)
      for (place, id) in ids.enumerated() { column[ObjectID(place)] = id }
      let columns = RequestColumns(
        count: ids.count, objects: Int(ids.max() ?? 0), ids: column.view, owner: nil)
      let simulation = try PolicyRegistry.makeSimulation(
        SimulationSetup(
          arrangement: .memory(TierSetup(policy: PolicySpec(parsing: spec), capacity: capacity)),
          unit: .objects, seed: seed),
        over: columns)
      simulation.run(upTo: ids.count, untilFirstEviction: false)
      withExtendedLifetime(column) {}
      return simulation.counts
    }
  }

  @Test(arguments: specs)
  func hitsExceedLRU(spec: String) throws {
    let counts = try Self.counts(spec)
    let lru = try Self.counts("lru")
    #expect(counts.hits > lru.hits, "\(counts.hits) and \(lru.hits)")
  }

  @Test(arguments: specs)
  func countsDependOnlyOnSeed(spec: String) throws {
    let counts = try Self.counts(spec, seed: 1)
    #expect(try Self.counts(spec, seed: 1) == counts)
    #expect(try Self.counts(spec, seed: 2) != counts)
  }

  @Test(.timeLimit(.minutes(5))) func threadsDoNotChangeCounts() async throws {
    let expected = try Self.specs.map { try Self.counts($0) }
    try await withThrowingTaskGroup(of: (Int, Counts).self) { group in
      for place in Self.specs.indices {
        group.addTask { (place, try Self.counts(Self.specs[place])) }
      }
      for try await (place, counts) in group {
        #expect(counts == expected[place], "\(Self.specs[place])")
      }
    }
  }

  @Test(arguments: ["lrb", "3l-cache"]) func withoutAModelItIsLRU(spec: String) throws {
    #expect(try Self.counts(spec) == Self.counts("lru"))
  }

  @Test(arguments: ["lrb", "lrb:batch=64:window=500", "3l-cache", "3l-cache:batch=64"])
  func theContractIsKept(spec: String) throws {
    try GradientBoosting.$substitute.withValue(Library.installed()) {
      let policy = try PolicyRegistry.policy(named: try PolicySpec(parsing: spec))
      let parameters = String(spec.drop { $0 != ":" }.dropFirst())
      for violation in PolicyContract.violations(of: policy, parameters: [parameters]) {
        Issue.record(violation)
      }
    }
  }

  @Test(arguments: specs)
  func realCacheCountsEqualSimulation(spec: String) throws {
    try GradientBoosting.$substitute.withValue(Library.installed()) {
      var configuration = MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 80), policy: CachePolicy(spec), shards: 1)
      configuration.seed = 1
      let cache = try MemoryCache<Int, Int>(configuration)
      var hits: UInt64 = 0
      for id in Self.ids {
        if cache.value(for: Int(id)) != nil {
          hits += 1
        } else {
          cache.set(1, for: Int(id))
        }
      }
      let real = try PolicyRegistry.inRealCache(try PolicySpec(parsing: spec)).description
      #expect(try hits == Self.counts(real).hits)
    }
  }
}
