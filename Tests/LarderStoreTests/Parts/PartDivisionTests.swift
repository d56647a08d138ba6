import LarderEngine
import TestSupport
import Testing

@testable import LarderExperiments

@Suite(.endsInTime) struct PartDivisionTests {
  private static func cells(_ workload: Workload) throws -> ([PlannedCell], [TraceFacts]) {
    let facts = try WorkloadTraces.prepare(workload).facts
    return (try Plan.cells(of: workload, facts: facts), facts)
  }

  @Test(arguments: [1, 2, 3, 7, 16, 100, 1000])
  func everyCellIsInOnePart(_ count: Int) throws {
    let workload = try StoreStand.workload(seeds: [1, 2])
    let (cells, facts) = try Self.cells(workload)
    let division = PartDivision(cells, facts: facts, repetitions: 1, count: count)
    #expect(division.parts.count == count)
    #expect(division.parts.joined().sorted() == Array(cells.indices))
    let again = PartDivision(cells, facts: facts, repetitions: 1, count: count)
    #expect(division.parts == again.parts)
  }

  @Test func partsAreOfEqualCost() throws {
    let workload = try StoreStand.workload(
      policies: "fifo,lhd,lru,hyperbolic,sieve,gdsf,cacheus,belady", capacities: "1,2,3,4,5,6,7,8")
    let (cells, facts) = try Self.cells(workload)
    for count in 1...20 {
      let division = PartDivision(cells, facts: facts, repetitions: 1, count: count)
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
    var (cells, facts) = try Self.cells(workload)
    facts[0].requests = .max
    let division = PartDivision(cells, facts: facts, repetitions: .max, count: 3)
    #expect(division.parts.joined().count == cells.count)
    cells = []
    #expect(PartDivision(cells, facts: facts, repetitions: 1, count: 2).parts == [[], []])
    #expect(PartDivision(cells, facts: [], repetitions: 1, count: 0).parts == [[]])
  }
}
