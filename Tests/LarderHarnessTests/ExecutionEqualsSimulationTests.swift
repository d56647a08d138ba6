import Larder
import LarderEngine
import LarderPolicies
import TestSupport
import Testing

@testable import LarderExperiments
@testable import LarderHarness

/// The counts of a real cache with one thread equal those of a simulation, for what
/// `ConfigurationDifferentialTests` does not draw: long traces, changed expiries, slow filters,
/// bytes moved.
@Suite struct ExecutionEqualsSimulationTests {
  /// Those without parameters, which draws have.
  private static let policies = DrawMaker.policies.filter { !$0.contains(":") }

  private static func compare(
    _ arrangement: Arrangement, _ unit: CapacityUnit, _ requests: Int, number: Int
  ) throws -> Counts {
    let trace = ExecutionTrace(
      requests: requests, sizeMax: 12, hasExpiries: true, isTimed: !number.isMultiple(of: 4),
      seed: UInt64(number))
    let planned = ExecutionStand.cell(arrangement, unit: unit, seed: UInt64(number))
    let stand = ExecutionStand()
    // Some values in files, which must make no difference.
    stand.spec.inlineBytesMax = 10
    let (execution, simulated) = try stand.compare(planned, over: trace.prepared())
    #expect(simulated.hits > 0 && execution.valuesWrong == 0)
    return simulated
  }

  /// Every policy over traces in which it adapts.
  @Test(arguments: Array(policies.enumerated()), [CapacityUnit.objects, .bytes])
  func longTracesCountAsSimulated(
    policy: (offset: Int, element: String), unit: CapacityUnit
  ) throws {
    let limits: [(capacity: UInt64, age: UInt32?, objects: UInt64?)] = [
      (90, nil, nil), (13, 25, nil), (130, nil, 20), (60, 25, nil), (1, nil, nil), (130, 40, 3),
    ]
    for (number, (capacity, age, objects)) in TestEffort.cases(
      Array(limits.enumerated()), atLeast: 2, offset: policy.offset)
    {
      let tier = try ExecutionStand.tier(
        policy.element, capacity: capacity, timeToLive: age, objectsMax: objects)
      _ = try Self.compare(.memory(tier), unit, 4_000, number: number)
      _ = try Self.compare(.disk(tier), unit, 1_500, number: number)
    }
  }

  /// Every policy in memory, each with another one on disk, under all rules.
  @Test(arguments: Array(policies.enumerated()), HybridRules.Inclusion.allCases)
  func hybridsCountAsSimulated(
    policy: (offset: Int, element: String), inclusion: HybridRules.Inclusion
  ) throws {
    let placements = [
      nil, HybridRules.Placement(memoryOnlyBelowSeconds: 15, diskOnlyFromSeconds: 40),
    ]
    let cells = HybridRules.Promotion.allCases.flatMap { promotion in
      placements.flatMap { placement in
        [CapacityUnit.objects, .bytes].map {
          (HybridRules(inclusion: inclusion, promotion: promotion, placement: placement), $0)
        }
      }
    }
    for (index, (rules, unit)) in TestEffort.cases(
      Array(cells.enumerated()), offset: policy.offset)
    {
      // Every policy occurs on disk, too, with several ones in memory.
      let number = policy.offset + index
      let disk = Self.policies[(policy.offset + number) % Self.policies.count]
      let capacities: (UInt64, UInt64) = number % 5 == 4 ? (60, 9) : (14, 70)
      let arrangement = Arrangement.hybrid(
        memory: try ExecutionStand.tier(
          policy.element, capacity: capacities.0, timeToLive: number % 3 == 1 ? 20 : nil),
        disk: try ExecutionStand.tier(
          disk, capacity: capacities.1, timeToLive: number % 3 == 2 ? 45 : nil),
        rules: rules)
      _ = try Self.compare(arrangement, unit, 700, number: number)
    }
  }

  private static let filters = [
    "size:max=5", "size:max=0.08", "probabilistic", "probabilistic:p=0.9:scale=6",
    "second-hit:window=60", "second-hit:window=20:error=0.1", "tinylfu", "adaptsize:interval=1000",
  ]

  /// Filters, of which some change their rules only after many requests.
  @Test(
    arguments: Array(filters.enumerated()), ["lru", "sieve", "2q", "s3-fifo", "w-tinylfu", "gdsf"])
  func filtersCountAsSimulated(
    filter: (offset: Int, element: String), policy: String
  ) throws {
    func guarded(_ filter: String, _ capacity: UInt64) throws -> TierSetup {
      var tier = try ExecutionStand.tier(policy, capacity: capacity)
      let isPossible = filter != "tinylfu" || PolicyRegistry.knowsVictim(tier.policy)
      tier.admission = try PolicySpec(parsing: isPossible ? filter : "second-hit")
      return tier
    }
    let tier = try guarded(filter.element, 60)
    for unit in [CapacityUnit.objects, .bytes] {
      for (arrangement, requests) in [(Arrangement.memory(tier), 4_000), (.disk(tier), 1_500)] {
        let counts = try Self.compare(arrangement, unit, requests, number: 1)
        // Objects of size 1 are small enough for any filter.
        #expect(
          counts.memory.rejections + counts.disk.rejections > 0
            || unit == .objects && filter.element.hasPrefix("size"))
      }
    }
    let other = Self.filters[(filter.offset * 5 + 3) % Self.filters.count]
    for inclusion in HybridRules.Inclusion.allCases {
      for (number, promotion) in HybridRules.Promotion.allCases.enumerated() {
        let arrangement = Arrangement.hybrid(
          memory: try guarded(filter.element, 14), disk: try guarded(other, 70),
          rules: HybridRules(inclusion: inclusion, promotion: promotion))
        _ = try Self.compare(arrangement, number == 1 ? .objects : .bytes, 700, number: number + 1)
      }
    }
  }

  @Test(arguments: ["lru", "sieve", "s3-fifo", "gdsf", "w-tinylfu"], DiskDurability.allCases)
  func bytesMovedCountAsSimulated(policy: String, durability: DiskDurability) throws {
    // Grouped writes end by their bytes with the larger sizes, by their number with the others.
    for sizeMax in [UInt64(20_000), 5_000] {
      let trace = ExecutionTrace(
        requests: durability == .none ? 4_000 : 1_200, objects: 150, sizeMax: sizeMax, seed: 7)
      let stand = ExecutionStand()
      let inline = sizeMax * 3 / 20
      (stand.spec.durability, stand.spec.inlineBytesMax) = (durability, Int(inline))
      let tier = try ExecutionStand.tier(policy, capacity: sizeMax * 30, timeToLive: 200)
      var planned = ExecutionStand.cell(.disk(tier), unit: .bytes)
      var segments = SegmentSetup(bytes: 64 << 10, inlineBytesMax: inline)
      if durability == .none {
        let standard = DiskConfiguration()
        segments.groupWrites = standard.groupWrites
        segments.groupBytes = UInt64(standard.groupBytes)
      }
      planned.setup.segments = segments
      let (_, simulated) = try stand.compare(planned, over: trace.prepared())
      #expect(simulated.disk.bytesMoved ?? 0 > sizeMax)
    }
  }

  @Test(arguments: CachePreset.all)
  func designsCountAsSimulated(preset: CachePreset) throws {
    let trace = ExecutionTrace(requests: 1_500, objects: 400, sizeMax: 200).prepared()
    let stand = ExecutionStand()
    var planned = ExecutionStand.cell(try preset.arrangement(), unit: .bytes)
    planned.preset = preset.name
    let (execution, simulated) = try stand.compare(planned, over: trace)
    #expect(simulated.hits > 0 && execution.valuesChecked == simulated.hits)
  }

  @Test func staleHitsAreCounted() throws {
    let trace = ExecutionTrace(isTimed: false).prepared()
    let stand = ExecutionStand()
    let planned = ExecutionStand.cell(.memory(try ExecutionStand.tier(capacity: 150)))
    let simulated = try stand.simulate(planned, over: trace)
    let execution = try stand.first(planned, over: trace, simulated: simulated)
    #expect(simulated.staleHits > 100)
    #expect(execution.equalsSimulated == true && execution.capacityChecks == 1)
    #expect(stand.leftovers.isEmpty)
  }

  @Test func differentCountsAreReported() throws {
    let trace = ExecutionTrace().prepared()
    let stand = ExecutionStand()
    let planned = ExecutionStand.cell(.memory(try ExecutionStand.tier()))
    var simulated = try stand.simulate(planned, over: trace)
    simulated.memory.evictions += 1
    let execution = try stand.first(planned, over: trace, simulated: simulated)
    #expect(execution.equalsSimulated == false)
    let uncompared = try stand.first(planned, over: trace)
    #expect(uncompared.equalsSimulated == nil)
  }
}
