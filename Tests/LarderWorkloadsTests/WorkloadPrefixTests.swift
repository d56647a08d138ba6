import Foundation
import LarderEngine
import Testing

@testable import LarderExperiments

/// Prefixes in workload files and plans.
@Suite struct WorkloadPrefixTests {
  private func decode(_ lines: String) throws -> Workload {
    let yaml = """
      source: {generator: llm-prefix, requests: 1k}
      policies: [lru]
      capacities: [10]
      \(lines)
      """
    return try WorkloadDecoder(checks: Stand.checks).decode(Data(yaml.utf8), file: "w.yaml")
  }

  private func planned(_ workload: Workload) throws -> [PlannedCell] {
    let facts = TraceFacts(name: "llm-prefix", requests: 1000, objects: 900, footprintBytes: nil)
    return try Plan.cells(of: workload, facts: [facts])
  }

  @Test func workloadPrefixIsTheDefault() throws {
    let workload = try decode(
      """
      configurations:
        - memory
        - {kind: memory, name: own, prefix: {order: front}}
        - {kind: memory, name: timed, time: {fetch: 5 requests}}
      prefix: {order: tail, prefill: 8k tokens/s}
      """)
    #expect(
      workload.configurations.map(\.prefix) == [
        PrefixSpec(order: .tail, prefillTokensPerSecond: 8000), PrefixSpec(order: .front), nil,
      ])
    #expect(try planned(workload).map(\.prefix) == [.tail, .front, nil])
    #expect(workload.neededColumns(of: [.prompt, .time]) == .prompt)
  }

  @Test func ordersAreSeparateCells() throws {
    let cells = try planned(
      decode(
        """
        mode: [simulate, execute]
        configurations: [{kind: memory, name: a, prefix: {}}, {kind: hybrid, name: b,
          prefix: {order: tail}}]
        """))
    #expect(cells.map(\.prefix) == [.front, .tail])
    #expect(cells.allSatisfy { $0.isSimulated && !$0.isExecuted })
  }

  @Test func withoutPrefixesPromptsAreNotRead() throws {
    #expect(try decode("").neededColumns(of: [.prompt]) == [])
  }
}
