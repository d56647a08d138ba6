import Foundation
import Larder
import LarderEngine
import LarderTraces
import TestSupport
import Testing

@testable import LarderExperiments
@testable import LarderHarness
@testable import LarderSupport

/// Sweeps that execute real caches after the simulation.
@Suite(.endsInTime) struct SweepExecutionTests {
  private final class FirstCome: CacheUnderTest {
    private let values = Locked<[UInt64: Data]>([:])
    private let capacity: UInt64

    init(_ setup: CacheSetup) { capacity = setup.memoryCapacity }

    func get(_ key: UInt64) -> CacheAnswer? { values.withLock { $0[key].map { CacheAnswer($0) } } }

    func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) {
      values.withLock { values in
        if values[key] != nil || values.count < capacity { values[key] = value }
      }
    }

    func remove(_ key: UInt64) { values.withLock { $0[key] = nil } }
  }

  private struct Broken: Error {}

  private static func sweep(
    _ policies: [String] = ["lru", "fifo"], modes: [Timing.Mode] = [.simulate, .execute],
    threads: [Int] = [1], contender: CacheContender? = nil, requests: Int = 4000
  ) throws -> Sweep {
    if let contender { try ContenderRegistry.add(contender) }
    let source = SourceSpec.generator(
      GeneratorSpec(
        component: try ComponentSpec(parsing: "zipf:objects=500:exponent=0.8"),
        requests: requests))
    let configuration = ConfigurationSpec(
      name: "memory", kind: .memory,
      contender: contender?.name ?? ConfigurationSpec.defaultCache,
      runsPolicies: contender?.runsPolicies ?? true)
    let workload = Workload(
      name: "sweep", source: source, configurations: [configuration],
      policies: try policies.map { try PolicySpec(parsing: $0) },
      capacities: try CapacitySpec.list(parsing: "10,100"), warmUp: .requests(100), modes: modes)
    let traces = try WorkloadTraces.prepare(workload)
    return Sweep(
      cells: try Plan.cells(of: workload, facts: traces.facts), traces: traces.table,
      warmUp: workload.warmUp, repetitions: 2, threads: 2,
      execution: ExecutionSpec(threads: threads), driver: HarnessDriver())
  }

  private static func foreign(
    _ name: String, make: @escaping @Sendable (CacheSetup) throws -> any CacheUnderTest
  ) -> CacheContender {
    CacheContender(name: name, summary: "For tests.", kinds: [.memory], make: make)
  }

  @Test func parametersOfRealCachesAreSimulatedForComparison() throws {
    let records = try Self.sweep(["lirs"]).run()
    for record in records {
      let executions = try #require(record.executions)
      #expect(executions.allSatisfy { $0.equalsSimulated == true })
      #expect(record.cell.policy == "lirs")
    }
    #expect(records.contains { $0.executions?.first?.counts != $0.counts })
  }

  /// A check executes a cell several times and simulates it once.
  @Test func executionsHaveSeparateRepetitions() throws {
    var sweep = try Self.sweep(["lru"])
    let both = sweep.totalRequests
    sweep.repetitions = 1
    sweep.executedRepetitions = 3
    #expect(sweep.totalRequests == both)
    for record in try sweep.run() {
      #expect(record.executions?.map(\.repetition) == [1, 2, 3])
      #expect(record.timings.count == 1)
    }
  }

  @Test func executionsAccompanySimulations() throws {
    let sweep = try Self.sweep(threads: [1, 3])
    let records = try sweep.run()
    #expect(sweep.isComplete(records))
    var simulated = sweep
    for index in simulated.cells.indices { simulated.cells[index].isExecuted = false }
    let alone = try simulated.run()
    #expect(records.map(\.counts) == alone.map(\.counts))
    #expect(records.map(\.cell) == alone.map(\.cell))
    for record in records {
      let executions = try #require(record.executions)
      #expect(executions.map(\.threads) == [1, 1, 3, 3])
      #expect(executions.map(\.repetition) == [1, 2, 1, 2])
      #expect(executions.prefix(2).allSatisfy { $0.equalsSimulated == true })
      #expect(executions.allSatisfy { $0.counts.requests == record.counts.requests })
      #expect(record.timings.allSatisfy { $0.mode == .simulate })
    }
  }

  @Test func executedOnlyCellHasCountsOfOneThread() throws {
    let simulated = try Self.sweep(modes: [.simulate]).run()
    let sweep = try Self.sweep(modes: [.execute], threads: [2])
    let records = try sweep.run()
    #expect(records.map(\.counts) == simulated.map(\.counts))
    for record in records {
      #expect(record.timings.isEmpty)
      #expect(record.executions?.map(\.threads) == [1, 1, 2, 2])
      #expect(record.executions?.allSatisfy { $0.equalsSimulated == nil } == true)
    }
  }

  @Test func aCellWithTimeIsExecutedInOneThread() throws {
    var sweep = try Self.sweep(["lru"], threads: [2, 3])
    let model = try FetchModel(latencies: [1])
    for index in sweep.cells.indices { sweep.cells[index].setup.time = model }
    #expect(sweep.cells.map(sweep.executedThreads) == [[1], [1]])
    let records = sweep.cells.map { planned in
      var record = Record(cell: planned.cell, counts: Counts(), objectsDistinct: 1)
      record.executions = [Execution(threads: 1, repetition: 1)]
      return record
    }
    #expect(sweep.isComplete(records))
  }

  @Test func aCacheWithItsOwnPolicyHasItsOwnCounts() throws {
    let contender = Self.foreign("first-come") { FirstCome($0) }
    let records = try Self.sweep(threads: [1], contender: contender).run()
    #expect(records.map(\.cell.policy) == ["first-come", "first-come"])
    for record in records {
      #expect(record.counts.hits > 0 && record.counts.hits < record.counts.requests)
      #expect(record.executions?.first?.counts == record.counts)
      #expect(record.executions?.first?.countsTiers == false)
    }
    #expect(records[1].counts.hits > records[0].counts.hits)
  }

  @Test func stagesComeOneAfterTheOther() throws {
    let sweep = try Self.sweep(["belady", "lru"], threads: [1, 2])
    let stages = Locked<[String]>([])
    let requests = Locked(0)
    _ = try sweep.run(
      observer: Sweep.Observer(
        began: { stage in stages.withLock { $0.append(stage.description) } },
        replayed: { count in requests.withLock { $0 += count } }))
    #expect(
      stages.withLock { $0 } == [
        "Simulating 4 cells", "Executing memory: lru 10, 1 thread",
        "Executing memory: lru 10, 2 threads", "Executing memory: lru 100, 1 thread",
        "Executing memory: lru 100, 2 threads",
      ])
    #expect(requests.withLock { $0 } == sweep.totalRequests)
  }

  @Test func stoppedSweepKeepsCompleteRecords() throws {
    let sweep = try Self.sweep(threads: [1, 2])
    let cancellation = Cancellation()
    let records = try sweep.run(
      cancellation: cancellation,
      observer: Sweep.Observer(
        began: { stage in
          if case .executing(let cell, threads: 2) = stage, cell.capacity == 100 {
            cancellation.request()
          }
        }))
    #expect(records.count == sweep.cells.count)
    #expect(!sweep.isComplete(records))
    #expect(records[0].executions?.map(\.threads) == [1, 1, 2, 2])
    #expect(records[1].executions?.map(\.threads) == [1, 1])
    #expect(records[2].executions == nil && records[3].executions == nil)
  }

  @Test func aCacheThatFailsIsNamedWithItsCell() throws {
    let contender = Self.foreign("broken-cache") { _ in throw Broken() }
    let sweep = try Self.sweep(contender: contender)
    #expect {
      try sweep.run()
    } throws: { error in
      "\(error)".hasPrefix(
        "executing 'memory' with 'broken-cache' at capacity 10 in 1 thread: cannot create "
          + "the cache 'broken-cache'")
    }
  }

  @Test func foldersAreRemoved() throws {
    let scratch = FileManager.default.temporaryDirectory
      .appendingPathComponent("larder-sweep-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    var sweep = try Self.sweep(requests: 500)
    sweep.scratch = scratch.path
    _ = try sweep.run()
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
  }
}
