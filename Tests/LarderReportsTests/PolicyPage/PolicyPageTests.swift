import Foundation
import LarderEngine
import LarderPolicies
import Testing

@testable import LarderExperiments
@testable import LarderReports

/// Content of the page for each policy; the page in the repository must be up to date.
@Suite struct PolicyPageTests {
  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func record(
    _ policy: String, _ capacity: UInt64, hits: UInt64, seconds: Double...
  ) -> Record {
    var counts = Counts()
    counts.requests = 1000
    counts.memoryHits = hits
    return Record(
      cell: Cell(
        workload: "w", trace: "t", configuration: "memory", kind: .memory, policy: policy,
        capacity: capacity, capacityLabel: "\(capacity)", unit: .objects, seed: 1),
      counts: counts, objectsDistinct: 100,
      timings: seconds.enumerated().map { index, seconds in
        Timing(
          mode: .simulate, threads: 1, repetition: index + 1, requests: 1000, seconds: seconds,
          memoryBytesPerObject: 8)
      })
  }

  private static let run = RunResults(
    workload: "w", workloadDescription: "Something | else.", command: "", started: "",
    plannedCells: 4, threads: 1,
    machine: MachineDescription(
      processor: "P", cores: 2, memoryBytes: 1 << 30, system: "S", larderVersion: "1",
      swiftVersion: "6", build: "release"),
    warmUp: "none",
    records: [
      record("lru", 10, hits: 500, seconds: 1), record("fifo", 10, hits: 450, seconds: 0.5),
      record("lru", 20, hits: 600, seconds: 1), record("fifo", 20, hits: 612, seconds: 0.7),
    ])

  @Test func standings() throws {
    let standings = PolicyStanding.all(in: [Self.run])
    let fifo = try #require(standings["fifo"])
    #expect(fifo.cells == 2 && fifo.bestIn == ["w at 20"])
    #expect(abs(try #require(fifo.gainMean) - -1.9) < 1e-9)
    #expect(abs(try #require(fifo.timeAgainstLRU) - 0.6) < 1e-9)
    #expect(fifo.bytesPerObject == 8)
    #expect(standings["lru"]?.bestIn == ["w at 10"])
  }

  @Test func coldRepetitionIsLeftOut() throws {
    var run = Self.run
    run.records = [
      Self.record("lru", 10, hits: 500, seconds: 7, 1, 2, 1.5),
      Self.record("fifo", 10, hits: 450, seconds: 9, 3, 3, 4),
    ]
    let fifo = try #require(PolicyStanding.all(in: [run])["fifo"])
    #expect(abs(try #require(fifo.timeAgainstLRU) - 2) < 1e-9)
  }

  /// Means over different cells do not compare.
  @Test func policyOfSomeCellsHasNoMean() {
    var run = Self.run
    run.records.removeLast()
    let policies = PolicyRegistry.standard.map(\.description)
      .filter { ["lru", "fifo"].contains($0.name) }
    let page = PolicyPage(policies, [run]).markdown
    #expect(page.contains("| `fifo` | queue | – | 0 of 1 | 0.5 | 8.0 |"))
    #expect(page.contains("| `lru` | recency | 0.00 |"))
  }

  @Test func aPolicyThatWasNotRunHasNoFigures() throws {
    let policies = PolicyRegistry.standard.map(\.description)
      .filter { ["lru", "fifo", "clock"].contains($0.name) }
    let page = PolicyPage(policies, [Self.run]).markdown
    #expect(page.contains("| `fifo` | queue | -1.90 | 1 of 2 | 0.6 | 8.0 |"))
    #expect(page.contains("| `clock` | queue | – | – | – | – |"))
    #expect(page.contains("w: Something \\| else."))
    #expect(page.contains("- `bits=1`: bits of each object's request counter, 1 to 3."))
  }

  /// With `LARDER_WRITE_DOCS` the page is written instead of compared.
  @Test func thePageInTheRepositoryIsUpToDate() throws {
    let folder = Self.repository.appendingPathComponent("Results/examples/policies")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    let runs = try names.map {
      try RunResults.read(folder.appendingPathComponent($0).path)
    }
    #expect(runs.count >= 5)
    let policies = (PolicyRegistry.standard + PolicyRegistry.learned + PolicyRegistry.bounds)
      .map(\.description)
    let file = Self.repository.appendingPathComponent("docs/policies.md")
    let page = PolicyPage(policies, runs).markdown
    if ProcessInfo.processInfo.environment["LARDER_WRITE_DOCS"] != nil {
      try page.write(to: file, atomically: true, encoding: .utf8)
    }
    let isCurrent = try String(contentsOf: file, encoding: .utf8) == page
    #expect(isCurrent, "docs/policies.md is out of date; run 'make workload-docs'")
  }
}
