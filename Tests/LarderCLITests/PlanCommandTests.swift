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

  /// The commands of the parts in a plan as JSON.
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
    let prepare = try #require((json["prepare"] as? [String: Any])?["command"] as? String)
    let merge = try #require(json["merge"] as? String)
    let commands = [prepare] + parts.compactMap { $0["command"] as? String } + [merge]
    let run = try LarderProcess(
      shell: (["set -e"] + commands).joined(separator: "\n"), in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    #expect(run.output.contains("lru"))
  }

  /// The script submits itself: with an sbatch that runs each job at once, it is the whole sweep.
  @Test func theSlurmScriptRunsTheSweep() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.workload, to: "tiny.yaml")
    let script = try Self.plan(
      scratch, "--parts", "5", "--format", "slurm:array-max=3"
    ).output
    try scratch.write(script, to: "job.sh")
    // Tasks of an array are numbered from 1 to 2, so there are three arrays.
    try scratch.write(
      """
      #!/bin/bash
      echo "$@" >> calls
      for word in "$@"; do case $word in
        --array=*) tasks=${word#--array=} ;;
      esac; done
      while [[ $1 == --* ]]; do shift; done
      if [ -n "${tasks:-}" ]; then
        for range in ${tasks//,/ }; do for task in $(seq ${range%-*} ${range#*-}); do
          SLURM_ARRAY_TASK_ID=$task bash "$@" >&2
        done; done
      else bash "$@" >&2; fi
      echo "$((RANDOM));cluster"

      """, to: "sbatch")
    let run = try LarderProcess(
      shell: "chmod +x sbatch; PATH=$PWD:$PATH bash job.sh", in: scratch.folder)
    #expect(run.exitCode == 0 && run.output.contains("writes the results"), "\(run.notes)")
    let calls = try String(contentsOf: scratch.url("calls"), encoding: .utf8)
      .split(separator: "\n")
    #expect(calls.count == 5)
    #expect(calls.compactMap { $0.firstMatch(of: #/--array=(\S+)/#)?.1 } == ["1-2", "1-2", "1"])
    #expect(calls.allSatisfy { $0.contains("--requeue") && $0.contains("--mem=") })
    #expect(calls[4].contains(#/--dependency=afterok:\d+:\d+:\d+ /#), "\(calls[4])")
    #expect(scratch.files.contains { $0.hasSuffix("/counts.csv") })
  }

  /// Names with anything in them are one word of the script, and of the commands for programs.
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
      shell: format == "slurm" ? "SLURM_ARRAY_TASK_ID=1 bash job.sh part 0" : "sh job.sh",
      in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    #expect(scratch.files.contains("a 'b' $c/cells") && !scratch.files.contains("owned"))
  }
}
