import Foundation
import Larder
import LarderEngine
import LarderPolicies
import LarderTraces
import TestSupport
import Testing

@testable import LarderExperiments

@Suite(.endsInTime)
struct RecordedRoundTripTests {
  private let folder: URL
  private var path: String { folder.appending(path: "traffic.recorded").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "larder-recorded-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func remove() { try? FileManager.default.removeItem(at: folder) }

  private static func keys(_ count: Int, objects: Int) -> [Int] {
    var random = SeededGenerator(seed: 3)
    return (0..<count).map { _ in
      // The square of a uniform number favours small ones.
      let draw = Double(random.next(below: 1 << 30)) / Double(1 << 30)
      return Int(Double(objects) * draw * draw * draw)
    }
  }

  private func simulate(
    _ arrangement: Arrangement, _ unit: CapacityUnit, _ trace: PreparedTrace
  ) throws -> Counts {
    let simulation = try PolicyRegistry.makeSimulation(
      SimulationSetup(arrangement: arrangement, unit: unit).inRealCaches(), over: trace.requests)
    simulation.run(upTo: trace.requests.count, untilFirstEviction: false)
    return simulation.counts
  }

  private func tier(_ policy: String, _ capacity: UInt64) throws -> TierSetup {
    TierSetup(policy: try PolicySpec(parsing: policy), capacity: capacity)
  }

  /// The order of sets, removals and gets of a thread is kept for the cache of every policy.
  @Test(arguments: ["lru", "s3-fifo", "arc", "sieve"], [false, true])
  func aMemoryCache(_ policy: String, _ countsBytes: Bool) throws {
    defer { remove() }
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(
        limits: countsBytes ? MemoryCacheLimits(weight: 20_000) : MemoryCacheLimits(count: 200),
        policy: CachePolicy(policy), shards: 1), weigh: { _ in 1 })
    let recording = try cache.record(to: path)
    for (number, key) in Self.keys(30_000, objects: 2000).enumerated() {
      if number % 1000 == 0 { recording.catchUp() }
      if number % 50 == 7 {
        cache.remove(key)
      } else if number % 40 == 5 {
        cache.set(key, for: key, weight: key % 180 + 20)
      } else if cache.value(for: key) == nil {
        cache.set(key, for: key, weight: key % 180 + 1)
      }
    }
    let statistics = recording.stop()
    #expect(statistics.lost == 0)
    let trace = try PreparedTrace.load(path: path)
    let counts = try simulate(
      .memory(try tier(policy, countsBytes ? 20_000 : 200)), countsBytes ? .bytes : .objects, trace)
    let counted = cache.statistics
    #expect(counts.requests == counted.hits + counted.misses)
    #expect(counts.hits == counted.hits && counts.hits > 3000)
    #expect(counts.evictions == counted.evictions && counts.evictions > 1000)
  }

  @Test(arguments: ["lru", "s3-fifo"])
  func aDiskCache(_ policy: String) throws {
    defer { remove() }
    var configuration = DiskConfiguration(
      policy: CachePolicy(policy), limits: DiskLimits(bytes: 20_000), durability: .none)
    configuration.countsRows = false
    let cache = try BlockingDiskCache(
      path: folder.appending(path: "cache").path, configuration: configuration)
    let recording = try cache.record(to: path, plainKeys: true)
    for key in Self.keys(3000, objects: 800) {
      if try cache.value(for: "\(key)") == nil {
        try cache.set(Data(count: key % 180 + 1), for: "\(key)")
      }
    }
    recording.stop()
    let trace = try PreparedTrace.load(path: path)
    let counts = try simulate(.disk(try tier(policy, 20_000)), .bytes, trace)
    let counted = cache.statistics
    #expect(counts.hits == counted.hits && counts.hits > 300)
    #expect(counts.requests == counted.hits + counted.misses && counted.damages == 0)
    #expect(counts.evictions == counted.evictions && counts.evictions > 100)
  }

  @Test(
    arguments: ["lru", "s3-fifo"],
    [
      HybridRules(), HybridRules(inclusion: .exclusive), HybridRules(promotion: .never),
    ])
  func aHybridCache(_ policy: String, _ rules: HybridRules) throws {
    defer { remove() }
    var configuration = HybridCacheConfiguration(
      memory: MemoryTier(
        limits: MemoryCacheLimits(count: 40), policy: CachePolicy(policy)),
      disk: DiskConfiguration(
        policy: CachePolicy(policy), limits: DiskLimits(bytes: nil, count: 150), durability: .none))
    configuration.rules = rules
    let cache = try HybridCache<Int, Int>(
      path: folder.appending(path: "cache").path, configuration: configuration)
    let recording = try cache.record(to: path)
    var hits: UInt64 = 0
    for key in Self.keys(3000, objects: 800) {
      if try cache.entry(for: key) != nil { hits += 1 } else { try cache.fill(key, for: key) }
    }
    recording.stop()
    let trace = try PreparedTrace.load(path: path)
    let counts = try simulate(
      .hybrid(memory: try tier(policy, 40), disk: try tier(policy, 150), rules: rules), .objects,
      trace)
    #expect(counts.requests == 3000 && counts.hits == hits && hits > 300)
    #expect(counts.promotions == cache.readStatistics().promotions)
    try cache.close()
  }

  @Test func expirationsAreRecorded() throws {
    defer { remove() }
    let clock = StepClock()
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 300), shards: 1, clock: clock))
    let recording = try cache.record(to: path)
    var hits: UInt64 = 0
    for (number, key) in Self.keys(4000, objects: 400).enumerated() {
      // Gets take their time from sets, so each set advances the clock for the next operations.
      if cache.value(for: key) != nil {
        hits += 1
      } else {
        cache.set(key, for: key, timeToLive: .seconds(30 + key % 60))
      }
      if number % 20 == 0 {
        clock.step(seconds: 1)
        // A set updates the time.
        cache.set(0, for: -1)
      }
    }
    recording.stop()
    let trace = try PreparedTrace.load(path: path)
    let counts = try simulate(.memory(try tier("lru", 300)), .objects, trace)
    #expect(counts.hits == hits && counts.memory.expirations > 100)
    #expect(cache.statistics.expirations > 100)
  }

  private final class StepClock: CacheClock {
    private let time = Locked<UInt64>(1_000_000)
    var now: CacheInstant { CacheInstant(microseconds: time.withLock { $0 }) }
    func step(seconds: UInt64) { time.withLock { $0 += seconds * 1_000_000 } }
  }

  // MARK: Samples

  /// The curve of a tenth of the keys equals that of all of them within a point. One shard: the
  /// order of requests to different shards is known to 5 ms only.
  @Test(arguments: ["lru", "s3-fifo"])
  func aSampleHasTheCurveOfTheWhole(_ policy: String) throws {
    defer { remove() }
    let keys = try zipf(requests: 200_000, objects: 100_000)
    func curve(_ sampling: Double) throws -> MissRatioCurve {
      let path = folder.appending(path: "\(sampling).recorded").path
      let cache = try MemoryCache<Int, Int>(
        MemoryCacheConfiguration(
          limits: MemoryCacheLimits(count: 10_000), policy: CachePolicy(policy), shards: 1,
          hashing: .seeded(5)))
      let recording = try cache.record(to: path, sampling: sampling)
      for (number, key) in keys.enumerated() {
        if number % 2000 == 0 { recording.catchUp() }
        if cache.value(for: key) == nil { cache.set(key, for: key) }
      }
      #expect(recording.stop().lost == 0)
      let trace = try PreparedTrace.load(path: path)
      #expect(abs(trace.sampling.rate - sampling) < 1e-9)
      let settings = CurveSettings(
        policies: [try PolicySpec(parsing: policy)],
        capacities: try CapacitySpec.list(parsing: "1000,3000,10000,30000"))
      return try #require(try CurveMaker(trace: trace, settings: settings).make().curves.first)
    }
    let (whole, part) = (try curve(1), try curve(0.1))
    #expect(whole.points.map(\.capacity) == [1000, 3000, 10_000, 30_000])
    #expect(part.points.map(\.capacity) == whole.points.map(\.capacity))
    #expect(part.requests == 200_000 && part.method != .exact)
    for (a, b) in zip(whole.points, part.points) {
      #expect(abs(a.hitRatio - b.hitRatio) < 0.01, "\(a.capacity): \(a.hitRatio), \(b.hitRatio)")
    }
  }

  private func zipf(requests: Int, objects: Int) throws -> [Int] {
    let source = try SourceSpec.generator(
      GeneratorSpec(
        component: ComponentSpec(parsing: "zipf:objects=\(objects):exponent=0.9"),
        requests: requests)
    ).makeSource(seed: 1) { try FileSource(path: $0.path) }
    let columns = try PreparedTrace.prepare(source: source, name: "zipf").requests
    return (0..<columns.count).map { Int(columns.ids[$0]) }
  }
}
