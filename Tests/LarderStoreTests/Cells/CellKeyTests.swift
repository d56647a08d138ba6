import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments

/// A key has everything that counts depend on, and nothing else.
struct CellKeyTests {
  private static func planned(
    _ tier: TierSetup = TierSetup(policy: policy("lru"), capacity: 10),
    unit: CapacityUnit = .bytes, seed: UInt64 = 1
  ) -> PlannedCell {
    planned(.memory(tier), unit: unit, seed: seed)
  }

  private static func planned(
    _ arrangement: Arrangement, unit: CapacityUnit = .bytes, seed: UInt64 = 1
  ) -> PlannedCell {
    let kind: ConfigurationKind =
      switch arrangement {
      case .memory: .memory
      case .disk: .disk
      case .hybrid: .hybrid
      }
    return PlannedCell(
      cell: Cell(
        workload: "w", trace: "t", configuration: "c", kind: kind, policy: "p", capacity: 10,
        capacityLabel: "1%", unit: unit, seed: seed),
      setup: SimulationSetup(arrangement: arrangement, unit: unit, seed: seed))
  }

  private static func policy(_ text: String) -> PolicySpec {
    do {
      return try PolicySpec(parsing: text)
    } catch {
      fatalError("every text of these tests parses: \(error)")
    }
  }

  private static func trace(
    _ ids: [ObjectID] = [1, 2, 1], sizes: [UInt32]? = [5, 6, 5], times: [UInt64]? = [1, 2, 3],
    operations: [UInt8]? = nil, ttls: [UInt32]? = nil, costs: [Float]? = nil
  ) throws -> TraceIdentity {
    var records: [TraceRecord] = []
    for (index, id) in ids.enumerated() {
      var record = TraceRecord(key: UInt64(id))
      record.size = sizes?[index] ?? 1
      record.time = times?[index] ?? 0
      record.operation = operations?[index] ?? 0
      record.ttl = ttls?[index] ?? 0
      record.cost = costs?[index] ?? 0
      records.append(record)
    }
    var columns: TraceColumns = []
    if sizes != nil { columns.insert(.size) }
    if times != nil { columns.insert(.time) }
    if operations != nil { columns.insert(.operation) }
    if ttls != nil { columns.insert(.ttl) }
    if costs != nil { columns.insert(.cost) }
    return TraceIdentity(
      try PreparedTrace.prepare(
        source: RecordList(columns: columns, list: records), name: "t"))
  }

  private static func key(_ planned: PlannedCell, _ trace: TraceIdentity) -> CellKey {
    CellKey(planned, over: trace, warmUp: .none, latency: nil)
  }

  private static func key(
    _ trace: TraceIdentity, warmUp: WarmUp = .none, latency: LatencyModel? = nil
  ) -> CellKey {
    CellKey(planned(), over: trace, warmUp: warmUp, latency: latency)
  }

  @Test func everythingThatCountsDependOnIsInTheKey() throws {
    let trace = try Self.trace()
    let tier = TierSetup(policy: Self.policy("lru"), capacity: 10)
    func with(_ change: (inout TierSetup) -> Void) -> PlannedCell {
      var changed = tier
      change(&changed)
      return Self.planned(changed)
    }
    func hybrid(_ rules: HybridRules) -> PlannedCell {
      Self.planned(.hybrid(memory: tier, disk: tier, rules: rules))
    }
    let latency = LatencyModel(origin: AccessLatency(base: .constant(5)))
    let slower = LatencyModel(origin: AccessLatency(base: .constant(6)))
    let perByte = LatencyModel(
      origin: AccessLatency(base: .constant(5), nanosecondsPerByte: 1))
    let keys = [
      Self.key(trace), Self.key(Self.planned(.disk(tier)), trace),
      Self.key(hybrid(HybridRules()), trace),
      Self.key(hybrid(HybridRules(inclusion: .exclusive)), trace),
      Self.key(hybrid(HybridRules(promotion: .never)), trace),
      Self.key(hybrid(HybridRules(placement: .init())), trace),
      Self.key(hybrid(HybridRules(placement: .init(memoryOnlyBelowSeconds: 1))), trace),
      Self.key(hybrid(HybridRules(placement: .init(diskOnlyFromSeconds: 1))), trace),
      Self.key(with { $0.policy = Self.policy("fifo") }, trace),
      Self.key(with { $0.policy = Self.policy("s3-fifo:small=0.2") }, trace),
      Self.key(with { $0.policy = Self.policy("s3-fifo:small=0.3") }, trace),
      Self.key(with { $0.capacity = 11 }, trace),
      Self.key(with { $0.timeToLiveSeconds = 1 }, trace),
      Self.key(with { $0.objectsMax = 1 }, trace),
      Self.key(with { $0.admission = Self.policy("tinylfu") }, trace),
      Self.key(Self.planned(unit: .objects), trace), Self.key(Self.planned(seed: 2), trace),
      Self.key(trace, warmUp: .requests(1)), Self.key(trace, warmUp: .untilFull),
      Self.key(trace, latency: latency), Self.key(trace, latency: slower),
      Self.key(trace, latency: perByte),
      Self.key(try Self.trace([1, 2, 2])), Self.key(try Self.trace([1, 2, 3])),
      Self.key(try Self.trace([1, 2])), Self.key(try Self.trace(sizes: [5, 7, 5])),
      Self.key(try Self.trace(sizes: nil)), Self.key(try Self.trace(operations: [0, 1, 0])),
      Self.key(try Self.trace(ttls: [0, 9, 0])), Self.key(try Self.trace(costs: [0, 1, 0])),
      Self.key(try Self.trace(times: [1, 2, 4], ttls: [0, 9, 0])),
    ]
    #expect(Set(keys.map(\.digest)).count == keys.count)
    #expect(Set(keys.map(\.text)).count == keys.count)
  }

  @Test func segmentsAreInTheKey() throws {
    let trace = try Self.trace()
    let setups = [
      SegmentSetup(bytes: 4096), SegmentSetup(bytes: 8192),
      SegmentSetup(bytes: 4096, inlineBytesMax: 0), SegmentSetup(bytes: 4096, groupWrites: 7),
      SegmentSetup(bytes: 4096, groupWrites: 7, groupBytes: 9),
    ]
    let keys = (setups.map(Optional.some) + [nil]).map { segments in
      var planned = Self.planned(.disk(TierSetup(policy: Self.policy("lru"), capacity: 10)))
      planned.setup.segments = segments
      return Self.key(planned, trace).text
    }
    #expect(Set(keys).count == keys.count)
  }

  @Test func timeIsInTheKey() throws {
    let tier = TierSetup(policy: Self.policy("lru"), capacity: 10)
    let hybrid = Arrangement.hybrid(memory: tier, disk: tier, rules: HybridRules())
    func keys(_ arrangement: Arrangement) throws -> [String] {
      let models = [
        try FetchModel(latencies: [9]), try FetchModel(latencies: [9], diskLatencies: [0]),
        try FetchModel(latencies: [9], diskLatencies: [5]),
        try FetchModel(latencies: [9], diskLatencies: [5, 6]),
        try FetchModel(latencies: [9], diskLatencies: [5], coalesces: false),
      ]
      return try (models.map(Optional.some) + [nil]).flatMap { model in
        var planned = Self.planned(arrangement)
        planned.setup.time = model
        return [
          Self.key(planned, try Self.trace()).text,
          Self.key(planned, try Self.trace(times: [1, 2, 9])).text,
        ]
      }
    }
    // Without time, the times of requests have no effect.
    #expect(Set(try keys(.disk(tier))).count == 11)
    #expect(Set(try keys(hybrid)).count == 11)
  }

  @Test(arguments: ["redis-lru", "nginx"])
  func timesAreInTheKeyForTimedPolicies(policy: String) throws {
    let memory = TierSetup(policy: Self.policy(policy), capacity: 10)
    let disk = TierSetup(policy: Self.policy("lru"), capacity: 10)
    for arrangement in [
      Arrangement.memory(memory), .hybrid(memory: disk, disk: memory, rules: HybridRules()),
    ] {
      let planned = Self.planned(arrangement)
      let key = Self.key(planned, try Self.trace())
      #expect(Self.key(planned, try Self.trace(times: [1, 2, 9])) != key)
    }
  }

  @Test func irrelevantPropertiesAreNotInTheKey() throws {
    let trace = try Self.trace()
    let key = Self.key(trace)
    var renamed = Self.planned()
    renamed.cell.workload = "other"
    renamed.cell.configuration = "other"
    renamed.cell.trace = "other"
    renamed.cell.capacityLabel = "10B"
    renamed.setup.recordsOutcomes = true
    #expect(Self.key(renamed, trace) == key)
    #expect(Self.key(try Self.trace(times: nil)) == key, "nothing expires")
    #expect(Self.key(try Self.trace(times: [1, 2, 9])) == key)
    let objects = Self.planned(unit: .objects)
    #expect(Self.key(objects, try Self.trace(sizes: nil)) == Self.key(objects, trace))
    #expect(Self.key(trace, warmUp: .share(Share(percent: 0))) == key)
    #expect(
      Self.key(trace, warmUp: .share(Share(percent: 67))) == Self.key(trace, warmUp: .requests(2)))
    let one = Self.planned(TierSetup(policy: Self.policy("mq:a=1:b=2"), capacity: 10))
    let two = Self.planned(TierSetup(policy: Self.policy("MQ:b=2:a=1"), capacity: 10))
    #expect(Self.key(one, trace) == Self.key(two, trace))
  }

  /// A property added to one of these types probably changes counts: `CellKey` must include it, and
  /// then it must be added to this list.
  @Test func everyPropertyIsKnown() {
    func names(_ value: Any) -> [String] { Mirror(reflecting: value).children.compactMap(\.label) }
    #expect(
      names(Self.planned().setup) == [
        "arrangement", "unit", "seed", "recordsOutcomes", "time", "segments",
      ])
    #expect(
      names(TierSetup(policy: Self.policy("lru"), capacity: 1))
        == ["policy", "capacity", "timeToLiveSeconds", "objectsMax", "admission"])
    #expect(names(HybridRules()) == ["inclusion", "promotion", "placement"])
    #expect(
      names(HybridRules.Placement()) == ["memoryOnlyBelowSeconds", "diskOnlyFromSeconds"])
    #expect(
      names(LatencyModel(origin: AccessLatency())) == [
        "memory", "disk", "origin", "isOriginFromTrace",
      ])
    #expect(names(AccessLatency()) == ["base", "nanosecondsPerByte"])
    #expect(names(Self.policy("lru")) == ["name", "values", "description"])
  }
}
