import Foundation
import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments

/// Admission filters in workload files and plans.
@Suite struct WorkloadAdmissionTests {
  private func decode(_ configurations: String) throws -> Workload {
    let yaml = """
      source: {generator: zipf, requests: 1k}
      policies: [lru, slru]
      capacities: [10]
      configurations:
      \(configurations)
      """
    return try WorkloadDecoder(checks: Stand.checks).decode(Data(yaml.utf8), file: "w.yaml")
  }

  private func planned(_ workload: Workload) throws -> [PlannedCell] {
    let facts = TraceFacts(name: "zipf", requests: 1000, objects: 900, footprintBytes: nil)
    return try Plan.cells(of: workload, facts: [facts])
  }

  @Test func eachFilterOfAListIsAConfiguration() throws {
    let workload = try decode(
      "  - {kind: memory, name: phone, admission: [always, 'size:max=3', second-hit]}")
    #expect(
      workload.configurations.map(\.name) == [
        "phone", "phone+size:max=3", "phone+second-hit",
      ])
    let cells = try planned(workload)
    #expect(
      cells.map { "\($0.cell.configuration) \($0.cell.admission ?? "-") \($0.cell.policy)" } == [
        "phone - lru", "phone - slru", "phone+size:max=3 size:max=3 lru",
        "phone+size:max=3 size:max=3 slru", "phone+second-hit second-hit lru",
        "phone+second-hit second-hit slru",
      ])
    let filters = cells.map { cell -> String? in
      guard case .memory(let tier) = cell.setup.arrangement else { return nil }
      return tier.admission?.description
    }
    #expect(filters == [nil, nil, "size:max=3", "size:max=3", "second-hit", "second-hit"])
  }

  @Test func tiersHaveSeparateFilters() throws {
    let workload = try decode(
      """
        - {kind: hybrid, memory: {admission: tinylfu}, disk: {admission: second-hit}}
        - {kind: hybrid, name: behind, admission: second-hit}
        - {kind: disk, disk: {admission: always}}
      """)
    #expect(
      workload.configurations.map(\.name) == [
        "hybrid+tinylfu+second-hit", "behind+second-hit", "disk",
      ])
    #expect(
      workload.configurations.map(\.admission) == [
        "tinylfu+second-hit", "always+second-hit", nil,
      ])
  }

  /// A configuration named without a filter is selected with all of its filters.
  @Test func executionMayBeLimitedToAFilter() throws {
    var workload = try decode(
      """
        - {kind: memory, admission: [always, second-hit]}
        - disk
      mode: [simulate, execute]
      execute: {configurations: [memory]}
      """)
    func executed() throws -> [String] {
      try planned(workload).filter(\.isExecuted).map(\.cell.configuration)
    }
    #expect(try executed() == ["memory", "memory", "memory+second-hit", "memory+second-hit"])
    workload.execution?.filter.configurations = ["memory+second-hit"]
    #expect(try executed() == ["memory+second-hit", "memory+second-hit"])
  }

  @Test func randomFilterRunsForEverySeed() throws {
    var workload = try decode("  - {kind: memory, admission: [always, probabilistic]}")
    workload.source = .trace(TraceReference(path: "a"))
    workload.seeds = [1, 2, 3]
    let seeds = try planned(workload).filter { $0.cell.policy == "lru" }
      .map { "\($0.cell.configuration) \($0.cell.seed)" }
    #expect(
      seeds == [
        "memory 1", "memory+probabilistic 1", "memory+probabilistic 2", "memory+probabilistic 3",
      ])
  }

  @Test func policyWithoutVictimIsRejected() throws {
    var workload = try decode("  - {kind: memory, admission: tinylfu}")
    workload.policies = [try PolicySpec(parsing: "sieve")]
    let error = #expect(throws: PlanError.self) { try planned(workload) }
    #expect(error?.description.hasPrefix("configuration 'memory+tinylfu': ") == true)
  }

  @Test(arguments: [
    ("{kind: memory, admission: second-hot}", "unknown admission filter 'second-hot'"),
    ("{kind: memory, admission: 'size:max=x'}", "max='x' is not a number from 0"),
    ("{kind: memory, cache: nscache, admission: tinylfu}", "'admission' does not apply here"),
    (
      "{kind: memory, admission: size, memory: {admission: size}}", "a tier also has an 'admission'"
    ),
    ("{kind: memory, admission: [size, size]}", "is named 'memory+size'"),
    ("{kind: memory, admission: []}", "expected"),
  ])
  func mistakesAreReported(configuration: String, expected: String) {
    do {
      _ = try decode("  - \(configuration)")
      Issue.record("accepted \(configuration)")
    } catch {
      #expect("\(error)".contains(expected), "\(error)")
    }
  }
}
