import Foundation
import LarderEngine
import LarderTraces
import Testing

@testable import LarderWorkloads

/// Which cells with time are executed.
@Suite struct WorkloadTimeTests {
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

  @Test func anOpenLoopThatWaitsIsExecuted() throws {
    #expect(try executed(open, "[{kind: memory, time: {fetch: 1ms}}]") == [true])
    #expect(try executed(open, "[{kind: memory, time: {fetch: 1ms, servers: 2}}]") == [true])
  }

  @Test(arguments: [
    "{kind: memory, time: {fetch: 1ms, coalescing: false}}",
    "{kind: memory, time: {fetch: 10 requests}}", "{kind: disk, time: {fetch: 1ms}}",
  ])
  func whatNoCacheDoesIsNot(configuration: String) throws {
    #expect(try executed(open, "[\(configuration)]") == [false])
  }

  @Test(arguments: ["{origin: wait}", "{load: {trace: 1x}}", "{load: {rate: 5}, origin: wait}"])
  func otherLoadsAreNot(execute: String) throws {
    let both = "[memory, {kind: memory, name: timed, time: {fetch: 1ms}}]"
    #expect(try executed(execute, both) == [true, false])
  }
}
