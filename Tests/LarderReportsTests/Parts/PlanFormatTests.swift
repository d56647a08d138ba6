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
    parts: Int, missing: Set<Int>? = nil, name: String = "My sweep: α", file: String = "w.yaml",
    output: String? = nil
  ) throws -> PlannedJob {
    let workload = Workload(
      name: name,
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
    let division = PartDivision(cells, traces: known, repetitions: 1, count: parts)
    let left = missing.map { Set($0.flatMap { division.parts[$0 - 1] }) }
    let plan = PartPlan(
      division, of: workload, traces: known, threads: 2, onlyMissing: missing != nil,
      isMissing: { cell in left?.contains { division.cells[$0] == cell } ?? true })
    return PlannedJob(plan: plan, program: "larder", file: file, store: "st", output: output)
  }

  private static func documents(_ text: String) throws -> [[String: Any]] {
    try Yams.load_all(yaml: text).compactMap { $0 as? [String: Any] }
  }

  private static func at(_ value: Any?, _ path: String...) -> Any? {
    path.reduce(value) { value, key in
      if let list = value as? [Any] { return Int(key).flatMap { list[$0] } }
      return (value as? [String: Any])?[key]
    }
  }

  @Test func kubernetesIsThreeJobs() throws {
    let documents = try Self.documents(KubernetesPlan().text(of: Self.job(parts: 4)))
    #expect(
      documents.compactMap { Self.at($0, "metadata", "name") as? String } == [
        "larder-my-sweep-prepare", "larder-my-sweep-parts", "larder-my-sweep-merge",
      ])
    #expect(documents.allSatisfy { $0["kind"] as? String == "Job" })
    let parts = documents[1]
    #expect(Self.at(parts, "spec", "completionMode") as? String == "Indexed")
    #expect(Self.at(parts, "spec", "completions") as? Int == 4)
    #expect(Self.at(parts, "spec", "backoffLimitPerIndex") as? Int == 6)
    #expect(Self.at(parts, "spec", "suspend") as? Bool == true)
    let pod = Self.at(parts, "spec", "template", "spec")
    #expect(Self.at(pod, "restartPolicy") as? String == "Never")
    #expect(
      Self.at(pod, "containers", "0", "command") as? [String] == [
        "/bin/sh", "-c", "exec larder run w.yaml --store st --part auto/4 --threads 2",
      ])
    #expect(
      Self.at(pod, "volumes", "0", "persistentVolumeClaim", "claimName") as? String == "larder")
  }

  /// With some parts missing, a pod's index is an index into the list of these.
  @Test func kubernetesListsMissingParts() throws {
    let text = try KubernetesPlan().text(of: Self.job(parts: 4, missing: [2, 4]))
    let parts = try Self.documents(text)[1]
    #expect(Self.at(parts, "spec", "completions") as? Int == 2)
    let command = try #require(
      Self.at(parts, "spec", "template", "spec", "containers", "0", "command") as? [String])
    #expect(
      command[2] == "set -- 2 4; shift \"$JOB_COMPLETION_INDEX\"; exec larder run w.yaml "
        + "--store st --part \"$1/4\" --threads 2")
  }

  @Test func kubernetesWithNothingMissingHasNoParts() throws {
    let text = try KubernetesPlan().text(of: Self.job(parts: 4, missing: []))
    #expect(try Self.documents(text).count == 2)
    #expect(!text.contains("-parts") && !text.contains("$1/4"))
  }

  @Test func kubernetesEscapesWords() throws {
    let file = "it's \"x\": {y} #z &a *b \\ %.yaml"
    let text = try KubernetesPlan().text(of: Self.job(parts: 2, file: file))
    let command = try #require(
      Self.at(
        Self.documents(text)[2], "spec", "template", "spec", "containers", "0", "command")
        as? [String])
    #expect(command[2] == "exec larder merge \(ShellWord.path(file)) --store st")
  }

  @Test func slurmArraysStayBelowTheMaximum() throws {
    var job = try Self.job(parts: 2500, output: "out")
    job = PlannedJob(
      plan: job.plan, program: "larder", file: "w.yaml", store: "st", output: "out")
    let text = try SlurmPlan().text(of: job)
    let arrays = text.matches(of: #/--array=(\S+)/#).map { String($0.1) }
    #expect(arrays == ["1-1000", "1-1000", "1-500"])
    #expect(text.matches(of: #/part (\d+)\)/#).map { String($0.1) } == ["0", "1000", "2000"])
    #expect(text.contains("afterok:${parts1%%;*}:${parts2%%;*}:${parts3%%;*}"))
    #expect(text.hasPrefix("#!/bin/bash\n"))
    let some = try SlurmPlan().text(of: Self.job(parts: 8, missing: [1, 2, 3, 5, 8]))
    #expect(some.contains("--array=1-3,5,8 "), "\(some)")
  }

  /// Without missing parts there is no array, and merging waits for the traces only.
  @Test func slurmWithoutPartsIsAMerge() throws {
    let text = try SlurmPlan().text(of: Self.job(parts: 20, missing: []))
    #expect(!text.contains("--array"))
    #expect(text.contains("--dependency=\"afterok:${prepare%%;*}\""))
  }

  /// A shell would change such a name.
  @Test(arguments: PlanRegistry.all.map(\.name).filter { $0 != "table" })
  func unsafeWordsAreRejected(_ format: String) throws {
    for file in ["a\nb.yaml", String(repeating: "x", count: 500), "a\u{202E}b.yaml"] {
      let job = try Self.job(parts: 2, file: file)
      #expect(throws: PlanFormatError.self) {
        try PlanRegistry.format(named: format).text(of: job)
      }
    }
  }

  @Test func limitsLeaveRoom() {
    #expect(PlannedJob.limitMebibytes(4 << 30) == 5121)
    #expect(PlannedJob.limitMebibytes(1) == 257)
    #expect(PlannedJob.limitMinutes(60) == 8)
    #expect(PlannedJob.limitMinutes(.infinity) == 1_000_005)
  }

  @Test func namesAreKnown() throws {
    #expect(PlanRegistry.all.map(\.name) == ["table", "json", "slurm", "kubernetes"])
    for name in ["pbs", "github", "parallel"] {
      #expect(throws: PlanFormatError.self) { try PlanRegistry.format(named: name) }
    }
  }
}
