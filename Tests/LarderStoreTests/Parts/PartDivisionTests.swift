import Foundation
import LarderEngine
import LarderTraces
import TestSupport
import Testing

@testable import LarderExperiments

@Suite(.endsInTime) struct PartDivisionTests {
  private static func cells(_ workload: Workload) throws -> ([PlannedCell], StoredTraces) {
    let known = StoreStand.known(try WorkloadTraces.prepare(workload))
    return (try Plan.cells(of: workload, facts: known.facts), known)
  }

  @Test(arguments: [1, 2, 3, 7, 16, 100, 1000])
  func everyCellIsInOnePart(_ count: Int) throws {
    let workload = try StoreStand.workload(seeds: [1, 2])
    let (cells, traces) = try Self.cells(workload)
    let division = PartDivision(cells, traces: traces, repetitions: 1, count: count)
    #expect(division.parts.count == count)
    #expect(division.parts.joined().sorted() == Array(cells.indices))
    let again = PartDivision(cells, traces: traces, repetitions: 1, count: count)
    #expect(division.parts == again.parts)
  }

  @Test func partsAreOfEqualCost() throws {
    let workload = try StoreStand.workload(
      policies: "fifo,lhd,lru,hyperbolic,sieve,gdsf,cacheus,belady", capacities: "1,2,3,4,5,6,7,8")
    let (cells, traces) = try Self.cells(workload)
    for count in 1...20 {
      let division = PartDivision(cells, traces: traces, repetitions: 1, count: count)
      let costs = division.parts.map { $0.reduce(0) { $0 + division.nanoseconds[$1] } }
      let mean = costs.reduce(0, +) / UInt64(count)
      let longest = division.nanoseconds.max() ?? 0
      #expect((costs.max() ?? 0) <= mean + longest + 1, "\(count): \(costs)")
    }
  }

  /// Parts run in any order, some twice, some concurrently, equal one complete run.
  @Test(arguments: [1, 3, 7, 40])
  func partsEqualOneRun(_ count: Int) throws {
    let workload = try StoreStand.workload(seeds: [1, 2])
    let stand = try StoreStand()
    let whole = try StoreStand().job(workload, StoreStand().store()).sweep.run()
    _ = try stand.store()
    for number in (1...count).reversed() {
      let part = try #require(PartNumber(number, of: count))
      let job = try stand.job(workload, stand.store(), part: part)
      let first = try job.sweep.run()
      let again = try stand.job(workload, stand.store(), part: part)
      #expect(again.sweep.totalRequests == 0)
      #expect(try again.sweep.run().map(\.counts) == first.map(\.counts))
    }
    let merged = try stand.job(workload, stand.store())
    let records = merged.cells.compactMap { merged.records.timedRecord(of: $0) }
    #expect(records.map(\.cell) == whole.map(\.cell))
    #expect(records.map(\.counts) == whole.map(\.counts))
    #expect(records.allSatisfy { $0.timings.count == 1 })
  }

  @Test func extremeNumbersAreHandled() throws {
    let workload = try StoreStand.workload()
    var (cells, traces) = try Self.cells(workload)
    let memory = traces.memories[0]
    let huge = try JSONDecoder().decode(
      TraceIdentity.self,
      from: Data(#"{"requests": 18446744073709551615, "objects": 1, "columns": {}}"#.utf8))
    traces = StoredTraces(memories: [
      TraceMemory(stamp: "", facts: memory.facts, notes: [], identity: huge)
    ])
    let division = PartDivision(cells, traces: traces, repetitions: .max, count: 3)
    #expect(division.parts.joined().count == cells.count)
    #expect(division.nanoseconds.allSatisfy { $0 == UInt64(1e18) })
    cells = []
    #expect(PartDivision(cells, traces: traces, repetitions: 1, count: 2).parts == [[], []])
    let none = StoredTraces(memories: [])
    #expect(PartDivision(cells, traces: none, repetitions: 1, count: 0).parts == [[]])
  }

  /// A sampled trace takes the time and memory of its sample, as one that has only these requests.
  @Test func sampledTraceIsPlannedByItsSample() throws {
    let stand = try StoreStand()
    let ids = (0..<4000).map { $0 * 7919 % 1000 }
    try stand.write(ids, to: "all.txt")
    let sampled = try stand.workload("all.txt", sample: 0.1)
    let traces = try WorkloadTraces.prepare(sampled)
    let kept = try #require(traces.table.all.first)
    #expect((20...400).contains(kept.requests.objects) && traces.facts[0].requests > 1500)
    // The sample alone, as a complete trace.
    let alone = (0..<kept.requests.count).map { Int(kept.requests.ids[$0]) }
    try stand.write(alone, to: "kept.txt")
    let small = try stand.workload("kept.txt")
    func plan(_ workload: Workload, _ traces: WorkloadTraces) throws -> (PartDivision, PartPlan) {
      let known = StoreStand.known(traces)
      let cells = try Plan.cells(of: workload, facts: known.facts)
      let division = PartDivision(cells, traces: known, repetitions: 1, count: 2)
      return (
        division,
        PartPlan(
          division, of: workload, traces: known, threads: 1, onlyMissing: false,
          isMissing: { _ in true })
      )
    }
    let (division, plan1) = try plan(sampled, traces)
    let (expected, plan2) = try plan(small, try WorkloadTraces.prepare(small))
    #expect(division.nanoseconds == expected.nanoseconds && division.parts == expected.parts)
    #expect(plan1.requests == plan2.requests && plan1.coreHours == plan2.coreHours)
    #expect(plan1.parts.map(\.seconds) == plan2.parts.map(\.seconds))
    #expect(plan1.parts.map(\.memoryBytes) == plan2.parts.map(\.memoryBytes))
    #expect(plan1.preparation.memoryBytes == plan2.preparation.memoryBytes)
    // The workload takes the sample, so all requests are read.
    #expect(plan1.preparation.requests == traces.facts[0].requests)
  }
}
