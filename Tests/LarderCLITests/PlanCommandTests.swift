import Foundation
import TestSupport
import Testing

@Suite(.endsInTime) struct PlanCommandTests {
  private static let workload = """
    name: tiny
    source: {generator: zipf, requests: 20000, objects: 500}
    policies: [fifo, lru]
    capacities: [10, 100, 10%]

    """

  private static func plan(
    _ scratch: ScratchFolder, _ arguments: String...
  ) throws -> LarderProcess {
    let run = try LarderProcess(
      ["plan", "tiny.yaml", "--store", "store"] + arguments, in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    return run
  }

  private static func commands(_ plan: String) throws -> [String] {
    struct Plan: Decodable {
      struct Part: Decodable { var command: String }
      var parts: [Part]
    }
    return try JSONDecoder().decode(Plan.self, from: Data(plan.utf8)).parts.map(\.command)
  }

  @Test func missingPartsAreListed() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.workload, to: "tiny.yaml")
    func missing() throws -> [String] {
      try Self.commands(
        Self.plan(scratch, "--parts", "3", "--missing", "--format", "json").output)
    }
    let lines = try missing()
    #expect(
      lines == (1...3).map { "larder run tiny.yaml --store store --part \($0)/3 --threads 1" })
    let run = try LarderProcess(shell: "\(lines[1]) --quiet", in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    #expect(try missing() == [lines[0], lines[2]])
    let whole = try Self.plan(scratch, "--parts", "3").output
    #expect(whole.contains("6 cells, 4 missing in store"), "\(whole)")
  }

  @Test func jsonIsForPrograms() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.workload, to: "tiny.yaml")
    let text = try Self.plan(scratch, "--parts", "4", "--format", "json").output
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let parts = try #require(json["parts"] as? [[String: Any]])
    #expect(parts.compactMap { $0["part"] as? String } == ["1/4", "2/4", "3/4", "4/4"])
    #expect(parts.compactMap { $0["cells"] as? Int }.reduce(0, +) == 6)
    // Its commands carry the plan out.
    let prepare = try #require(json["prepare"] as? String)
    let merge = try #require(json["merge"] as? String)
    let commands = [prepare] + parts.compactMap { $0["command"] as? String } + [merge]
    let run = try LarderProcess(
      shell: (["set -e"] + commands).joined(separator: "\n"), in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    #expect(run.output.contains("lru"))
  }

  /// Tasks of an array that Slurm would start, the steps before and after them, and the results.
  @Test func slurmScriptRunsTheSweep() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.workload, to: "tiny.yaml")
    try scratch.write(Self.plan(scratch, "--parts", "5", "--format", "slurm").output, to: "job.sh")
    let run = try LarderProcess(
      shell: """
        set -e
        step() { sed -n "s/^# $1. //p" job.sh; }
        eval "$(step 1)"
        test "$(step 2)" = "sbatch THIS-FILE" && grep -q -- --array=1-5 job.sh
        for task in 1 2 3 4 5; do SLURM_ARRAY_TASK_ID=$task bash job.sh; done
        eval "$(step 3) --output merged"
        """, in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    #expect(scratch.files.contains("merged/counts.csv"))
  }

  @Test(arguments: ["slurm", "json"])
  func wordsAreEscaped(_ format: String) throws {
    let scratch = try ScratchFolder()
    let file = "it's $(touch owned) & \"x\".yaml"
    try scratch.write(Self.workload, to: file)
    let plan = try LarderProcess(
      ["plan", file, "--parts", "1", "--store", "a 'b' $c", "--format", format],
      in: scratch.folder)
    #expect(plan.exitCode == 0, "\(plan.notes)")
    let script =
      format == "slurm" ? plan.output : try Self.commands(plan.output).joined(separator: "\n")
    try scratch.write(script, to: "job.sh")
    let run = try LarderProcess(
      shell: format == "slurm" ? "SLURM_ARRAY_TASK_ID=1 bash job.sh" : "sh job.sh",
      in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    #expect(scratch.files.contains("a 'b' $c/cells") && !scratch.files.contains("owned"))
  }
}
