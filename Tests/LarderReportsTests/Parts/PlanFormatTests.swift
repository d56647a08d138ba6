import Foundation
import LarderEngine
import LarderTraces
import TestSupport
import Testing
import Yams

@testable import LarderExperiments
@testable import LarderReports

/// Scripts and manifests have the form that their programs expect.
@Suite(.endsInTime) struct PlanFormatTests {
  private static func job(
    parts: Int, missing: Set<Int>? = nil, file: String = "w.yaml"
  ) throws -> PlannedJob {
    let workload = Workload(
      name: "My sweep: α",
      source: .generator(
        GeneratorSpec(component: try ComponentSpec(parsing: "zipf:objects=50"), requests: 500)),
      policies: [try PolicySpec(parsing: "lru"), try PolicySpec(parsing: "arc")],
      capacities: try CapacitySpec.list(parsing: "1,2,3,4,5,6,7,8,9,10"))
    let traces = try WorkloadTraces.prepare(workload)
    let known = StoredTraces(
      memories: traces.facts.compactMap { facts in
        traces.table[facts.name, facts.seed].map {
          TraceMemory(stamp: "", facts: facts, notes: [], identity: TraceIdentity($0))
        }
      })
    let cells = try Plan.cells(of: workload, facts: traces.facts)
    let division = PartDivision(cells, traces: known, count: parts)
    let left = missing.map { Set($0.flatMap { division.parts[$0 - 1] }) }
    let plan = PartPlan(
      division, of: workload, onlyMissing: missing != nil,
      isMissing: { cell in left?.contains { division.cells[$0] == cell } ?? true })
    return PlannedJob(plan: plan, program: "larder", file: file, store: "st")
  }

  private static func at(_ value: Any?, _ path: String...) -> Any? {
    path.reduce(value) { value, key in
      if let list = value as? [Any] { return Int(key).flatMap { list[$0] } }
      return (value as? [String: Any])?[key]
    }
  }

  /// `$(NAME)` and `$$` are replaced before a shell reads the command.
  @Test(arguments: ["w.yaml", "a$$b $(HOME).yaml", "it's \"x\": {y} #z &a *b \\ %.yaml"])
  func kubernetesIsAnIndexedJob(_ file: String) throws {
    let text = try Self.job(parts: 4, file: file).text(.kubernetes)
    let job = try Yams.load(yaml: text)
    #expect(Self.at(job, "metadata", "name") as? String == "larder-my-sweep")
    #expect(Self.at(job, "spec", "completionMode") as? String == "Indexed")
    #expect(Self.at(job, "spec", "completions") as? Int == 4)
    let pod = Self.at(job, "spec", "template", "spec")
    #expect(
      Self.at(pod, "containers", "0", "command") as? [String] == [
        "/bin/sh", "-c",
        "exec larder run \(ShellWord.path(file).replacing("$", with: "$$")) --store st "
          + "--part auto/4 --threads 1",
      ])
    #expect(
      Self.at(pod, "volumes", "0", "persistentVolumeClaim", "claimName") as? String == "larder")
  }

  @Test(
    arguments: [
      (nil, "1-8"), ([1, 2, 3, 5, 8], "1-3,5,8"), ([], "1-8"),
    ] as [(Set<Int>?, String)])
  func slurmArrayHasTheMissingParts(_ missing: Set<Int>?, _ tasks: String) throws {
    let text = try Self.job(parts: 8, missing: missing).text(.slurm)
    #expect(text.hasPrefix("#!/bin/bash\n") && text.contains("#SBATCH --array=\(tasks)\n"))
    #expect(
      text.hasSuffix("\nexec larder run w.yaml --store st --part auto/8 --threads 1\n"), "\(text)")
    #expect(text.contains("\n# 3. larder run w.yaml --store st --merge\n"), "\(text)")
  }

  @Test(arguments: PlanFormat.allCases)
  func unsafeWordsAreRejected(_ format: PlanFormat) throws {
    for file in ["a\nb.yaml", String(repeating: "x", count: 500), "a\u{202E}b.yaml"] {
      let job = try Self.job(parts: 2, file: file)
      if format == .table {
        _ = try job.text(format)
      } else {
        #expect(throws: PlanFormatError.self) { try job.text(format) }
      }
    }
  }
}
