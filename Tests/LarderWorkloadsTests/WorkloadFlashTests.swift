import Foundation
import LarderEngine
import Testing

@testable import LarderExperiments

/// Layouts in workload files, on the command line and in plans.
@Suite struct WorkloadFlashTests {
  private func decode(_ configurations: String) throws -> Workload {
    let yaml = """
      source: {generator: news-feed, requests: 1k}
      policies: [lru, sieve]
      capacities: [1GiB]
      configurations: \(configurations)
      """
    return try WorkloadDecoder(checks: Stand.checks).decode(Data(yaml.utf8), file: "w.yaml")
  }

  private func planned(_ workload: Workload, bytes: UInt64? = 1 << 40) throws -> [PlannedCell] {
    let facts = TraceFacts(name: "t", requests: 1000, objects: 900, footprintBytes: bytes)
    return try Plan.cells(of: workload, facts: [facts])
  }

  @Test func layoutIsPlannedOnceUnderItsName() throws {
    let workload = try decode(
      """
      [disk, {kind: disk, disk: {layout: log, region: 1MiB, reinsert-hits: 2}},
        {kind: disk, disk: {layout: sets, ttl: 5m}},
        {kind: disk, name: k, disk: {layout: kangaroo, log: 10%, threshold: 3}}]
      """)
    let cells = try planned(workload)
    #expect(
      cells.map { "\($0.cell.configuration) \($0.cell.policy)" } == [
        "disk lru", "disk sieve", "log fifo", "sets fifo", "k fifo",
      ])
    #expect(
      cells.map(\.layout) == [
        nil, nil, .log(region: 1 << 20, reinsertHits: 2), .sets,
        .kangaroo(.init(log: Share(percent: 10), threshold: 3)),
      ])
    #expect(cells.allSatisfy { $0.isSimulated && !$0.isExecuted })
  }

  @Test func defaultsMatchTheDocumentation() throws {
    #expect(try FlashLayout(parsing: "log") == .log(region: 16 << 20, reinsertHits: 0))
    #expect(
      try FlashLayout(parsing: "kangaroo")
        == .kangaroo(
          .init(log: Share(percent: 5), region: 256 << 10, threshold: 2, reinsertHits: 1)))
  }

  @Test func printedLayoutsAreParsedBack() throws {
    for text in [
      "sets", "log:region=16MiB:reinsert=1", "kangaroo:log=2.5%:region=1MB:threshold=3:reinsert=0",
    ] {
      let layout = try FlashLayout(parsing: text)
      #expect(try FlashLayout(parsing: layout.description) == layout)
    }
  }

  @Test(arguments: [
    ("logs", "did you mean 'log'?"), ("sets:region=1MiB", "sets: region: unknown parameter"),
    ("log:threshold=2", "log: threshold: unknown parameter"),
    ("log:colour=2", "colour: unknown parameter"), ("log:region=5", "region: expected a size"),
    ("log:region=1B", "region: expected a size"), ("log:reinsert=-1", "reinsert: expected"),
    ("log:reinsert=99999999999", "reinsert: expected"),
    ("kangaroo:log=100%", "log: expected a share"), ("kangaroo:threshold=0", "threshold: expected"),
    ("log:region", "expected name=value, found 'region'"), ("", "unknown layout"),
  ])
  func commandLineRejectsInvalidLayouts(_ text: String, _ message: String) {
    let error = #expect(throws: ComponentError.self) { try FlashLayout(parsing: text) }
    #expect(error?.description.contains(message) == true)
  }

  @Test(arguments: ["layout: log, region: 1GiB", "layout: kangaroo, region: 1GiB"])
  func capacitiesBelowTwoRegionsAreRejected(_ disk: String) throws {
    let workload = try decode("{kind: disk, disk: {\(disk)}}")
    let error = #expect(throws: PlanError.self) { try planned(workload) }
    #expect(error.map { workload.message(for: $0).hasPrefix("w.yaml:4: ") } == true)
    #expect(error?.description.contains("2 regions") == true)
  }

  @Test func segmentsKeepPoliciesAndAreSimulated() throws {
    func setups(_ execute: String) throws -> [SegmentSetup?] {
      var workload = try decode("[disk, {kind: disk, name: s, disk: {segment: 64MiB}}]")
      let yaml = """
        source: {generator: news-feed, requests: 1k}
        policies: lru
        capacities: 1GiB
        configurations: {kind: disk, disk: {segment: 64MiB}}
        mode: [simulate, execute]
        execute: \(execute)
        """
      let cells = try planned(workload)
      #expect(
        cells.map { "\($0.cell.configuration) \($0.cell.policy)" } == [
          "disk lru", "disk sieve", "s lru", "s sieve",
        ])
      #expect(cells.map { $0.setup.segments == nil } == [true, true, false, false])
      workload = try WorkloadDecoder(checks: Stand.checks).decode(Data(yaml.utf8), file: "w.yaml")
      return try planned(workload).map { cell in
        #expect(cell.isSimulated && cell.isExecuted)
        return cell.setup.segments
      }
    }
    #expect(try setups("{inline: 4KiB}") == [SegmentSetup(bytes: 64 << 20, inlineBytesMax: 4096)])
    let grouped = SegmentSetup(
      bytes: 64 << 20, inlineBytesMax: 20 << 10, groupWrites: 1000, groupBytes: 4 << 20)
    #expect(try setups("{durability: none}") == [grouped])
  }

  @Test(arguments: ["segment: 1MiB", "layout: sets"])
  func layoutsNeedBytes(_ disk: String) throws {
    var workload = try decode("{kind: disk, disk: {\(disk)}}")
    workload.unit = .objects
    workload.capacities = try CapacitySpec.list(parsing: "10000")
    #expect(throws: PlanError.self) { try planned(workload) }
  }

  @Test func aDriveNeedsTheTimeOfRequests() throws {
    let workload = try decode(
      "{kind: hybrid, disk: {drive: {endurance: 600TB, utilisation: 50%}}}")
    #expect(workload.neededColumns(of: [.time, .size]) == [.time, .size])
    let cells = try planned(workload)
    #expect(cells.allSatisfy(\.countsTime) && !cells.isEmpty)
    #expect(
      workload.configurations[0].drive
        == DriveModel(enduranceBytes: 600_000_000_000_000, utilisation: 0.5))
    let without = try decode("{kind: disk, disk: {drive: {utilisation: 50%}}}")
    #expect(without.neededColumns(of: [.time, .size]) == .size)
  }
}
