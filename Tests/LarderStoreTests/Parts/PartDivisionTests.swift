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
    let division = PartDivision(cells, traces: traces, count: count)
    #expect(division.parts.count == count)
    #expect(division.parts.joined().sorted() == Array(cells.indices))
    let again = PartDivision(cells, traces: traces, count: count)
    #expect(division.parts == again.parts)
  }

  @Test(arguments: 1...20)
  func partsHaveEqualRequests(_ count: Int) throws {
    let (cells, traces) = try Self.cells(
      StoreStand.workload(policies: "fifo,lhd,lru,belady", capacities: "1,2,3,4,5,6,7,8"))
    let division = PartDivision(cells, traces: traces, count: count)
    let requests = division.parts.map { $0.reduce(0) { $0 + division.requests[$1] } }
    #expect(requests.reduce(0, +) == 32 * 3000)
    #expect((requests.max() ?? 0) <= 32 * 3000 / UInt64(count) + 3000, "\(requests)")
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
    let division = PartDivision(cells, traces: traces, count: 3)
    #expect(division.parts.joined().count == cells.count)
    #expect(division.requests.allSatisfy { $0 == .max })
    cells = []
    #expect(PartDivision(cells, traces: traces, count: 2).parts == [[], []])
    let none = StoredTraces(memories: [])
    #expect(PartDivision(cells, traces: none, count: 0).parts == [[]])
  }

  @Test func sampledTraceIsPlannedByItsSample() throws {
    let stand = try StoreStand()
    try stand.write((0..<4000).map { $0 * 7919 % 1000 }, to: "all.txt")
    let workload = try stand.workload("all.txt", sample: 0.1)
    let traces = try WorkloadTraces.prepare(workload)
    let kept = UInt64(try #require(traces.table.all.first).requests.count)
    #expect((20...1000).contains(kept) && traces.facts[0].requests > 1500)
    let known = StoreStand.known(traces)
    let division = PartDivision(
      try Plan.cells(of: workload, facts: known.facts), traces: known, count: 2)
    let plan = PartPlan(division, of: workload, onlyMissing: false, isMissing: { _ in true })
    #expect(plan.parts.map(\.requests) == [2 * kept, 2 * kept] && plan.requests == 4 * kept)
  }
}
