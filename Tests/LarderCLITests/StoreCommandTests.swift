import Foundation
import TestSupport
import Testing

@testable import LarderExperiments

/// Runs with a store, in parts, and merging.
@Suite(.endsInTime) struct StoreCommandTests {
  /// A folder with the workload and, under `whole`, the results of a run on one machine.
  private static func stand() throws -> ScratchFolder {
    let scratch = try ScratchFolder()
    try scratch.write(CommandTests.workload, to: "tiny.yaml")
    let run = try LarderProcess(
      ["run", "tiny.yaml", "--quiet", "--output", "whole"], in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    return scratch
  }

  private static func text(_ scratch: ScratchFolder, _ name: String) throws -> String {
    try String(contentsOf: scratch.url(name), encoding: .utf8)
  }

  /// The report without measurements, date and machine.
  private static func said(_ scratch: ScratchFolder, _ folder: String) throws -> String {
    let report = try text(scratch, "\(folder)/report.md")
    let end = try #require(report.range(of: "<summary><strong>Speed and memory"))
    #expect(report.contains("## Recommendation"))
    return String(report[..<end.lowerBound])
  }

  @Test func aSecondRunComputesNothing() throws {
    let scratch = try Self.stand()
    for (output, computed) in [("a", 72), ("b", 0)] {
      let run = try LarderProcess(
        ["run", "tiny.yaml", "--store", "store", "--output", output], in: scratch.folder)
      #expect(run.exitCode == 0, "\(run.notes)")
      #expect(run.notes.contains("\(72 - computed) from the store, \(computed) computed"))
      let counts = try Self.text(scratch, "\(output)/counts.csv")
      #expect(try counts == Self.text(scratch, "whole/counts.csv"))
    }
    // Reused cells have no timings.
    #expect(try Self.text(scratch, "a/timings.csv").split(separator: "\n").count == 73)
    #expect(try Self.text(scratch, "b/timings.csv").split(separator: "\n").count == 1)
    let report = try Self.text(scratch, "b/report.md")
    #expect(report.contains("72 of 72 cells were read from a store"))
    // The environment variable names a store, too.
    let named = try LarderProcess(
      ["run", "tiny.yaml", "--output", "c"], in: scratch.folder,
      environment: ["LARDER_STORE": "store"])
    #expect(named.notes.contains("72 from the store, 0 computed"))
    let without = try LarderProcess(
      ["run", "tiny.yaml", "--output", "d"], in: scratch.folder,
      environment: ["LARDER_STORE": ""])
    #expect(!without.notes.contains("from the store"))
  }

  @Test(arguments: TestEffort.share > 1 ? [3, 80] : [1, 3, 7, 100])
  func partsMergeIntoOneRun(_ count: Int) throws {
    let scratch = try Self.stand()
    for number in (1...count).reversed() {
      let run = try LarderProcess(
        ["run", "tiny.yaml", "--store", "store", "--part", "\(number)/\(count)", "--quiet"],
        in: scratch.folder)
      #expect(run.exitCode == 0 && run.output.isEmpty, "\(run.notes)")
    }
    let merge = try LarderProcess(
      ["run", "tiny.yaml", "--merge", "--store", "store", "--output", "merged"], in: scratch.folder)
    #expect(merge.exitCode == 0, "\(merge.notes)")
    #expect(try Self.text(scratch, "merged/counts.csv") == Self.text(scratch, "whole/counts.csv"))
    #expect(try Self.said(scratch, "merged") == Self.said(scratch, "whole"))
    #expect(try Self.text(scratch, "merged/timings.csv").split(separator: "\n").count == 73)
  }

  /// All parts run concurrently, each twice.
  @Test func partsAtTheSameTimeMergeIntoOneRun() async throws {
    let scratch = try Self.stand()
    let folder = scratch.folder
    let runs = (0..<6).map { index in
      Task.detached {
        try LarderProcess(
          ["run", "tiny.yaml", "--store", "store", "--part", "\(index % 3 + 1)/3", "--quiet"],
          in: folder
        ).exitCode
      }
    }
    for run in runs { #expect(try await run.value == 0) }
    let merge = try LarderProcess(
      ["run", "tiny.yaml", "--merge", "--store", "store", "--output", "merged", "--quiet"],
      in: folder)
    #expect(merge.exitCode == 0, "\(merge.notes)")
    #expect(try Self.text(scratch, "merged/counts.csv") == Self.text(scratch, "whole/counts.csv"))
    let verify = try LarderProcess(
      ["store", "--verify", "--store", "store"], in: scratch.folder)
    #expect(verify.exitCode == 0 && verify.output.contains("all intact"), "\(verify.output)")
  }

  @Test func mergingRejectsGaps() throws {
    let scratch = try Self.stand()
    _ = try LarderProcess(
      ["run", "tiny.yaml", "--store", "a store", "--part", "1/2", "--quiet"], in: scratch.folder)
    let merge = try LarderProcess(
      ["run", "tiny.yaml", "--merge", "--store", "a store", "--output", "merged"],
      in: scratch.folder)
    #expect(merge.exitCode == 1)
    #expect(!scratch.files.contains("merged"))
    #expect(merge.notes.contains("zipf, memory: fifo, 10 objects, seed 2"), "\(merge.notes)")
    let command = "larder run tiny.yaml --store 'a store' --part 1/1"
    #expect(merge.notes.contains(command), "\(merge.notes)")
    let rest = try LarderProcess(shell: command, in: scratch.folder)
    #expect(rest.exitCode == 0, "\(rest.notes)")
    let again = try LarderProcess(
      ["run", "tiny.yaml", "--merge", "--store", "a store", "--output", "merged", "--quiet"],
      in: scratch.folder)
    #expect(again.exitCode == 0, "\(again.notes)")
  }

  @Test func mergingRejectsDifferentRecords() throws {
    let scratch = try Self.stand()
    let run = try LarderProcess(
      ["run", "tiny.yaml", "--store", "store", "--part", "1/1", "--quiet"], in: scratch.folder)
    #expect(run.exitCode == 0)
    let name = try #require(scratch.files.first { $0.hasPrefix("store/cells/") && $0.count > 60 })
    // A valid record with other contents, as a faulty machine would write it.
    let json = try Self.text(scratch, name).split(separator: "\n")[1]
    let forged = SealedFile.bytes(
      kind: "cell", json: Data(json.replacing("\"sets\":0", with: "\"sets\":7").utf8))
    _ = try scratch.write(forged, to: name.dropLast(16) + "0123456789abcdef")
    let merge = try LarderProcess(
      ["run", "tiny.yaml", "--merge", "--store", "store", "--output", "merged"], in: scratch.folder)
    #expect(merge.exitCode == 1)
    #expect(merge.notes.contains("differ") && merge.notes.contains(name), "\(merge.notes)")
    let verify = try LarderProcess(["store", "--verify", "--store", "store"], in: scratch.folder)
    #expect(verify.exitCode == 1 && verify.output.contains("differ: "))
  }

  @Test func mergingRejectsOtherRules() throws {
    let scratch = try Self.stand()
    _ = try LarderProcess(
      ["run", "tiny.yaml", "--store", "store", "--part", "1/1", "--quiet"], in: scratch.folder)
    for file in scratch.files where file.hasPrefix("store/cells/") && file.count > 60 {
      let parts = file.split(separator: ".")
      let renamed = "\(parts[0]).1-0123.\(parts[2])"
      try FileManager.default.moveItem(at: scratch.url(file), to: scratch.url(renamed))
    }
    let merge = try LarderProcess(
      ["run", "tiny.yaml", "--merge", "--store", "store"], in: scratch.folder)
    #expect(merge.exitCode == 1)
    #expect(merge.notes.contains("72 of 72 cells are missing (72 of them"), "\(merge.notes)")
    #expect(merge.notes.contains("other counting rules, 1-0123"))
  }

  /// A node that dies in the middle of a part, which is then queued again.
  @Test func killedPartIsResumed() throws {
    let scratch = try ScratchFolder()
    try scratch.write(
      CommandTests.workload.replacing("requests: 20000", with: "requests: 40000"), to: "tiny.yaml")
    let process = Process()
    process.executableURL = try LarderProcess.executable()
    process.arguments = [
      "run", "tiny.yaml", "--store", "store", "--part", "1/1", "--threads", "1", "--quiet",
    ]
    process.currentDirectoryURL = scratch.folder
    try process.run()
    func cells() -> Int {
      scratch.files.count { $0.hasPrefix("store/cells/") && $0.count > 60 && !$0.contains("/.") }
    }
    while cells() < 3, process.isRunning { usleep(1000) }
    kill(process.processIdentifier, SIGKILL)
    try Deadline.wait(for: process)
    let done = cells()
    #expect(done >= 3 && done < 72, "killed in the middle: \(done)")
    let again = try LarderProcess(
      ["run", "tiny.yaml", "--store", "store", "--part", "1/1"], in: scratch.folder)
    #expect(again.exitCode == 0, "\(again.notes)")
    // A record may have been renamed while the process was killed.
    let stored = try #require(
      again.notes.firstMatch(of: #/(\d+) from the store, (\d+) computed/#))
    #expect((done...done + 1).contains(Int(stored.1) ?? 0), "\(again.notes)")
    let merge = try LarderProcess(
      ["run", "tiny.yaml", "--merge", "--store", "store", "--output", "merged", "--quiet"],
      in: scratch.folder)
    #expect(merge.exitCode == 0, "\(merge.notes)")
    let whole = try LarderProcess(
      ["run", "tiny.yaml", "--output", "whole", "--quiet"], in: scratch.folder)
    #expect(whole.exitCode == 0)
    #expect(try Self.text(scratch, "merged/counts.csv") == Self.text(scratch, "whole/counts.csv"))
  }

  @Test func schedulerVariablesSelectThePart() throws {
    let scratch = try ScratchFolder()
    try scratch.write(CommandTests.workload, to: "tiny.yaml")
    func run(_ part: String, _ environment: [String: String]) throws -> LarderProcess {
      try LarderProcess(
        ["run", "tiny.yaml", "--store", "store", "--part", part], in: scratch.folder,
        environment: environment)
    }
    let slurm = try run(
      "auto",
      ["SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_MAX": "10"])
    #expect(slurm.notes.contains("part 5/10, from SLURM_ARRAY_TASK_ID"), "\(slurm.notes)")
    let pod = try run("auto/10", ["JOB_COMPLETION_INDEX": "0"])
    #expect(pod.notes.contains("part 1/10, from JOB_COMPLETION_INDEX"), "\(pod.notes)")
    let none = try run("auto", [:])
    #expect(none.exitCode == 2 && none.noteLines.count == 1, "\(none.notes)")
  }

  @Test func preparedTracesAreRead() throws {
    let scratch = try Self.stand()
    let prepare = try LarderProcess(
      ["run", "tiny.yaml", "--store", "store", "--part", "prepare"], in: scratch.folder)
    #expect(prepare.exitCode == 0, "\(prepare.notes)")
    #expect(scratch.files.count { $0.hasSuffix(".larder") } == 2)
    for part in 1...2 {
      let run = try LarderProcess(
        ["run", "tiny.yaml", "--store", "store", "--part", "\(part)/2"], in: scratch.folder)
      #expect(run.exitCode == 0 && run.notes.contains("known from the store"), "\(run.notes)")
    }
    _ = try LarderProcess(
      ["run", "tiny.yaml", "--merge", "--store", "store", "--output", "merged", "--quiet"],
      in: scratch.folder)
    #expect(try Self.text(scratch, "merged/counts.csv") == Self.text(scratch, "whole/counts.csv"))
    let info = try LarderProcess(["store", "--store", "store"], in: scratch.folder)
    #expect(info.exitCode == 0 && info.output.contains("traces prepared"))
    let prune = try LarderProcess(
      ["store", "--prune", "traces", "--store", "store"], in: scratch.folder)
    #expect(prune.exitCode == 0 && prune.output.contains("4 files removed"), "\(prune.output)")
  }

  @Test(arguments: [
    ["run", "tiny.yaml", "--store", "tiny.yaml"],
    ["run", "tiny.yaml", "--store", "store", "--part", "4/3"],
    ["run", "tiny.yaml", "--store", "store", "--part", "1/3", "--output", "out"],
    ["run", "tiny.yaml", "--store", "store", "--part", "1/3", "--merge"],
    ["run", "executed.yaml", "--store", "store", "--part", "1/3"],
    ["run", "executed.yaml", "--merge", "--store", "store"],
    ["run", "tiny.yaml", "--merge", "--store", "absent"],
    ["store", "--store", "absent"],
    ["store", "--prune", "all", "--store", "absent"],
    ["plan", "tiny.yaml", "--parts", "0"],
    ["plan", "tiny.yaml", "--parts", "3", "--store", "store", "--format", "pbs"],
    ["plan"],
  ])
  func badRequestsAreOneLine(_ arguments: [String]) throws {
    let scratch = try ScratchFolder()
    try scratch.write(CommandTests.workload, to: "tiny.yaml")
    try scratch.write(
      "mode: [simulate, execute]\n" + CommandTests.workload.replacing(", belady", with: ""),
      to: "executed.yaml")
    let run = try LarderProcess(arguments, in: scratch.folder)
    #expect(run.exitCode == 2 && run.output.isEmpty, "\(run.notes)")
    #expect(run.noteLines.count == 1, "\(run.notes)")
  }
}
