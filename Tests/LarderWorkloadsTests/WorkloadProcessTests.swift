import Foundation
import LarderEngine
import Testing

@testable import LarderExperiments

/// Caches in separate processes, in workload files and plans.
@Suite struct WorkloadProcessTests {
  private func decode(_ configurations: String) throws -> Workload {
    let yaml = """
      source: {generator: zipf, requests: 1k}
      policies: [lru, sieve]
      capacities: [100]
      mode: execute
      configurations: \(configurations)
      """
    var checks = Stand.checks
    checks.cache = { name, _ in name == ConfigurationSpec.defaultCache }
    return try WorkloadDecoder(checks: checks).decode(Data(yaml.utf8), file: "in/w.yaml")
  }

  @Test func processIsPlannedOnceUnderProgramName() throws {
    let workload = try decode(
      """
      [memory, {kind: memory, cache: {process: [bin/my cache, --size, "{capacity}", 5]}},
        {kind: disk, name: mine, cache: {process: [./c], timeout: 5m}}]
      """)
    let facts = TraceFacts(name: "t", requests: 1000, objects: 900, footprintBytes: nil)
    let cells = try Plan.cells(of: workload, facts: [facts])
    #expect(
      cells.map { "\($0.cell.configuration) \($0.cell.policy) \($0.contender)" } == [
        "memory lru larder", "memory sieve larder", "my-cache my-cache process",
        "mine mine process",
      ])
    #expect(
      cells[2].process
        == ProcessSpec(command: ["bin/my cache", "--size", "{capacity}", "5"], folder: "in"))
    #expect(cells[3].process?.timeoutSeconds == 300)
    #expect(cells.allSatisfy { $0.process == nil || !$0.isSimulated })
  }

  @Test func placeholdersAreReplaced() {
    let spec = ProcessSpec(command: ["a", "--size={capacity},{unit}", "{x y}", "-m{capacity:MiB}"])
    let words = spec.filled { "<\($0)>" }
    #expect(words == ["a", "--size=<capacity>,<unit>", "{x y}", "-m<mebibytes>"])
    #expect(spec.uses(.unit) && spec.uses(.mebibytes) && !spec.uses(.socket))
  }

  @Test(arguments: [
    ("/opt/My Cache.py", "My-Cache.py"), ("..", "process"), ("", "process"), (".hidden", "hidden"),
  ])
  func namesAreValidInPaths(program: String, name: String) {
    #expect(ProcessSpec(command: [program]).name == name)
  }
}
