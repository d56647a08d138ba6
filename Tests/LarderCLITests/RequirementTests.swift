import Foundation
import TestSupport
import Testing

/// Limits of a workload file, and the history of its runs.
@Suite(.endsInTime) struct RequirementTests {
  private func workload(_ requirements: String, policies: String = "[lru, fifo]") -> String {
    """
    source: {generator: zipf, objects: 100, requests: 2000}
    policies: \(policies)
    capacities: [50]
    require: \(requirements)

    """
  }

  @Test func missedLimitFailsRunAndCheck() throws {
    let scratch = try ScratchFolder()
    try scratch.write(workload(#"{hit_ratio: ">= 99 %"}"#), to: "w.yaml")
    let run = try LarderProcess(
      ["run", "w.yaml", "--output", "out", "--quiet"], in: scratch.folder)
    #expect(run.exitCode == 1, "\(run.output)")
    #expect(
      run.notes.contains("2 of 2 requirements missed: memory/lru/50: hit_ratio ")
        && run.notes.contains("required >= 99 %, missed by "), "\(run.notes)")
    let report = try String(contentsOf: scratch.url("out/report.md"), encoding: .utf8)
    #expect(report.contains("2 of 2 requirements missed:"))
    let update = try LarderProcess(["check", "w.yaml", "--update", "--quiet"], in: scratch.folder)
    #expect(update.exitCode == 0, "\(update.notes)")
    let check = try LarderProcess(["check", "w.yaml", "--quiet"], in: scratch.folder)
    let exported = try LarderProcess(
      ["check", "w.yaml", "--quiet", "--export", "html=check.html"], in: scratch.folder)
    let page = try String(contentsOf: scratch.url("check.html"), encoding: .utf8)
    #expect(exported.exitCode == 1 && page.contains("that are missed"))
    #expect(check.exitCode == 1 && check.notes.contains("2 of 2 requirements missed"))
    #expect(check.output.contains("Requirements of the workload file that are missed"))
  }

  @Test func limitsOfSomeCellsAreMet() throws {
    let scratch = try ScratchFolder()
    try scratch.write(
      workload(#"[{policies: lru, hit_ratio: ">= 1 %", byte_hit_ratio: "<= 100 %"}]"#),
      to: "w.yaml")
    let words = ["run", "w.yaml", "--quiet", "--history", "w.history", "--output"]
    for folder in ["a", "b"] {
      let run = try LarderProcess(words + [folder], in: scratch.folder)
      #expect(run.exitCode == 0, "\(run.notes)")
    }
    let history = try String(contentsOf: scratch.url("w.history"), encoding: .utf8)
    let lines = history.split(separator: "\n")
    #expect(
      lines.count == 2
        && lines[0].contains(#"{"cell":"memory/lru/50","hitRatio":0."#), "\(history)")
    let page = try String(contentsOf: scratch.url("b/report.html"), encoding: .utf8)
    #expect(page.contains("Hit ratio by run") && page.contains("all 2 are met"))
    let first = try String(contentsOf: scratch.url("a/report.html"), encoding: .utf8)
    #expect(!first.contains("by run"))
    try scratch.write("nonsense\n", to: "w.history")
    let bad = try LarderProcess(words + ["c"], in: scratch.folder)
    #expect(bad.exitCode == 2 && bad.notes.contains("w.history:1: not a line of a history"))
    #expect(!scratch.files.contains("c"))
    let output = try LarderProcess(["run", "w.yaml", "--history", "-"], in: scratch.folder)
    #expect(output.exitCode == 2 && output.notes.contains("history is one file"))
    #expect(!scratch.files.contains("-"))
  }

  @Test(arguments: [
    (#"{hit_ratio: "60 %"}"#, "w.yaml:4: require.hit_ratio: expected a limit such as >= 60 %"),
    (#"{hit_ratio: ">= 160 %"}"#, "w.yaml:4: "),
    (#"{get_p99: "<= 2 apples"}"#, "expected a limit such as <= 2ms"),
    (#"{get_p99: "<= 2ms"}"#, "'get_p99' is measured in real caches"),
    (#"{policies: mru, hit_ratio: ">= 1%"}"#, "'mru' is not among the workload's 'policies'"),
    (#"{hits: ">= 1"}"#, "unknown key 'hits'"),
  ])
  func malformedLimits(_ requirements: String, _ message: String) throws {
    let scratch = try ScratchFolder()
    try scratch.write(workload(requirements), to: "w.yaml")
    let run = try LarderProcess(["run", "w.yaml", "--output", "o"], in: scratch.folder)
    #expect(run.exitCode == 2 && run.noteLines.count == 1, "\(run.notes)")
    #expect(run.notes.contains(message) && run.notes.contains("w.yaml:4: "), "\(run.notes)")
  }

  @Test(arguments: [
    #"{bytes_written_per_day: "<= 1 KB"}"#,
    #"[{configurations: disk, policies: lru, hit_ratio: ">= 1 %"}]"#,
  ])
  func limitOfNoCellIsRefused(_ requirements: String) throws {
    let scratch = try ScratchFolder()
    let disk = "configurations: [memory, {kind: disk, disk: {policy: sieve}}]\n"
    let text = workload(requirements)
    try scratch.write(requirements.contains("disk") ? text + disk : text, to: "w.yaml")
    let run = try LarderProcess(["run", "w.yaml", "--output", "o"], in: scratch.folder)
    #expect(run.exitCode == 2 && run.notes.contains("of no cell: "), "\(run.notes)")
  }

  /// As in the tables of the report.
  @Test func staleHitsAreNoHits() throws {
    let scratch = try ScratchFolder()
    let text = """
      source: {generator: zipf, objects: 10, requests: 2000, operations: {get: 50%, modify: 50%}}
      policies: [lru]
      capacities: [10]
      require: {hit_ratio: ">= 95 %"}

      """
    try scratch.write(text, to: "w.yaml")
    let run = try LarderProcess(["run", "w.yaml", "--output", "o", "--quiet"], in: scratch.folder)
    #expect(run.exitCode == 1 && run.notes.contains("1 of 1 requirement missed"), "\(run.notes)")
  }

  /// At the trace's times, also if no lifetime of a drive is asked for; 2000 requests are 2 s.
  @Test func bytesWrittenADay() throws {
    let scratch = try ScratchFolder()
    let text = """
      source: {generator: zipf, objects: 100, requests: 2000, sizes: 1000, rate: 1000}
      configurations: [disk, memory]
      policies: [lru]
      capacities: [50%]
      require: {bytes_written_per_day: "<= 1 KB"}

      """
    try scratch.write(text, to: "w.yaml")
    let run = try LarderProcess(["run", "w.yaml", "--output", "o", "--quiet"], in: scratch.folder)
    #expect(run.exitCode == 1 && run.notes.contains("1 of 1 requirement missed: disk/lru/50%: "))
    #expect(run.notes.contains("required <= 1 KB, missed by "), "\(run.notes)")
  }

  /// Measured figures and bytes written: met, and missed with the distance.
  @Test func figuresOfRealCaches() throws {
    let scratch = try ScratchFolder()
    let text = """
      source: {generator: zipf, objects: 100, requests: 2000, sizes: 1000}
      configurations: [memory]
      policies: [lru]
      capacities: [50%]
      mode: [simulate, execute]
      require: {get_p99: "<= 1ns", memory_bytes_per_object: "<= 1 GB", requests_per_second: ">= 1"}

      """
    try scratch.write(text, to: "w.yaml")
    let run = try LarderProcess(["run", "w.yaml", "--output", "o", "--quiet"], in: scratch.folder)
    #expect(run.exitCode == 1, "\(run.notes)")
    #expect(run.notes.contains("1 of 3 requirements missed: memory/lru/50%: get_p99 "))
  }
}
