import Foundation
import TestSupport
import Testing

/// Successful commands.
@Suite(.endsInTime) struct CommandTests {
  static let workload = """
    name: tiny
    description: A small test.
    source:
      generator: zipf
      requests: 20000
      objects: 500
    configurations:
      - kind: memory
      - kind: disk
      - kind: hybrid
    policies: [fifo, lru, random, belady]
    capacities: [10, 100, 10%]
    seeds: [1, 2]

    """

  @Test func runWritesEveryFile() throws {
    let scratch = try ScratchFolder()
    let file = try scratch.write(Self.workload, to: "tiny.yaml")
    let run = try LarderProcess(["run", file, "--output", "out"], in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    #expect(run.output.contains("lru"))
    #expect(run.notes.contains("out/report.md"))
    #expect(
      scratch.files.filter { !$0.hasPrefix("out/charts/") } == [
        "out", "out/charts", "out/counts.csv", "out/report.html", "out/report.md",
        "out/results.json", "out/timings.csv", "tiny.yaml",
      ])
    #expect(scratch.files.contains("out/charts/memory-hit-ratio.svg"))
    let counts = try String(contentsOf: scratch.url("out/counts.csv"), encoding: .utf8)
    // 3 configurations, 4 policies, 3 capacities, 2 seeds, and the header.
    #expect(counts.split(separator: "\n").count == 3 * 4 * 3 * 2 + 1)
  }

  @Test func resultsDefaultToAFolderNextToTheWorkload() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.workload, to: "tiny.yaml")
    let run = try LarderProcess(["run", "tiny.yaml", "--quiet"], in: scratch.folder)
    #expect(run.exitCode == 0)
    #expect(run.notes == "")
    #expect(scratch.files.contains { $0.hasPrefix("Results/tiny/") && $0.hasSuffix("report.md") })
    // Most likely within the same second; the second run must not replace the first.
    let again = try LarderProcess(["run", "tiny.yaml", "--quiet"], in: scratch.folder)
    #expect(again.exitCode == 0)
    #expect(scratch.files.count { $0.hasSuffix("report.md") } == 2)
  }

  @Test func reportsAreWrittenAgain() throws {
    let scratch = try ScratchFolder()
    let file = try scratch.write(Self.workload, to: "tiny.yaml")
    _ = try LarderProcess(["run", file, "--output", "runs/a"], in: scratch.folder)
    let first = try Data(contentsOf: scratch.url("runs/a/report.html"))
    try FileManager.default.removeItem(at: scratch.url("runs/a/report.html"))
    let run = try LarderProcess(["report", "runs/a"], in: scratch.folder)
    #expect(run.exitCode == 0 && run.output == "runs/a/report.md\nruns/a/report.html\n")
    #expect(try Data(contentsOf: scratch.url("runs/a/report.html")) == first)
    let page = try LarderProcess(
      ["report", "runs/a", "--export", "html=page.html", "--export", "markdown=m/page.md"],
      in: scratch.folder)
    #expect(page.exitCode == 2 && page.notes.contains("m/page.md"), "\(page.notes)")
    let both = try LarderProcess(
      ["report", "runs/a", "--export", "html=page.html", "--export", "csv=-"], in: scratch.folder)
    #expect(both.exitCode == 0 && both.output.hasPrefix("workload,trace,"))
    #expect(try Data(contentsOf: scratch.url("page.html")) == first)
    for arguments in [["report", "nowhere"], ["report"], ["report", "runs/a", "--export", "x=y"]] {
      let failed = try LarderProcess(arguments, in: scratch.folder)
      #expect(failed.exitCode == 2 && failed.notes.split(separator: "\n").count == 1)
    }
  }

  @Test func csvOnStandardOutputHasNoOtherText() throws {
    let scratch = try ScratchFolder()
    try scratch.write("1\n2\n1\n3\n2\n1\n", to: "t.txt")
    let run = try LarderProcess(
      ["simulate", "t.txt", "--policy", "lru,belady", "--capacity", "1,2", "--csv", "-"],
      in: scratch.folder)
    #expect(run.exitCode == 0)
    let rows = run.output.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
    #expect(rows.count == 5)
    #expect(rows[0].prefix(5) == ["workload", "trace", "configuration", "policy", "capacity"])
    // 1 2 1 3 2 1 with room for two: LRU hits the second 1 only, Belady the third as well.
    #expect(rows.map { $0[8] } == ["hits", "0", "1", "0", "2"])
  }

  @Test func tracesOfOneNameAreKeptApart() throws {
    let scratch = try ScratchFolder()
    try FileManager.default.createDirectory(
      at: scratch.url("b"), withIntermediateDirectories: false)
    try scratch.write("1\n2\n1\n", to: "t.txt")
    try scratch.write("1\n1\n1\n1\n", to: "b/t.txt")
    let command = ["simulate", "t.txt", "b/t.txt", "--policy", "lru", "--capacity", "1", "--quiet"]
    let table = try LarderProcess(command, in: scratch.folder).output
    #expect(table.contains("memory, t.txt") && table.contains("memory, b/t.txt"))
    let ratios = table.split(separator: "\n").filter { $0.hasPrefix("lru") }
    #expect(ratios.map { $0.split(separator: " ").last } == ["0.00", "75.00"], "\(table)")
    let csv = try LarderProcess(command + ["--csv", "-"], in: scratch.folder).output
    let traces = csv.split(separator: "\n").dropFirst().map { $0.split(separator: ",")[1] }
    #expect(traces == ["t.txt", "b/t.txt"])
  }

  @Test func repeatedOptionsAreCombined() throws {
    let scratch = try ScratchFolder()
    try scratch.write("1\n2\n1\n3\n2\n1\n", to: "t.txt")
    let run = try LarderProcess(
      [
        "simulate", "t.txt", "--policy", "lru", "--policy", "fifo,mru", "--capacity", "1",
        "--capacity", "2", "--csv", "-", "--quiet",
      ], in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    let cells = run.output.split(separator: "\n").dropFirst().map { row in
      row.split(separator: ",")[3...4].joined(separator: " ")
    }
    #expect(cells == ["lru 1", "lru 2", "fifo 1", "fifo 2", "mru 1", "mru 2"])
  }

  @Test func filtersApplyToPolicies() throws {
    let scratch = try ScratchFolder()
    try scratch.write("1\n2\n1\n1\n3\n2\n1\n", to: "t.txt")
    let run = try LarderProcess(
      [
        "simulate", "t.txt", "--policy", "lru", "--admission", "always,second-hit", "--capacity",
        "2", "--csv", "-", "--quiet",
      ], in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    let rows = run.output.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    let admission = try #require(rows[0].firstIndex(of: "admission"))
    #expect(rows.dropFirst().map { $0[2] } == ["memory", "memory+second-hit"])
    #expect(rows.dropFirst().map { $0[admission] } == ["", "second-hit"])
    // Of 1 2 1 1 3 2 1 the first requests for each of the three are rejected.
    #expect(rows[2][17] == "3")
    let wrong = try LarderProcess(
      ["simulate", "t.txt", "--policy", "sieve", "--admission", "tinylfu", "--capacity", "2"],
      in: scratch.folder)
    #expect(wrong.exitCode == 2)
    #expect(wrong.notes.contains("policy 'sieve' cannot name"), "\(wrong.notes)")
    let list = try LarderProcess(["list", "admissions", "--format", "csv"], in: scratch.folder)
    #expect(list.output.contains("\nsecond-hit,"))
  }

  @Test(arguments: [["info"], ["head"], ["convert", "out.csv"]])
  func aTraceMayComeThroughAPipe(_ command: [String]) throws {
    let scratch = try ScratchFolder()
    try scratch.write("time,id\n1,a\n2,b\n3,a\n", to: "t.csv")
    let larder = try LarderProcess.executable().path
    let words = ["trace", command[0], "-"] + command.dropFirst()
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "cat t.csv | '\(larder)' \(words.joined(separator: " ")) > out 2>&1"]
    shell.currentDirectoryURL = scratch.folder
    try shell.run()
    try Deadline.wait(for: shell)
    let text = try String(contentsOf: scratch.url("out"), encoding: .utf8)
    #expect(shell.terminationStatus == 0, "\(text)")
    if command[0] == "info" { #expect(text.contains("objects")) }
  }

  @Test func allPoliciesByName() throws {
    let scratch = try ScratchFolder()
    try scratch.write("1\n2\n1\n3\n2\n1\n", to: "t.txt")
    let run = try LarderProcess(
      ["simulate", "t.txt", "--policy", "all", "--capacity", "2", "--csv", "-", "--quiet"],
      in: scratch.folder)
    let listed = try LarderProcess(["list", "policies", "--format", "csv"])
    #expect(run.exitCode == 0)
    let names = { (text: String, column: Int) in
      text.split(separator: "\n").dropFirst().map { $0.split(separator: ",")[column] }
    }
    // The list ends with policies that must be named explicitly: those that need a library, and
    // bounds.
    let simulated = names(run.output, 3)
    let all = names(listed.output, 0)
    #expect(Array(all.prefix(simulated.count)) == simulated)
    #expect(all.dropFirst(simulated.count) == ["lrb", "3l-cache", "pfoo-u", "pfoo-l"])
  }

  /// Bounds are accepted as policies, but not behind a filter, and not in a hybrid.
  @Test func boundsHaveHitsOnly() throws {
    let scratch = try ScratchFolder()
    try scratch.write("1\n2\n1\n3\n2\n1\n", to: "t.txt")
    let bounds = [
      "simulate", "t.txt", "--policy", "pfoo-u,pfoo-l", "--capacity", "2", "--csv", "-",
    ]
    let run = try LarderProcess(bounds, in: scratch.folder)
    let rows = run.output.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    // A cache that does not store 3 always has room for 1 and 2.
    #expect(rows.dropFirst().map { $0[8] } == ["3", "3"])
    #expect(rows.dropFirst().allSatisfy { $0[16] == "" && $0[18] == "" })
    let filtered = try LarderProcess(bounds + ["--admission", "second-hit"], in: scratch.folder)
    #expect(filtered.exitCode == 2)
    #expect(filtered.notes.contains("'pfoo-l' is a bound for one simulated tier and not a policy"))
    let workload = Self.workload.replacingOccurrences(
      of: "policies: [", with: "policies: [pfoo-u, ")
    try scratch.write(workload, to: "bounded.yaml")
    let whole = try LarderProcess(["run", "bounded.yaml", "--output", "out"], in: scratch.folder)
    let report = try String(contentsOf: scratch.url("out/report.md"), encoding: .utf8)
    #expect(whole.exitCode == 0, "\(whole.notes)")
    #expect(report.contains("Bounds apply to one tier, so"))
  }

  @Test func warmUpOfWholeTraceHasEmptyRatios() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.workload + "warm-up: 20000\n", to: "tiny.yaml")
    let run = try LarderProcess(
      ["run", "tiny.yaml", "--output", "out"], in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    let told = "The warm-up left no requests to count in 72 of 72 cells"
    #expect(run.noteLines.contains { $0.hasPrefix(told) }, "\(run.notes)")
    let report = try String(contentsOf: scratch.url("out/report.md"), encoding: .utf8)
    #expect(report.contains(told))
    let counts = try String(contentsOf: scratch.url("out/counts.csv"), encoding: .utf8)
    for row in counts.split(separator: "\n").dropFirst() {
      let fields = row.split(separator: ",", omittingEmptySubsequences: false)
      #expect(fields[7] == "0")
      #expect(fields[12] == "")
    }
  }

  @Test func aFullDiskIsAnError() throws {
    try #require(FileManager.default.fileExists(atPath: "/dev/full"))
    let scratch = try ScratchFolder()
    try scratch.write("1\n2\n1\n", to: "t.txt")
    let run = try LarderProcess(
      ["simulate", "t.txt", "--policy", "lru", "--capacity", "1", "--csv", "/dev/full", "--quiet"],
      in: scratch.folder)
    #expect(run.exitCode == 2)
    #expect(run.noteLines.count == 1)
    #expect(run.notes.contains("/dev/full"))
    #expect(run.notes.contains("No space left"))
  }

  @Test func generateConvertInfoAndHead() throws {
    let scratch = try ScratchFolder()
    let generate = try LarderProcess(
      [
        "trace", "generate", "zipf:objects=100", "z.larder", "--requests", "5000", "--quiet",
      ], in: scratch.folder)
    #expect(generate.exitCode == 0, "\(generate.notes)")
    let convert = try LarderProcess(
      ["trace", "convert", "z.larder", "z.csv", "--quiet"], in: scratch.folder)
    #expect(convert.exitCode == 0, "\(convert.notes)")
    let infos = try ["z.larder", "z.csv"].map { file in
      try LarderProcess(["trace", "info", file, "--quiet"], in: scratch.folder).output
        .split(separator: "\n").dropFirst()
    }
    #expect(infos[0] == infos[1])
    #expect(infos[0].contains { $0.hasPrefix("requests") && $0.hasSuffix("5 000") })
    let head = try LarderProcess(["trace", "head", "z.csv", "-n", "3"], in: scratch.folder)
    #expect(head.output.split(separator: "\n").count == 4)
  }

  @Test(arguments: [
    ["--help"], ["run", "--help"], ["simulate", "--help"], ["trace", "--help"],
    ["trace", "generate", "--help"], ["policies", "--help"], ["list", "--help"], ["--version"],
  ])
  func helpGoesToTheOutput(_ arguments: [String]) throws {
    let run = try LarderProcess(arguments)
    #expect(run.exitCode == 0)
    #expect(run.output.contains("larder"))
    #expect(run.notes == "")
  }

  @Test(arguments: [
    (["policies"], "lru"), (["admissions"], "second-hit"), (["caches"], "nscache"),
    (["formats"], "redis-monitor"), (["generators"], "zipf"),
  ])
  func listsHaveThreeFormats(_ kind: [String], _ name: String) throws {
    let text = try LarderProcess(["list"] + kind)
    #expect(text.exitCode == 0 && text.notes == "" && text.output.contains("\(name)"))
    let csv = try LarderProcess(["list"] + kind + ["--format", "csv"]).output.split(separator: "\n")
    #expect(csv[0].hasPrefix("name,") && csv.contains { $0.hasPrefix("\(name),") })
    let json = try LarderProcess(["list"] + kind + ["--format", "json"]).output
    let entries = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
    #expect(entries?.count == csv.count - 1)
    #expect(entries?.contains { $0["name"] as? String == name } == true)
  }

  @Test func unknownListNamesTheKinds() throws {
    let run = try LarderProcess(["list", "policy"])
    #expect(run.exitCode == 2 && run.noteLines.count == 1)
    #expect(run.notes.contains("generators") && run.notes.contains("'larder list --help'"))
  }
}
