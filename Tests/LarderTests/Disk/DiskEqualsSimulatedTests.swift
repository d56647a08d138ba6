import LarderEngine
import LarderPolicies
import TestSupport
import Testing

@testable import Larder

/// An executed run and a simulated one of the same cell have equal counts.
@Suite struct DiskEqualsSimulatedTests {
  @Test(arguments: Array(Policies.executable.enumerated()), [CapacityUnit.objects, .bytes])
  func countsAreEqualToTheRequest(
    policy: (offset: Int, element: String), unit: CapacityUnit
  ) throws {
    let cases: [(capacity: Int, age: UInt32?)] = [(90, nil), (13, 25), (60, 25), (1, nil)]
    for (seed, (capacity, age)) in TestEffort.cases(
      Array(cases.enumerated()), offset: policy.offset)
    {
      try check(policy.element, unit, capacity: capacity, age: age, seed: seed)
    }
  }

  @Test(arguments: GuardedPolicy.all, [CapacityUnit.objects, .bytes])
  func countsAreEqualBehindAFilter(guarded: GuardedPolicy, unit: CapacityUnit) throws {
    try check(
      guarded.policy, unit, capacity: 60, age: nil, seed: 1, admission: guarded.admission)
  }

  @Test(arguments: ["lru", "sieve", "s3-fifo", "gdsf", "w-tinylfu"], DiskDurability.allCases)
  func bytesCopiedAreEqual(policy: String, durability: DiskDurability) throws {
    let trace = ReplayTrace(
      requests: 1_200, objects: 150, sizeMax: 20_000, isTimed: true, seed: 7)
    let configuration = DiskConfiguration(
      policy: CachePolicy(policy),
      limits: DiskLimits(bytes: 600_000, age: .seconds(200), freeBytes: 0),
      durability: durability, inlineBytesMax: 3000, values: .segments(bytes: 64 << 10),
      groupWrites: 7
    ).countingValuesAlone.with { $0.groupBytes = 100_000 }
    var segments = SegmentSetup(bytes: 64 << 10, inlineBytesMax: 3000)
    if durability == .none { (segments.groupWrites, segments.groupBytes) = (7, 100_000) }
    let simulation = try PolicyRegistry.makeSimulation(
      SimulationSetup(
        arrangement: .disk(
          TierSetup(
            policy: try PolicySpec(parsing: policy), capacity: 600_000, timeToLiveSeconds: 200)),
        unit: .bytes, segments: segments
      ).inRealCaches(), over: trace.columns())
    simulation.run(upTo: trace.lines.count, untilFirstEviction: false)
    let folder = try ScratchFolder()
    var replay = try DiskCacheReplay(configuration, in: folder)
    try replay.run(trace)
    #expect(simulation.counts.disk.bytesMoved ?? 0 > 100_000)
    #expect(replay.counts == simulation.counts)
    #expect(replay.cache.statistics.damages == 0)
  }

  private func check(
    _ policy: String, _ unit: CapacityUnit, capacity: Int, age: UInt32?, seed: Int,
    admission: String? = nil
  ) throws {
    let trace = ReplayTrace(
      requests: 1_500, objects: 200, sizeMax: 12, isTimed: seed != 0, seed: UInt64(seed))
    let simulation = try PolicyRegistry.makeSimulation(
      SimulationSetup(
        arrangement: .disk(
          TierSetup(
            policy: try PolicySpec(parsing: policy), capacity: UInt64(capacity),
            timeToLiveSeconds: age, admission: try PolicySpec(parsingOptional: admission))),
        unit: unit, seed: UInt64(seed)
      ).inRealCaches(),
      over: trace.columns())
    simulation.run(upTo: trace.lines.count, untilFirstEviction: false)

    let folder = try ScratchFolder()
    var replay = try DiskCacheReplay(
      DiskConfiguration(
        policy: CachePolicy(policy), admission: admission,
        limits: DiskLimits(
          bytes: unit == .bytes ? UInt64(capacity) : nil,
          count: unit == .objects ? capacity : nil, age: age.map { .seconds($0) },
          freeBytes: 0),
        // Some values in files, which must make no difference.
        durability: .none, inlineBytesMax: 10
      ).countingValuesAlone.with { $0.seed = UInt64(seed) },
      in: folder)
    try replay.run(trace)

    #expect(simulation.counts.diskHits > 0)
    // Objects of size 1 are small enough for any filter.
    if let admission, unit == .bytes || !admission.hasPrefix("size") {
      #expect(simulation.counts.disk.rejections > 0)
    }
    #expect(
      replay.counts == simulation.counts,
      "\(policy) \(admission ?? "-"), \(capacity) \(unit), age \(age ?? 0), seed \(seed)"
    )
    let statistics = replay.cache.statistics
    #expect(statistics.hits == simulation.counts.hits)
    #expect(statistics.misses == simulation.counts.misses)
    #expect(statistics.evictions == simulation.counts.evictions)
    #expect(statistics.expirations == simulation.counts.expirations)
    #expect(statistics.damages == 0)
  }
}
