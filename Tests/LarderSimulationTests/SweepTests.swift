import LarderEngine
import LarderPolicies
import LarderTraces
import TestSupport
import Testing

@testable import LarderExperiments
@testable import LarderSupport

@Suite(.endsInTime) struct SweepTests {
  private static func sweep(
    requests: Int = 3_000_000, policies: [String] = ["lru", "random", "belady"],
    warmUp: WarmUp = .none, repetitions: Int = 1
  ) throws -> Sweep {
    let source = SourceSpec.generator(
      GeneratorSpec(
        component: try ComponentSpec(parsing: "zipf:objects=2000:exponent=0.8"),
        requests: requests))
    let workload = Workload(
      name: "sweep", source: source, policies: try policies.map { try PolicySpec(parsing: $0) },
      capacities: try CapacitySpec.list(parsing: "10,100,50%"), seeds: [3, 4], warmUp: warmUp)
    let traces = try WorkloadTraces.prepare(workload)
    return Sweep(
      cells: try Plan.cells(of: workload, facts: traces.facts), traces: traces.table,
      warmUp: warmUp, repetitions: repetitions, threads: 2)
  }

  @Test func recordsDoNotDependOnThreadsOrRepetitions() throws {
    var sweep = try Self.sweep(requests: 50_000)
    sweep.threads = 1
    let one = try sweep.run()
    #expect(one.map(\.cell) == sweep.cells.map(\.cell))
    sweep.threads = 7
    sweep.repetitions = 3
    let many = try sweep.run()
    #expect(many.map(\.counts) == one.map(\.counts))
    #expect(many.allSatisfy { $0.timings.map(\.repetition) == [1, 2, 3] })
  }

  @Test func eachCellHasTheMemoryOfItsPolicy() throws {
    let sweep = try Self.sweep(requests: 20_000, policies: ["lru", "fifo"])
    for (planned, record) in zip(sweep.cells, try sweep.run()) {
      let trace = try #require(sweep.traces[planned.cell])
      let alone = try PolicyRegistry.makeSimulation(planned.setup, over: trace.requests)
      alone.run(upTo: trace.requests.count, untilFirstEviction: false)
      #expect(alone.counts == record.counts)
      #expect(record.timings.count == 1 && record.timings[0].requests == 20_000)
      #expect(
        record.timings[0].memoryBytesPerObject
          == Double(alone.stateBytes) / Double(record.objectsDistinct))
    }
  }

  /// Without a model a learned policy is LRU, and its counts must not be taken for its own.
  @Test func failedTrainingFailsTheCell() throws {
    let sweep = try Self.sweep(requests: 20_000, policies: ["3l-cache:batch=100"])
    let trace = try #require(sweep.traces[sweep.cells[0].cell])
    let runner = CellRunner(
      warmUp: .none, repetitions: 1, cancellation: Cancellation(), progress: { _ in })
    let broken = GradientBoosting(name: "broken") { (_, _) throws(BoostingError) in
      throw .badModel("categories")
    }
    let error = try #require(
      throws: SweepError.self,
      performing: {
        try GradientBoosting.$substitute.withValue(broken) {
          try runner.run(sweep.cells[0], over: trace)
        }
      })
    #expect(error == .training(sweep.cells[0].cell, .badModel("categories")))
    #expect(
      "\(error)"
        == "policy '3l-cache:batch=100' at capacity 10: unexpected model: categories")
  }

  @Test func executingWithoutADriverIsAnError() throws {
    var sweep = try Self.sweep(requests: 1000)
    sweep.cells[1].isExecuted = true
    #expect(throws: SweepError.driverMissing(sweep.cells[1].cell)) { try sweep.run() }
  }

  @Test func warmUpIsNotCounted() throws {
    let cold = try Self.sweep(requests: 10_000).run()
    let warm = try Self.sweep(requests: 10_000, warmUp: .requests(4000)).run()
    #expect(cold.allSatisfy { $0.counts.requests == 10_000 })
    #expect(warm.allSatisfy { $0.counts.requests == 6000 })
    for (cold, warm) in zip(cold, warm) { #expect(warm.counts.hits < cold.counts.hits) }
  }

  /// Counting begins with the request after the first eviction, which took capacity + 1 distinct
  /// objects.
  @Test func untilFullCountsFromTheFirstEviction() throws {
    let full = try Self.sweep(requests: 10_000, policies: ["fifo"], warmUp: .untilFull).run()
    for record in full {
      let counts = record.counts
      #expect(counts.requests < 10_000 && counts.requests > 0)
      #expect(counts.misses == counts.evictions, "every miss evicts once the cache is full")
    }
  }

  @Test func aStoppedSweepHasOnlyCompleteRecords() throws {
    let sweep = try Self.sweep()
    let cancellation = Cancellation()
    let records = try sweep.run(
      cancellation: cancellation,
      observer: Sweep.Observer(finished: { if $0().count == 2 { cancellation.request() } }))
    #expect(records.count >= 2 && records.count < sweep.cells.count)
    #expect(records.allSatisfy { $0.counts.requests == 3_000_000 })
  }

  @Test func theObserverSeesEveryRequestAndRecord() throws {
    let sweep = try Self.sweep(requests: 20_000, repetitions: 2)
    let seen = Locked((requests: 0, records: [Int]()))
    _ = try sweep.run(
      observer: Sweep.Observer(
        replayed: { requests in seen.withLock { $0.requests += requests } },
        finished: { records in seen.withLock { $0.records.append(records().count) } }))
    let (requests, records) = seen.withLock { $0 }
    #expect(requests == sweep.totalRequests)
    #expect(requests == sweep.cells.count * 20_000 * 2)
    #expect(records == Array(1...sweep.cells.count))
  }

  @Test func observerErrorEndsTheSweep() throws {
    struct Full: Error {}
    let sweep = try Self.sweep(requests: 20_000)
    #expect(throws: Full.self) {
      try sweep.run(observer: Sweep.Observer(finished: { _ in throw Full() }))
    }
  }

  @Test func aCellWithoutItsTraceIsAnError() throws {
    var sweep = try Self.sweep(requests: 1000)
    sweep.traces = TraceTable()
    #expect(throws: SweepError.traceMissing(sweep.cells[0].cell)) {
      sweep.threads = 1
      return try sweep.run()
    }
  }
}
