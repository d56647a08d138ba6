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

  private func problem(_ configurations: String) -> String {
    do {
      let workload = try decode(configurations)
      do {
        _ = try planned(workload)
      } catch let error as PlanError {
        return workload.message(for: error)
      }
      return ""
    } catch {
      return "\(error)"
    }
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

  @Test func commandLineRejectsInvalidLayouts() {
    func problem(_ text: String) -> String {
      do {
        _ = try FlashLayout(parsing: text)
        return ""
      } catch {
        return error.description
      }
    }
    #expect(problem("logs").contains("did you mean 'log'?"))
    #expect(problem("sets:region=1MiB").contains("sets: region: unknown parameter"))
    #expect(problem("log:threshold=2").contains("log: threshold: unknown parameter"))
    #expect(problem("log:colour=2").contains("colour: unknown parameter"))
    #expect(problem("log:region=5").contains("region: expected a size"))
    #expect(problem("log:region=1B").contains("region: expected a size"))
    #expect(problem("log:reinsert=-1").contains("reinsert: expected"))
    #expect(problem("log:reinsert=99999999999").contains("reinsert: expected"))
    #expect(problem("kangaroo:log=100%").contains("log: expected a share"))
    #expect(problem("kangaroo:threshold=0").contains("threshold: expected"))
    #expect(problem("log:region").contains("expected name=value, found 'region'"))
    #expect(problem("").contains("unknown layout"))
  }

  @Test func filesRejectInvalidLayouts() {
    #expect(problem("{kind: disk, disk: {region: 1MiB}}").contains("a disk without 'layout'"))
    #expect(
      problem("{kind: disk, disk: {layout: sets, reinsert-hits: 1}}")
        .contains("'reinsert-hits' does not apply to layout 'sets'"))
    #expect(problem("{kind: disk, disk: {layout: ring}}").contains("kangaroo"))
    #expect(
      problem("{kind: disk, disk: {layout: sets, policy: lru}}").contains("built-in rules"))
    #expect(
      problem("{kind: disk, admission: second-hit, disk: {layout: sets}}")
        .contains("built-in rules"))
    #expect(
      problem("{kind: disk, time: {fetch: 1ms}, disk: {layout: sets}}").contains("without"))
    #expect(problem("{kind: hybrid, disk: {layout: sets}}").contains("of kind disk"))
    #expect(
      problem("{kind: disk, disk: {layout: log, region: 1GiB}}").contains("at least 2 regions"))
    #expect(
      problem("{kind: disk, disk: {layout: kangaroo, region: 1GiB}}").contains("2 regions"))
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

  @Test func invalidSegmentsAreRejected() throws {
    #expect(problem("{kind: disk, disk: {segment: 1KiB}}").contains("64MiB"))
    #expect(problem("{kind: disk, disk: {segment: 2GiB}}").contains("64MiB"))
    #expect(problem("{kind: hybrid, disk: {segment: 1MiB}}").contains("of kind disk"))
    #expect(
      problem("{kind: disk, time: {fetch: 1ms}, disk: {segment: 1MiB}}").contains("without"))
    #expect(
      problem("{kind: disk, disk: {layout: sets, segment: 1MiB}}").contains("built-in rules"))
    #expect(!problem("{kind: memory, memory: {segment: 1MiB}}").isEmpty)
    var workload = try decode("{kind: disk, disk: {segment: 1MiB}}")
    workload.unit = .objects
    workload.capacities = try CapacitySpec.list(parsing: "10000")
    #expect(throws: PlanError.self) { try planned(workload) }
  }

  @Test func layoutsNeedBytes() throws {
    var workload = try decode("{kind: disk, disk: {layout: sets}}")
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
    #expect(problem("{kind: disk, disk: {drive: {endurance: 0B}}}").contains("600TB"))
  }
}
