import Foundation
import TestSupport
import Testing

/// `larder check` and `larder compare` as a pipeline uses them.
@Suite(.endsInTime) struct CheckTests {
  private static func workload(_ rest: String = "", requests: Int = 5000) -> String {
    """
    name: tiny
    source: {generator: zipf, requests: \(requests), objects: 300}
    configurations: [memory, hybrid]
    policies: [lru, fifo]
    capacities: [10%]

    """ + rest
  }

  private func check(
    _ scratch: ScratchFolder, _ arguments: [String] = [], environment: [String: String] = [:]
  ) throws -> LarderProcess {
    try LarderProcess(
      ["check", "tiny.yaml", "--quiet"] + arguments, in: scratch.folder, environment: environment)
  }

  private func prepared() throws -> ScratchFolder {
    let scratch = try ScratchFolder()
    try scratch.write(Self.workload(), to: "tiny.yaml")
    let made = try check(scratch, ["--update"])
    #expect(made.exitCode == 0, "\(made.notes)")
    return scratch
  }

  private func baseline(_ scratch: ScratchFolder) throws -> String {
    try String(contentsOf: scratch.url("larder-baseline.json"), encoding: .utf8)
  }

  /// Takes one hit away from the first cell of the baseline, or adds it.
  private func shift(_ scratch: ScratchFolder, by change: Int) throws {
    let text = try baseline(scratch)
    let match = try #require(text.firstMatch(of: /"hits": (\d+)/))
    let hits = try #require(Int(match.1))
    try scratch.write(
      text.replacingCharacters(in: match.range, with: "\"hits\": \(hits + change)"),
      to: "larder-baseline.json")
  }

  @Test func unchangedBuildPasses() throws {
    let scratch = try prepared()
    let run = try check(scratch)
    #expect(run.exitCode == 0 && run.notes == "")
    #expect(run.output.contains("larder check passed: tiny"))
    #expect(run.output.contains("4 cells compared with larder-baseline.json: 0 worse"))
    let text = try baseline(scratch)
    #expect(try check(scratch, ["--update"]).exitCode == 0)
    #expect(try baseline(scratch) == text)
  }

  @Test func oneHitLessFails() throws {
    let scratch = try prepared()
    try shift(scratch, by: 1)
    let run = try check(scratch, ["--junit", "junit.xml"])
    #expect(run.exitCode == 1)
    #expect(run.output.contains("FAILED") && run.output.contains("1 worse"))
    #expect(run.output.contains("--only hybrid/fifo+fifo/10%"))
    #expect(run.noteLines.count == 1 && run.notes.contains("--update"), "\(run.notes)")
    let junit = try String(contentsOf: scratch.url("junit.xml"), encoding: .utf8)
    #expect(junit.contains("tests=\"4\" failures=\"1\""))
    // The command that it names shows the same, of this cell alone; another cell is well.
    let only = try check(scratch, ["--only", "hybrid/fifo+fifo/10%"])
    #expect(only.exitCode == 1 && only.output.contains("1 cell compared"))
    #expect(try check(scratch, ["--only", "memory/lru/10%"]).exitCode == 0)
    // Accepting it says what changed, and the next check passes.
    let update = try check(scratch, ["--update"])
    #expect(update.exitCode == 0 && update.output.contains("1 worse"))
    #expect(!update.output.contains("FAILED") && update.output.contains("updated the baseline"))
    #expect(try check(scratch, ["--update", "--junit", "j.xml"]).exitCode == 2)
    #expect(try check(scratch).exitCode == 0)
  }

  @Test func oneHitMorePassesAndIsNamed() throws {
    let scratch = try prepared()
    try shift(scratch, by: -1)
    let run = try check(scratch)
    #expect(run.exitCode == 0 && run.output.contains("1 better"))
    // An exact check is for policies that must count what they counted.
    try scratch.write(Self.workload("check: {exact: true}\n"), to: "tiny.yaml")
    let exact = try check(scratch)
    #expect(exact.exitCode == 1 && exact.output.contains("1 better"))
    #expect(exact.output.contains("every change of a count fails"))
  }

  @Test func aToleranceAllowsIt() throws {
    let scratch = try prepared()
    try shift(scratch, by: 1)
    try scratch.write(
      Self.workload("check: {tolerance: {hit_ratio: 0.0002}}\n"), to: "tiny.yaml")
    let run = try check(scratch)
    #expect(run.exitCode == 0 && run.output.contains("1 within tolerance"), "\(run.output)")
    try scratch.write(
      Self.workload("check: {tolerance: {hit_ratio: 0.0001}}\n"), to: "tiny.yaml")
    #expect(try check(scratch).exitCode == 1)
  }

  @Test func cellsThatComeAndGoAreNamed() throws {
    let scratch = try prepared()
    try scratch.write(
      Self.workload().replacingOccurrences(of: "[lru, fifo]", with: "[lru, sieve]"),
      to: "tiny.yaml")
    let run = try check(scratch)
    #expect(run.exitCode == 1)
    #expect(run.output.contains("2 new, 2 missing") && run.output.contains("memory/fifo/10%"))
  }

  @Test func anotherTraceIsSaidToBeOne() throws {
    let scratch = try prepared()
    try scratch.write(Self.workload(requests: 5001), to: "tiny.yaml")
    let run = try check(scratch)
    #expect(run.exitCode == 1)
    #expect(run.output.contains("was 5000 requests") && run.output.contains("is 5001 requests"))
  }

  @Test func fileThatIsNoBaselineIsOneLine() throws {
    let scratch = try prepared()
    let good = try baseline(scratch)
    let cases: [(text: String?, says: String, isReplaced: Bool)] = [
      (
        nil, "create it with: larder check tiny.yaml --baseline larder-baseline.json --update", true
      ),
      ("", "it is empty", true),
      (String(good.prefix(good.count / 2)), "damaged baseline", true),
      ("{\"name\": \"x\"}", "not a baseline of", false), ("hello", "damaged baseline", false),
      (good.replacingOccurrences(of: "\"version\": 1", with: "\"version\": 9"), "version 9", true),
      (good.replacingOccurrences(of: "\"tiny\"", with: "\"other\""), "'other'", false),
    ]
    for bad in cases {
      try? FileManager.default.removeItem(at: scratch.url("larder-baseline.json"))
      if let text = bad.text { try scratch.write(text, to: "larder-baseline.json") }
      let run = try check(scratch)
      #expect(run.exitCode == 2)
      #expect(run.noteLines.count == 1 && run.notes.contains(bad.says), "\(run.notes)")
      #expect(run.output == "")
      let update = try check(scratch, ["--update"])
      #expect(update.exitCode == (bad.isReplaced ? 0 : 2), "\(bad.says): \(update.notes)")
      #expect(try baseline(scratch) == (bad.isReplaced ? good : bad.text))
    }
  }

  @Test(arguments: [
    (["--only", "memory/lur/10%"], "memory/lru/10%"), (["--update", "--only", "x"], "--only"),
    (["--against", "/nowhere"], "/nowhere"), (["--timings"], "'--timings'"),
    (["--against", "/bin/true:threshold=5"], "threshold: expected a share from 0 to 1"),
    (["--against", "/bin/true:speed=5%"], "speed: unknown parameter"),
    (["--against", "/bin/true:budget=0s"], "0s"),
    (["--against", "/nowhere:budget=0s", "--instructions"], "/nowhere"),
    (["--baseline", "."], "folder"), (["--junit", "/nowhere/x"], "/nowhere/x"),
  ])
  func wrongRequestsAreOneLine(_ arguments: [String], _ says: String) throws {
    let scratch = try prepared()
    let run = try check(scratch, arguments)
    #expect(run.exitCode == 2)
    #expect(run.noteLines.count == 1 && run.notes.contains(says), "\(run.notes)")
  }

  @Test func gitHubIsToldWhereItRuns() throws {
    let scratch = try prepared()
    try shift(scratch, by: 1)
    let summary = try scratch.write("before\n", to: "summary.md")
    let run = try check(
      scratch, environment: ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary])
    #expect(run.exitCode == 1)
    #expect(
      run.output.contains("\n::error file=tiny.yaml,title=hybrid/fifo+fifo/10%25::worse: hits "))
    let text = try String(contentsOf: scratch.url("summary.md"), encoding: .utf8)
    #expect(text.hasPrefix("before\n## larder check FAILED: tiny\n"))
    #expect(text.contains("| `hybrid/fifo+fifo/10%` | hits |"))
    #expect(!(try check(scratch)).output.contains("::error"))
  }

  /// This build against itself: the workers talk, and the table says how it went. What the verdict
  /// is depends on the machine; that it is not a failure of the check does not.
  @Test func thisBuildIsTimedAgainstItself() throws {
    let scratch = try prepared()
    let own = try LarderProcess.executable().path
    let run = try check(
      scratch,
      [
        "--against", own + ":budget=1s:threshold=100%:seed=3", "--only", "memory/lru/10%",
      ])
    #expect([0, 1].contains(run.exitCode), "\(run.notes)")
    #expect(run.output.contains("Timings") && run.output.contains("seed 3"))
    #expect(run.output.contains("memory/lru/10%"))
  }

  @Test func aProgramThatIsNoLarderIsOneLine() throws {
    let scratch = try prepared()
    let run = try check(scratch, ["--against", "/bin/false:budget=1s"])
    #expect(run.exitCode == 2)
    #expect(run.noteLines.count == 1 && run.notes.contains("/bin/false"), "\(run.notes)")
  }

  /// A made-up build, of which every other process says that it is far faster and the rest far
  /// slower than this: nobody can tell, whatever the machine does.
  @Test func inconclusiveTimingFailsOnlyWithStrict() throws {
    let scratch = try prepared()
    let name =
      #"{"cell":{"capacity":"10%%","configuration":"memory","policy":"lru","seed":1},"#
      + #""mode":"simulate"}"#
    let script = """
      #!/bin/sh
      n=$(cat count 2>/dev/null || echo 0)
      echo $((n + 1)) > count
      printf 'larder-worker 1\\ncell \(name)\\nready\\n'
      time=1000000000000
      if [ $((n % 2)) = 0 ]; then time=1000; fi
      while read -r order; do echo "$time $time 0"; done

      """
    let fake = try scratch.write(script, to: "fake")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: fake)
    let options = ["--against", fake + ":budget=1s", "--only", "memory/lru/10%"]
    let calm = try check(scratch, options)
    #expect(calm.exitCode == 0 && calm.output.contains("inconclusive"), "\(calm.notes)")
    #expect(calm.output.contains("do different work: memory/lru/10%"), "\(calm.output)")
    // The first pair of processes meets the slow kind, so that runs are few.
    try FileManager.default.removeItem(at: scratch.url("count"))
    let strict = try check(scratch, options + ["--strict"])
    #expect(strict.exitCode == 3, "\(strict.notes)\(strict.output)")
    #expect(strict.noteLines.count == 1 && strict.notes.contains("budget"))
  }

  /// Larder's own baseline holds. Where a change is meant: larder check Workloads/ci.yaml --update.
  @Test func ourOwnBaselineHolds() throws {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let run = try LarderProcess(
      ["check", "Workloads/ci.yaml", "--baseline", "larder-baseline.json", "--quiet"],
      in: repository)
    #expect(run.exitCode == 0, "\(run.notes)\(run.output)")
    #expect(run.output.contains("848 cells compared with larder-baseline.json: 0 worse, 0 better"))
  }

  /// Its counts hold on every system, and its figures of memory and disk on the one they are from.
  @Test func ourOwnCachesHold() throws {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let run = try LarderProcess(
      [
        "check", "Workloads/ci-caches.yaml", "--baseline", "larder-baseline-caches.json", "--quiet",
        "--only", "memory/lru/5000", "--only", "memory/s3-fifo/5000",
      ], in: repository)
    #expect(run.exitCode == 0, "\(run.notes)\(run.output)")
    #expect(run.output.contains("2 cells compared with larder-baseline-caches.json: 0 worse"))
  }

  @Test func moreBytesOfDiskFail() throws {
    let scratch = try ScratchFolder()
    try scratch.write(
      """
      name: tiny
      source: {generator: zipf, requests: 2000, objects: 300}
      configurations: disk
      policies: lru
      capacities: [10%]
      mode: [simulate, execute]
      execute: {durability: none}
      """, to: "tiny.yaml")
    #expect(try check(scratch, ["--update"]).exitCode == 0)
    let stored = try baseline(scratch)
    let match = try #require(stored.firstMatch(of: /"disk_bytes": (\d+)/))
    let bytes = try #require(Int(match.1))
    func checked(against other: Int) throws -> LarderProcess {
      try scratch.write(
        stored.replacingCharacters(in: match.range, with: "\"disk_bytes\": \(other)"),
        to: "larder-baseline.json")
      return try check(scratch, ["--junit", "check.xml"])
    }
    #expect(try checked(against: bytes).exitCode == 0)
    #expect(try checked(against: bytes * 100 / 103).exitCode == 0)
    let worse = try checked(against: bytes * 2 / 3)
    #expect(worse.exitCode == 1 && worse.output.contains("1 worse, 0 better."))
    #expect(worse.output.contains("To reproduce:") && worse.output.contains("disk_bytes"))
    let junit = try String(contentsOf: scratch.url("check.xml"), encoding: .utf8)
    #expect(junit.contains("failures=\"1\"") && junit.contains("disk_bytes"))
    let better = try checked(against: bytes * 2)
    #expect(better.exitCode == 0 && better.output.contains("0 worse, 1 better."))
    // Another system's figures are not compared.
    let system = try #require(stored.firstMatch(of: /"system": "[^"]*"/))
    try scratch.write(
      stored.replacingCharacters(in: system.range, with: "\"system\": \"Plan 9\"")
        .replacing("\"disk_bytes\": \(bytes)", with: "\"disk_bytes\": 1"),
      to: "larder-baseline.json")
    let foreign = try check(scratch)
    #expect(foreign.exitCode == 0 && foreign.output.contains("measured on Plan 9"))
    // A negative figure is refused.
    try scratch.write(
      stored.replacing("\"disk_bytes\": \(bytes)", with: "\"disk_bytes\": -1"),
      to: "larder-baseline.json")
    let wrong = try check(scratch)
    #expect(wrong.exitCode == 2 && wrong.noteLines.count == 1, "\(wrong.notes)")
    try scratch.write(
      stored.replacing("\"disk_bytes\"", with: "\"disk_kilobytes\""), to: "larder-baseline.json")
    #expect(try check(scratch).exitCode == 2)
  }

  @Test func resultsOfDifferentTracesAreNotCompared() throws {
    let scratch = try ScratchFolder()
    for (folder, requests) in [("a", 5000), ("b", 6000)] {
      try scratch.write(Self.workload(requests: requests), to: "tiny.yaml")
      let run = try LarderProcess(
        ["run", "tiny.yaml", "--output", folder, "--quiet"], in: scratch.folder)
      #expect(run.exitCode == 0)
    }
    for format in [[], ["--export", "csv=-"]] {
      let run = try LarderProcess(["compare", "a", "b"] + format, in: scratch.folder)
      #expect(run.exitCode == 2 && run.output == "")
      #expect(run.noteLines.count == 1, "\(run.notes)")
      #expect(run.notes.contains("different traces"))
      #expect(run.notes.contains("was 5000 requests"), "\(run.notes)")
    }
  }

  @Test func comparingFolders() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.workload(), to: "tiny.yaml")
    for folder in ["a", "b"] {
      let run = try LarderProcess(
        ["run", "tiny.yaml", "--output", folder, "--quiet"], in: scratch.folder)
      #expect(run.exitCode == 0)
    }
    func compare(_ arguments: [String]) throws -> LarderProcess {
      try LarderProcess(["compare"] + arguments, in: scratch.folder)
    }
    let same = try compare(["a", "b", "--fail-on-worse"])
    #expect(same.exitCode == 0 && same.notes == "")
    #expect(same.output.contains("4 cells compared: 0 worse, 0 better"))
    let text = try String(contentsOf: scratch.url("b/results.json"), encoding: .utf8)
    let match = try #require(text.firstMatch(of: /"memoryHits" : (\d+)/))
    let hits = try #require(Int(match.1))
    try scratch.write(
      text.replacingCharacters(in: match.range, with: "\"memoryHits\" : \(hits - 1)"),
      to: "b/results.json")
    #expect(try compare(["a", "b"]).exitCode == 0)
    #expect(try compare(["a", "b", "--fail-on-worse"]).exitCode == 1)
    let csv = try compare(["a", "b/results.json", "--export", "csv=-"])
    #expect(csv.output.contains(",worse,hits,\(hits),\(hits - 1),\n"), "\(csv.output)")
    for (arguments, says) in [
      (["a", "nowhere"], "nowhere"), (["a", "tiny.yaml"], "tiny.yaml"),
      (["a", "."], "results.json"),
      (["a", "b", "--export", "pdf=x"], "pdf"),
    ] {
      let run = try compare(arguments)
      #expect(run.exitCode == 2)
      #expect(run.noteLines.count == 1 && run.notes.contains(says), "\(run.notes)")
    }
  }
}
