import LarderEngine
import Testing

@testable import LarderChecks
@testable import LarderSimulation
@testable import LarderWorkloads

/// What of memory and disk counts as a change.
@Suite struct ResourceComparisonTests {
  private func measured(
    _ bytes: Double, policy: String = "lru", system: String = "Linux x86_64"
  ) -> MeasuredResources {
    let name = CellName(configuration: "memory", policy: policy, capacity: "10%", seed: 1)
    return MeasuredResources(
      system: system, cells: [.init(name: name, values: [.memoryBytesPerObject: bytes])])
  }

  @Test(arguments: [
    (156.0, 156.0, 0, 0), (156, 218, 1, 1), (100, 105, 0, 0), (100, 105.1, 1, 1),
    (100, 95, 0, 0), (100, 94.9, 1, 0), (0, 0, 0, 0), (0, 1, 1, 1),
  ])
  func fivePerCentAreAllowed(before: Double, after: Double, changes: Int, worse: Int) {
    let comparison = ResourceComparison(from: measured(before), to: measured(after))
    #expect(comparison.compared == 1)
    #expect(comparison.changes.count == changes && comparison.worse.count == worse)
  }

  @Test func theWorkloadFileDecides() {
    let comparison = ResourceComparison(
      from: measured(100), to: measured(103),
      thresholds: [.memoryBytesPerObject: Share(percent: 2)])
    #expect(comparison.worse.map(\.threshold) == [Share(percent: 2)])
  }

  @Test func othersAreNotCompared() {
    let systems = ResourceComparison(from: measured(1, system: "macOS arm64"), to: measured(9))
    let cells = ResourceComparison(from: measured(1, policy: "fifo"), to: measured(9))
    #expect(systems.compared == 0 && cells.compared == 0)
  }

  @Test func ofSeveralRepetitionsTheLeastCounts() throws {
    let cell = Cell(
      workload: "w", trace: "t", configuration: "memory", kind: .memory, policy: "lru",
      capacity: 10, capacityLabel: "10", unit: .objects, seed: 1)
    var record = Record(cell: cell, counts: Counts(), objectsDistinct: 5)
    record.executions = [(1, 170.0), (1, 160), (2, 10)].map { threads, bytes in
      var execution = Execution(threads: threads, repetition: 1)
      execution.memoryBytesPerObject = bytes
      return execution
    }
    let measured = try #require(MeasuredResources([record], amongTraces: false))
    #expect(measured.cells.map(\.values) == [[.memoryBytesPerObject: 160]])
    record.executions = nil
    #expect(MeasuredResources([record], amongTraces: false) == nil)
  }

  /// A per cent of instructions is a change, of memory it is not.
  @Test func eachFigureHasAThresholdOfItsOwn() {
    func figures(_ value: Double) -> MeasuredResources {
      let name = measured(value).cells[0].name
      return measured(value).adding([name: value], as: .instructionsPerRequest)
    }
    let comparison = ResourceComparison(from: figures(1000), to: figures(1011))
    #expect(comparison.compared == 2 && comparison.hasInstructions)
    #expect(comparison.worse.map(\.resource) == [.instructionsPerRequest])
    #expect(ResourceComparison(from: figures(1000), to: figures(1009)).changes.isEmpty)
    #expect(!ResourceComparison(from: measured(1), to: figures(1)).hasInstructions)
  }

  /// What a cache takes however many objects it holds differs by chance: 18 KB of 290 in a disk
  /// cache of 25 objects.
  @Test(arguments: [(999, false), (1000, true)])
  func memoryOfAFewObjectsSaysNothing(objects: UInt64, isCompared: Bool) {
    let cell = Cell(
      workload: "w", trace: "t", configuration: "disk", kind: .disk, policy: "lru",
      capacity: 10, capacityLabel: "10", unit: .objects, seed: 1)
    var record = Record(cell: cell, counts: Counts(), objectsDistinct: 5)
    var execution = Execution(threads: 1, repetition: 1)
    execution.memoryBytesPerObject = 290
    execution.residentObjects = objects
    execution.diskBytes = 4096
    record.executions = [execution]
    let values = MeasuredResources([record], amongTraces: false)?.cells.first?.values
    #expect(values?[.memoryBytesPerObject] == (isCompared ? 290 : nil))
    #expect(values?[.diskBytes] == 4096)
  }
}
