import Foundation
import TestSupport
import Testing

/// What `larder check` does with figures of memory, disk and instructions.
@Suite(.endsInTime) struct CheckResourceTests {
  /// Callgrind as a script: it leaves a mark, and counts what the file `each` says for each run.
  private static let valgrind = """
    #!/bin/sh
    echo once >> counted
    read cell runs plain
    file=each
    case "$3" in *other) file=each-other; [ "$cell" -ge 5 ] || exit 9 ;; esac
    read each < "$file"
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

  /// Another build, which numbers its cells from 5: a script that says so.
  private func other(_ scratch: ScratchFolder, _ policies: [String]) throws -> String {
    var lines = ["larder-worker 1"]
    for policy in ["a", "b", "c", "d", "e"] + policies {
      let mode = policy.count == 1 ? "simulate" : "execute"
      lines.append(
        #"cell {"cell":{"capacity":"10%","configuration":"disk","policy":"\#(policy)","#
          + #""seed":1},"mode":"\#(mode)"}"#)
    }
    try scratch.write(lines.joined(separator: "\n") + "\nready\n", to: "lines")
    let file = try scratch.write(
      "#!/bin/sh\nwhile read -r l; do echo \"$l\"; done < lines\n", to: "other")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    return file
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

  /// The two builds are counted in one check: the baseline's instructions, which another compiler
  /// may have made, do not matter.
  @Test func instructionsAreHeldAgainstAnotherBuild() throws {
    let scratch = try prepared(["--instructions"])
    #expect(try counted(scratch) == 4)
    let other = try other(scratch, ["fifo", "lru"])
    let options = ["--instructions", "--against", other + ":budget=0s", "--strict"]
    try scratch.write("200000", to: "each-other")
    let same = try check(scratch, options)
    #expect(same.exitCode == 0, "\(same.notes)\(same.output)")
    #expect(try counted(scratch) == 8)
    #expect(!same.output.contains("Timings"), "\(same.output)")
    // Less than the baseline has, and more than the other build.
    try scratch.write("190000", to: "each")
    try scratch.write("180000", to: "each-other")
    let more = try check(scratch, options + ["--keep-going"])
    #expect(more.exitCode == 1 && more.output.contains("2 worse"), "\(more.output)")
    #expect(more.output.contains("+5.6 %"), "\(more.output)")
    #expect(try counted(scratch) == 8)
    // The first cell decides.
    #expect(try check(scratch, options).exitCode == 1)
    #expect(try counted(scratch) == 4)
    // A cell that the other build lacks is no regression, and is said to be left out.
    let fewer = try self.other(scratch, ["lru"])
    try scratch.write("190000", to: "each-other")
    let left = try check(scratch, ["--instructions", "--against", fewer + ":budget=0s"])
    #expect(left.exitCode == 0, "\(left.notes)\(left.output)")
    #expect(left.output.contains("the other build does not have them: 1."), "\(left.output)")
    #expect(try counted(scratch) == 4)
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
    #expect(more.output.contains("more instructions; 1 not counted"), "\(more.output)")
    #expect(!more.output.contains("not measured"), "\(more.output)")
    #expect(try counted(scratch) == 2)
    #expect(try check(scratch, ["--instructions", "--keep-going"]).output.contains("2 worse"))
    #expect(try counted(scratch) == 4)
    try change(scratch, /"hits":\s/, "\"hits\": 1")
    let lost = try check(scratch, ["--instructions"])
    #expect(lost.exitCode == 1 && lost.output.contains("use --keep-going"), "\(lost.notes)")
    #expect(!lost.output.contains("not measured"), "\(lost.output)")
    #expect(try counted(scratch) == 0)
    #expect(try check(scratch, ["--instructions", "--keep-going"]).exitCode == 1)
    #expect(try counted(scratch) == 4)
  }
}
