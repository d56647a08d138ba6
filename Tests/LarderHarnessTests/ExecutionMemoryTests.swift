import LarderEngine
import Testing

@testable import LarderExperiments
@testable import LarderHarness
@testable import LarderTraces

@Suite struct ExecutionMemoryTests {
  private static let trace: PreparedTrace = {
    let ids = UnsafeMutablePointer<ObjectID>.allocate(capacity: 4)
    let sizes = UnsafeMutablePointer<UInt32>.allocate(capacity: 4)
    for (place, id) in [ObjectID(1), 2, 3, 1].enumerated() {
      ids[place] = id
      sizes[place] = id << 30
    }
    // Never freed; the process ends with the tests.
    let columns = RequestColumns(
      count: 4, objects: 3, ids: UnsafePointer(ids), sizes: UnsafePointer(sizes),
      owner: ColumnStorage())
    return PreparedTrace(
      name: "gigabytes", requests: columns, footprint: Footprint(of: columns, all: 6 << 30))
  }()

  private func need(_ arrangement: Arrangement, _ unit: CapacityUnit) -> UInt64 {
    ExecutionMemory(Self.trace, valueBytes: 7)
      .need(of: SimulationSetup(arrangement: arrangement, unit: unit, seed: 1))
  }

  private func tier(_ capacity: UInt64, objectsMax: UInt64? = nil) throws -> TierSetup {
    TierSetup(
      policy: try PolicySpec(parsing: "lru"), capacity: capacity, objectsMax: objectsMax)
  }

  @Test func needIsFullMemoryAndOneValueTwice() throws {
    let twice: UInt64 = 6 << 30
    #expect(try need(.memory(tier(1 << 30)), .bytes) == twice + (1 << 30))
    #expect(try need(.memory(tier(.max)), .bytes) == twice + (6 << 30))
    #expect(try need(.memory(tier(2)), .objects) == twice + (4 << 30))
    #expect(try need(.memory(tier(9, objectsMax: 1)), .objects) == twice + (2 << 30))
    #expect(try need(.disk(tier(.max)), .bytes) == twice)
    #expect(
      try need(.hybrid(memory: tier(5), disk: tier(.max), rules: HybridRules()), .bytes) == twice
        + 5)
  }

  @Test func needIsCheckedBeforeTheFirstCell() throws {
    let workload = Workload(
      name: "w", source: .trace(TraceReference(path: "a")),
      configurations: [ConfigurationSpec(name: "memory", kind: .memory)],
      policies: [try PolicySpec(parsing: "lru")],
      capacities: [try CapacitySpec(parsing: "1GiB")], modes: [.simulate, .execute])
    let cells = try Plan.cells(
      of: workload,
      facts: [TraceFacts(name: "gigabytes", requests: 4, objects: 3, footprintBytes: 6 << 30)])
    try Plan.check(
      cells, of: workload, over: TraceTable(Self.trace), memory: MemoryBudget { 7 << 30 })
    let error = #expect(throws: PlanError.self) {
      try Plan.check(
        cells, of: workload, over: TraceTable(Self.trace), memory: MemoryBudget { (7 << 30) - 1 })
    }
    #expect(
      error?.description == """
        configuration 'memory' at 1GiB on 'gigabytes': executing it needs 7.00 GiB of memory for \
        values, only 7.00 GiB are available: choose smaller capacities or values, or only \
        'mode: simulate'
        """)
    // A simulation has no values.
    var simulated = workload
    simulated.modes = [.simulate]
    let others = try Plan.cells(
      of: simulated,
      facts: [TraceFacts(name: "gigabytes", requests: 4, objects: 3, footprintBytes: 6 << 30)])
    try Plan.check(others, of: simulated, over: TraceTable(Self.trace), memory: MemoryBudget { 0 })
  }

  @Test func executedPresetThatEncryptsNeedsEncryption() throws {
    var workload = Workload(
      name: "w", source: .trace(TraceReference(path: "a")),
      configurations: [
        try ConfigurationSpec(preset: #require(.named("yycache"))),
        try ConfigurationSpec(preset: #require(.named("mfs"))),
      ],
      policies: [], capacities: [], modes: [.simulate, .execute])
    let facts = [TraceFacts(name: "gigabytes", requests: 4, objects: 3, footprintBytes: 6 << 30)]
    func check(canEncrypt: Bool) throws {
      try Plan.check(
        Plan.cells(of: workload, facts: facts), of: workload, over: TraceTable(Self.trace),
        memory: MemoryBudget { 1 << 40 }, canEncrypt: canEncrypt)
    }
    try check(canEncrypt: true)
    #expect(throws: PlanError.self) { try check(canEncrypt: false) }
    workload.modes = [.simulate]
    try check(canEncrypt: false)
  }
}
