import Foundation
import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments

/// Configurations with time, and their execution.
@Suite struct WorkloadTimeTests {
  private func decode(_ configuration: String) throws -> Workload {
    let yaml = """
      source: {generator: zipf, requests: 1k, rate: 100}
      policies: [lru]
      capacities: [10]
      seeds: [1, 2]
      configurations: \(configuration)
      """
    return try WorkloadDecoder(checks: Stand.checks).decode(Data(yaml.utf8), file: "w.yaml")
  }

  private func setups(_ configuration: String) throws -> [SimulationSetup] {
    let facts = TraceFacts(name: "zipf", requests: 1000, objects: 900, footprintBytes: nil)
    return try Plan.cells(of: try decode(configuration), facts: [facts]).map(\.setup)
  }

  @Test(arguments: ["disk", "hybrid"])
  func readsFromDiskTakeTime(kind: String) throws {
    let memory = kind == "hybrid" ? "memory: {share: 10%}, " : ""
    let constant = try setups("{kind: \(kind), \(memory)time: {fetch: 9ms, disk: 80us}}")
    #expect(constant.map { $0.time?.diskLatencies } == [[80]])
    let none = try setups("{kind: \(kind), \(memory)time: {fetch: 9ms}}")
    #expect(none.map { $0.time?.latencies } == [[9000]] && none[0].time?.diskLatencies == nil)
    // Draws depend on the seed.
    let drawn = try setups(
      "{kind: \(kind), \(memory)time: {fetch: 9ms, disk: [80us, 100us, 300us]}}")
    #expect(drawn.compactMap { $0.time?.diskLatencies?.max() } == [300, 300])
    let counted = try setups(
      "{kind: \(kind), \(memory)time: {fetch: 100 requests, disk: 3 requests}}")
    #expect(counted.map { $0.time?.diskLatencies } == [[3]])
  }

  private func executed(_ execute: String, _ configurations: String) throws -> [Bool] {
    let yaml = """
      source: {generator: zipf, requests: 1k, rate: 100}
      policies: [lru]
      capacities: [10]
      mode: [simulate, execute]
      execute: \(execute)
      configurations: \(configurations)
      """
    let workload = try WorkloadDecoder(checks: Stand.checks)
      .decode(Data(yaml.utf8), file: "w.yaml")
    let facts = TraceFacts(name: "zipf", requests: 1000, objects: 900, footprintBytes: nil)
    return try Plan.cells(of: workload, facts: [facts]).map(\.isExecuted)
  }

  private let open = "{load: {trace: 1x}, origin: wait}"

  @Test(arguments: [
    "{kind: memory, time: {fetch: 1ms}}", "{kind: memory, time: {fetch: 1ms, servers: 2}}",
    "{kind: disk, time: {fetch: 1ms}}",
    "{kind: hybrid, memory: {share: 10%}, time: {fetch: 1ms, disk: 1us}}",
  ])
  func waitingOpenLoopIsExecuted(configuration: String) throws {
    #expect(try executed(open, "[\(configuration)]") == [true])
  }

  @Test(arguments: [
    "{kind: memory, time: {fetch: 1ms, coalescing: false}}",
    "{kind: memory, time: {fetch: 10 requests}}",
    "{kind: hybrid, memory: {share: 10%}, time: {fetch: 10 requests}}",
    "{kind: disk, time: {fetch: 1ms, coalescing: false}}",
  ])
  func unsupportedTimesAreNotExecuted(configuration: String) throws {
    #expect(try executed(open, "[\(configuration)]") == [false])
  }

  @Test(arguments: ["{origin: wait}", "{load: {trace: 1x}}", "{load: {rate: 5}, origin: wait}"])
  func otherLoadsAreNotExecuted(execute: String) throws {
    let both = "[memory, {kind: memory, name: timed, time: {fetch: 1ms}}]"
    #expect(try executed(execute, both) == [true, false])
  }
}
