import Foundation
import TestSupport
import Testing

/// What `larder check` does with figures of memory, disk and instructions.
@Suite(.endsInTime) struct CheckResourceTests {
  /// Callgrind as a script: it leaves a mark, and counts what the file `each` says for each run.
  private static let valgrind = """
    #!/bin/sh
    echo once >> counted
    read cell runs
    read each < each
    echo "1 2 3"
    echo "==7== Collected : $((7000 + runs * each))" >&2

    """

  private static let workload = """
    name: tiny
    source: {generator: zipf, requests: 2000, objects: 300}
    configurations: disk
    policies: [lru, fifo]
    capacities: [10%]
    mode: [simulate, execute]
    execute: {durability: none}

    """

  /// A folder with a workload, its baseline and a valgrind that is none.
  private func prepared(_ options: [String] = []) throws -> ScratchFolder {
    let scratch = try ScratchFolder()
    try scratch.write(Self.workload, to: "tiny.yaml")
    let file = try scratch.write(Self.valgrind, to: "valgrind")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    try scratch.write("200000", to: "each")
    let made = try check(scratch, ["--update"] + options)
    #expect(made.exitCode == 0, "\(made.notes)")
    return scratch
  }

  private func check(_ scratch: ScratchFolder, _ options: [String] = []) throws -> LarderProcess {
    try LarderProcess(
      ["check", "tiny.yaml", "--quiet"] + options, in: scratch.folder,
      environment: ["PATH": scratch.folder.path])
  }

  private func change(
    _ scratch: ScratchFolder, _ pattern: Regex<Substring>, _ text: String
  ) throws {
    let stored = try String(contentsOf: scratch.url("larder-baseline.json"), encoding: .utf8)
    let match = try #require(stored.firstMatch(of: pattern))
    try scratch.write(
      stored.replacingCharacters(in: match.range, with: text), to: "larder-baseline.json")
  }

  /// How often something was counted since this was last asked.
  private func counted(_ scratch: ScratchFolder) throws -> Int {
    let file = scratch.url("counted")
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return 0 }
    try FileManager.default.removeItem(at: file)
    return text.split(separator: "\n").count
  }

  @Test func aFigureThatIsNotMeasuredIsInconclusive() throws {
    let scratch = try prepared()
    #expect(try check(scratch, ["--strict"]).exitCode == 0)
    // Too few objects are resident for a figure of memory.
    try change(scratch, /"disk_bytes"/, "\"memory_bytes_per_object\": 250.5, \"disk_bytes\"")
    let calm = try check(scratch, ["--junit", "check.xml"])
    #expect(calm.exitCode == 0 && calm.notes == "", "\(calm.notes)")
    #expect(calm.output.contains("larder check inconclusive: tiny"), "\(calm.output)")
    #expect(calm.output.contains("1 figure not measured by this run: execute these cells"))
    let junit = try String(contentsOf: scratch.url("check.xml"), encoding: .utf8)
    #expect(junit.contains("failures=\"0\" errors=\"0\" skipped=\"1\""), "\(junit)")
    #expect(junit.contains("memory_bytes_per_object 250.50 -&gt; not measured"), "\(junit)")
    let strict = try check(scratch, ["--strict"])
    #expect(strict.exitCode == 3 && strict.noteLines.count == 1, "\(strict.notes)")
    #expect(strict.notes.contains("1 figure of the baseline not measured"), "\(strict.notes)")
    #expect(strict.notes.contains("--update"), "\(strict.notes)")
    // A new baseline drops it.
    #expect(try check(scratch, ["--update"]).output.contains("not measured"))
    #expect(try check(scratch, ["--strict"]).exitCode == 0)
  }

  /// Each has a threshold of its own, and what the cache counts itself is the same in every run.
  @Test(arguments: ["bytes_written", "files"])
  func moreWritesAndFilesFail(figure: String) throws {
    let scratch = try prepared()
    let stored = try String(contentsOf: scratch.url("larder-baseline.json"), encoding: .utf8)
    let match = try #require(stored.firstMatch(of: try Regex("\"\(figure)\": ([0-9.]+)")))
    let value = try #require(match.output[1].substring.flatMap { Double($0) })
    #expect(value > 0)
    try scratch.write(
      stored.replacingCharacters(in: match.range, with: "\"\(figure)\": \(value / 1.2)"),
      to: "larder-baseline.json")
    let worse = try check(scratch)
    #expect(worse.exitCode == 1 && worse.output.contains("1 worse, 0 better."), "\(worse.output)")
    #expect(worse.output.contains(figure), "\(worse.output)")
    try scratch.write(
      Self.workload + "check: {resources: {\(figure): 30%}}\n", to: "tiny.yaml")
    #expect(try check(scratch).exitCode == 0)
  }

  @Test func nothingExecutedIsInconclusive() throws {
    let scratch = try prepared()
    try scratch.write(
      Self.workload.replacing("mode: [simulate, execute]", with: "mode: simulate"),
      to: "tiny.yaml")
    let strict = try check(scratch, ["--strict"])
    #expect(strict.exitCode == 3, "\(strict.notes)\(strict.output)")
    #expect(strict.output.contains("not measured by this run"), "\(strict.output)")
  }

  @Test func instructionsThatAreNotCountedAreInconclusive() throws {
    let scratch = try prepared(["--instructions"])
    #expect(try counted(scratch) == 4)
    #expect(try check(scratch, ["--instructions", "--strict"]).exitCode == 0)
    let strict = try check(scratch, ["--strict"])
    #expect(strict.exitCode == 3, "\(strict.notes)\(strict.output)")
    #expect(strict.notes.contains("count instructions with --instructions"), "\(strict.notes)")
  }

  /// Two processes a cell are begun where the check can still pass, and none where it cannot.
  @Test func instructionsAreNotCountedWhereTheCheckHasFailed() throws {
    let scratch = try prepared(["--instructions"])
    #expect(try counted(scratch) == 4)
    #expect(try check(scratch, ["--instructions"]).exitCode == 0)
    #expect(try counted(scratch) == 4)
    // The first cell that has too many decides.
    try scratch.write("300000", to: "each")
    let more = try check(scratch, ["--instructions"])
    #expect(more.exitCode == 1 && more.output.contains("1 worse"), "\(more.output)")
    #expect(more.output.contains("a cell that is worse, 1 left"), "\(more.output)")
    #expect(!more.output.contains("not measured"), "\(more.output)")
    #expect(try counted(scratch) == 2)
    #expect(try check(scratch, ["--instructions", "--keep-going"]).output.contains("2 worse"))
    #expect(try counted(scratch) == 4)
    try change(scratch, /"hits":\s/, "\"hits\": 1")
    let lost = try check(scratch, ["--instructions"])
    #expect(lost.exitCode == 1 && lost.output.contains("--keep-going counts them"), "\(lost.notes)")
    #expect(!lost.output.contains("not measured"), "\(lost.output)")
    #expect(try counted(scratch) == 0)
    #expect(try check(scratch, ["--instructions", "--keep-going"]).exitCode == 1)
    #expect(try counted(scratch) == 4)
  }
}
