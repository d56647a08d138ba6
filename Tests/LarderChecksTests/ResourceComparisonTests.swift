import LarderEngine
import Testing

@testable import LarderExperiments
@testable import LarderHarness

/// Changes of memory and disk use.
@Suite struct ResourceComparisonTests {
  private func measured(
    _ bytes: Double, policy: String = "lru", system: String = "Linux x86_64"
  ) -> MeasuredResources {
    let name = CellName(configuration: "memory", policy: policy, capacity: "10%", seed: 1)
    return MeasuredResources(
      system: system, cells: [.init(name: name, values: [.memoryBytesPerObject: bytes])])
  }

  private func compare(
    _ before: MeasuredResources, _ after: MeasuredResources,
    thresholds: [CheckResource: Share] = [:]
  ) -> ResourceComparison {
    ResourceComparison(
      from: before, to: after, of: after.cells.map(\.name), thresholds: thresholds)
  }

  @Test(arguments: [
    (156.0, 156.0, 0, 0), (156, 218, 1, 1), (100, 105, 0, 0), (100, 105.1, 1, 1),
    (100, 95, 0, 0), (100, 94.9, 1, 0), (0, 0, 0, 0), (0, 1, 1, 1),
  ])
  func fivePerCentAreAllowed(before: Double, after: Double, changes: Int, worse: Int) {
    let comparison = compare(measured(before), measured(after))
    #expect(comparison.compared == 1)
    #expect(comparison.changes.count == changes && comparison.worse.count == worse)
  }

  @Test func workloadFileSetsThresholds() {
    let comparison = compare(
      measured(100), measured(103), thresholds: [.memoryBytesPerObject: Share(percent: 2)])
    #expect(comparison.worse.map(\.threshold) == [Share(percent: 2)])
  }

  @Test func otherSystemsAndCellsAreNotCompared() {
    let systems = compare(measured(1, system: "macOS arm64"), measured(9))
    let cells = compare(measured(1, policy: "fifo"), measured(9))
    #expect(systems.isEmpty && cells.isEmpty)
  }

  /// The median: one run may be disturbed in either direction.
  @Test(
    arguments: [
      ([170, 160], 160), ([652.6, 463.6, 652.7], 652.6), ([282.8, 255.5, 255.2], 255.5),
      ([4, 3, 2, 1], 2), ([5], 5),
    ] as [([Double], Double)])
  func medianOfRepetitionsCounts(figures: [Double], middle: Double) throws {
    let cell = Cell(
      workload: "w", trace: "t", configuration: "memory", kind: .memory, policy: "lru",
      capacity: 10, capacityLabel: "10", unit: .objects, seed: 1)
    var record = Record(cell: cell, counts: Counts(), objectsDistinct: 5)
    record.executions = (figures.map { (1, $0) } + [(2, 10)]).map { threads, bytes in
      var execution = Execution(threads: threads, repetition: 1)
      execution.memoryBytesPerObject = bytes
      return execution
    }
    let measured = try #require(MeasuredResources([record], amongTraces: false))
    #expect(measured.cells.map(\.values) == [[.memoryBytesPerObject: middle]])
    record.executions = nil
    #expect(MeasuredResources([record], amongTraces: false) == nil)
  }

  /// One per cent is a change of instructions, but not of memory.
  @Test func thresholdsDifferByFigure() {
    func figures(_ value: Double) -> MeasuredResources {
      let name = measured(value).cells[0].name
      return measured(value).adding([name: value], as: .instructionsPerRequest)
    }
    let comparison = compare(figures(1000), figures(1011))
    #expect(comparison.compared == 2 && comparison.hasInstructions)
    #expect(comparison.worse.map(\.resource) == [.instructionsPerRequest])
    #expect(compare(figures(1000), figures(1009)).changes.isEmpty)
    #expect(!compare(measured(1), figures(1)).hasInstructions)
  }

  /// A threshold that no longer guards anything is reported, but not for a cell that did not run.
  @Test func unmeasuredFigureIsMissing() {
    let name = measured(1).cells[0].name
    let before = measured(156).adding([name: 1000], as: .instructionsPerRequest)
    let some = ResourceComparison(from: before, to: measured(156), of: [name])
    #expect(
      some.missing == [
        MissingResource(name: name, resource: .instructionsPerRequest, before: 1000)
      ])
    #expect(some.compared == 1 && some.changes.isEmpty)
    let none = MeasuredResources(system: before.system, cells: [])
    let all = ResourceComparison(from: before, to: none, of: [name])
    #expect(all.missing.map(\.resource) == [.memoryBytesPerObject, .instructionsPerRequest])
    #expect(all.compared == 0 && !all.isEmpty)
    #expect(ResourceComparison(from: before, to: none, of: []).isEmpty)
  }

  @Test func figuresOfCountedCellsStay() {
    let (one, two) = (measured(1), measured(2, policy: "fifo"))
    var before = MeasuredResources(system: one.system, cells: one.cells + two.cells)
    before = before.adding(
      [one.cells[0].name: 10, two.cells[0].name: 20], as: .instructionsPerRequest)
    let counted = one.adding([one.cells[0].name: 11], as: .instructionsPerRequest)
    let left = before.removing(.instructionsPerRequest, but: counted)
    #expect(left.has(.instructionsPerRequest) && !two.has(.instructionsPerRequest))
    #expect(left.cells.count { $0.values[.instructionsPerRequest] != nil } == 1)
    #expect(left.cells.count { $0.values[.memoryBytesPerObject] != nil } == 2)
    #expect(!before.removing(.instructionsPerRequest, but: nil).has(.instructionsPerRequest))
  }

  /// The fixed cost of a cache varies by chance: 18 KB of 290 in a disk cache of 25 objects.
  @Test(arguments: [(999, false), (1000, true)])
  func memoryOfFewObjectsIsNotCompared(objects: UInt64, isCompared: Bool) {
    let cell = Cell(
      workload: "w", trace: "t", configuration: "disk", kind: .disk, policy: "lru",
      capacity: 10, capacityLabel: "10", unit: .objects, seed: 1)
    var record = Record(cell: cell, counts: Counts(), objectsDistinct: 5)
    var execution = Execution(threads: 1, repetition: 1)
    execution.memoryBytesPerObject = 290
    execution.residentObjects = objects
    execution.diskBytes = 4096
    execution.bytesWritten = 123_456
    execution.files = 3
    record.executions = [execution]
    let values = MeasuredResources([record], amongTraces: false)?.cells.first?.values
    #expect(values?[.memoryBytesPerObject] == (isCompared ? 290 : nil))
    #expect(values?[.diskBytes] == 4096)
    #expect(values?[.bytesWritten] == 123_456 && values?[.files] == 3)
  }
}
