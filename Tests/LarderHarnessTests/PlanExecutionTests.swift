import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments
@testable import LarderHarness

@Suite struct PlanExecutionTests {
  private static let facts = TraceFacts(
    name: "a", requests: 100, objects: 1000, footprintBytes: nil)

  private func workload(
    _ modes: [Timing.Mode], _ policies: String..., capacities: [String] = ["10"],
    configurations: [ConfigurationSpec] = [ConfigurationSpec(name: "memory", kind: .memory)],
    executed: ExecutionFilter = ExecutionFilter()
  ) throws -> Workload {
    var execution = ExecutionSpec()
    execution.filter = executed
    return Workload(
      name: "w", source: .trace(TraceReference(path: "a")), configurations: configurations,
      policies: try policies.map { try PolicySpec(parsing: $0) },
      capacities: try capacities.map { try CapacitySpec(parsing: $0) }, modes: modes,
      execution: modes.contains(.execute) ? execution : nil)
  }

  /// `lru se`: simulated and executed.
  private func cells(_ workload: Workload) throws -> [String] {
    try Plan.cells(of: workload, facts: [Self.facts]).map { planned in
      "\(planned.cell.configuration) \(planned.cell.policy) \(planned.cell.capacity) "
        + (planned.isSimulated ? "s" : "") + (planned.isExecuted ? "e" : "")
    }
  }

  private static let theirs = ConfigurationSpec(
    name: "theirs", kind: .memory, contender: "their:cache", runsPolicies: false)

  @Test func modesDecide() throws {
    #expect(try cells(workload([.simulate], "lru")) == ["memory lru 10 s"])
    #expect(try cells(workload([.execute], "lru")) == ["memory lru 10 e"])
    #expect(try cells(workload([.simulate, .execute], "lru")) == ["memory lru 10 se"])
  }

  @Test func policiesWithFutureAreSimulatedOnly() throws {
    let both = try workload([.simulate, .execute], "belady", "lru")
    #expect(try cells(both) == ["memory belady 10 s", "memory lru 10 se"])
    let executed = try workload(
      [.execute], "belady", "lru",
      configurations: [ConfigurationSpec(name: "h", kind: .hybrid)])
    #expect(try cells(executed) == ["h belady+belady 10 s", "h lru+lru 10 e"])
    let planned = try Plan.cells(of: executed, facts: [Self.facts])
    #expect(
      Plan.notes(of: planned, in: executed)
        == ["Simulated only, because real caches do not know the future: belady+belady."])
    #expect(Plan.notes(of: planned, in: try workload([.simulate], "belady")) == [])
  }

  @Test func timesThatAreOnlySimulatedAreReported() throws {
    var timed = ConfigurationSpec(name: "timed", kind: .memory)
    timed.time = FetchSpec(fetch: .constant(1e6))
    let both = try workload([.simulate, .execute], "lru", configurations: [timed])
    #expect(try cells(both) == ["timed lru 10 s"])
    let notes = Plan.notes(of: try Plan.cells(of: both, facts: [Self.facts]), in: both)
    #expect(notes.count == 1 && notes[0].contains("Simulated only: timed. "), "\(notes)")
  }

  @Test func unusedKeyIsReported() throws {
    var workload = try workload([.simulate], "lru")
    workload.execution = ExecutionSpec()
    let planned = try Plan.cells(of: workload, facts: [Self.facts])
    #expect(
      Plan.notes(of: planned, in: workload)
        == ["The key 'execute' has no effect: 'mode' does not include execute."])
  }

  @Test func aCacheWithItsOwnPolicyIsPlannedOnceForEachCapacity() throws {
    let workload = try workload(
      [.simulate, .execute], "lru", "fifo", capacities: ["10", "20"],
      configurations: [ConfigurationSpec(name: "memory", kind: .memory), Self.theirs])
    #expect(
      try cells(workload) == [
        "memory lru 10 se", "memory lru 20 se", "memory fifo 10 se", "memory fifo 20 se",
        "theirs their:cache 10 e", "theirs their:cache 20 e",
      ])
    let planned = try Plan.cells(of: workload, facts: [Self.facts])
    #expect(planned.last?.contender == "their:cache")
    #expect(planned.first?.contender == ConfigurationSpec.defaultCache)
  }

  @Test func filterAppliesToSweptValues() throws {
    let lru = try PolicySpec(parsing: "lru")
    let configurations = [
      ConfigurationSpec(name: "memory", kind: .memory),
      ConfigurationSpec(name: "h", kind: .hybrid, memory: TierSpec(policy: lru)),
      ConfigurationSpec(
        name: "fixed", kind: .disk,
        disk: TierSpec(policy: lru, capacity: try CapacitySpec(parsing: "50"))),
    ]
    let filter = ExecutionFilter(
      policies: [try PolicySpec(parsing: "fifo")], capacities: [try CapacitySpec(parsing: "20")])
    let both = try workload(
      [.simulate, .execute], "lru", "fifo", capacities: ["10", "20"],
      configurations: configurations, executed: filter)
    #expect(
      try cells(both).filter { $0.hasSuffix("e") }
        == ["memory fifo 20 se", "h lru+fifo 20 se", "fixed lru 50 se"])
    var executed = both
    executed.modes = [.execute]
    executed.execution?.filter.configurations = ["memory"]
    #expect(try cells(executed) == ["memory fifo 20 e"])
  }

  @Test func emptyPlanIsAnError() throws {
    let workload = try workload(
      [.execute], "lru", executed: ExecutionFilter(configurations: ["other"]))
    #expect(throws: PlanError.self) { try cells(workload) }
  }

  @Test func errorsNameTheLine() throws {
    var workload = try workload(
      [.simulate], "lru", capacities: ["10", "0.01%"],
      configurations: [ConfigurationSpec(name: "h", kind: .hybrid)])
    workload.lines.file = "w.yaml"
    workload.lines.configurations = ["h": 5]
    workload.lines.capacities = ["10": 7, "0.01%": 8]
    workload.lines.unit = 9
    func message(_ workload: Workload) -> String? {
      do {
        _ = try Plan.cells(of: workload, facts: [Self.facts])
        return nil
      } catch {
        return workload.message(for: error)
      }
    }
    #expect(
      message(workload) == """
        w.yaml:8: configuration 'h' on 'a': capacity '0.01%': this share of 1000 objects is less \
        than 1
        """)
    workload.capacities = [try CapacitySpec(parsing: "5")]
    #expect(message(workload)?.hasPrefix("w.yaml:5: configuration 'h': 10% of 5 objects") == true)
    workload.unit = .bytes
    #expect(message(workload)?.hasPrefix("w.yaml:9: 'a' has no sizes") == true)
    workload.unit = nil
    workload.configurations[0].memory.capacity = try CapacitySpec(parsing: "0.001%")
    #expect(message(workload)?.hasPrefix("w.yaml:5: configuration 'h' on 'a'") == true)
  }
}
