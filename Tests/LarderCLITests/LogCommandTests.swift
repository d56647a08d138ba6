import Foundation
import TestSupport
import Testing

/// Commands over server logs.
@Suite(.endsInTime)
struct LogCommandTests {
  private static func line(_ second: Int, _ path: String, _ answer: String = "200 100") -> String {
    "h - - [01/Mar/2026:10:00:0\(second) +0000] \"GET /\(path) HTTP/1.1\" \(answer)\n"
  }

  private func folder() throws -> ScratchFolder {
    let scratch = try ScratchFolder()
    try scratch.write(Self.line(0, "a") + Self.line(1, "b"), to: "access.log.1")
    try scratch.write(Self.line(3, "a") + Self.line(2, "b", "304 0"), to: "access.log")
    return scratch
  }

  @Test func severalFilesAreOneTraceWhenJoined() throws {
    let scratch = try folder()
    let words = [
      "access.log", "access.log.1", "--policy", "lru", "--capacity", "1MiB", "--csv", "-",
    ]
    let apart = try LarderProcess(["simulate"] + words, in: scratch.folder)
    #expect(apart.output.split(separator: "\n").count == 3, "\(apart.notes)")
    let joined = try LarderProcess(["simulate", "--join"] + words, in: scratch.folder)
    let rows = joined.output.split(separator: "\n")
    #expect(rows.count == 2 && rows[1].contains(",4,2,2,0,2,0.500000,400,200,"), "\(rows)")
    #expect(joined.notes.contains("1 request was out of order and was sorted by time."))
    #expect(joined.notes.contains("1 request had no full size"))
  }

  /// Without `--join` every file is a trace, in commands that describe and write traces as well.
  @Test func filesAreTracesOfTheirOwnUnlessJoined() throws {
    let scratch = try folder()
    let files = ["access.log", "access.log.1"]
    func run(_ words: String...) throws -> LarderProcess {
      try LarderProcess(["trace"] + words + files, in: scratch.folder)
    }
    let apart = try run("info", "--quiet").output.split(separator: "\n").map(String.init)
    #expect(apart.filter { $0.contains(/^requests +2$/) }.count == 2, "\(apart)")
    #expect(apart.filter { $0.hasPrefix("trace ") }.count == 2)
    let joined = try run("info", "--quiet", "--join").output
    #expect(joined.contains(/requests +4\n/) && joined.contains("access.log+1"), "\(joined)")
    let heads = try run("head")
    #expect(heads.output.contains("access.log.1\n\n") && heads.notes.contains("access.log: format"))
    #expect(try run("head", "--join").output.split(separator: "\n").count == 5)
    let refused = try LarderProcess(
      ["trace", "convert"] + files + ["a.larder"], in: scratch.folder)
    #expect(refused.exitCode == 2 && refused.noteLines.count == 1)
    #expect(refused.notes.contains("--join") && !scratch.files.contains("a.larder"))
    let converted = try LarderProcess(
      ["trace", "convert", "--join"] + files + ["a.larder"], in: scratch.folder)
    #expect(converted.exitCode == 0 && converted.notes.contains("4 requests"), "\(converted.notes)")
    for command in [["info"], ["head"]] {
      let twice = try LarderProcess(
        ["trace"] + command + ["access.log", "access.log"], in: scratch.folder)
      #expect(twice.exitCode == 2 && twice.notes.contains("given twice"))
    }
  }

  /// Each object is requested once at each of two servers, two seconds apart.
  @Test func logsOfTwoServersAreMergedByTime() throws {
    let scratch = try ScratchFolder()
    for (name, delay) in [("lb1.log", 0), ("lb2.log", 2)] {
      let lines = (0..<70).map { Self.line(($0 / 10) + delay, "o/\($0)") }
      try scratch.write(lines.joined(), to: name)
    }
    let words = ["--policy", "lru", "--capacity", "60", "--ignore-size", "--csv", "-"]
    let run = try LarderProcess(
      ["simulate", "lb1.log", "lb2.log", "--join"] + words, in: scratch.folder)
    #expect(run.output.contains(",140,70,70,0,70,0.500000,"), "\(run.output)")
    #expect(run.notes.contains("2 of 2 files overlap in time and were merged by time."))
    #expect(!run.notes.contains("out of order"))
    try scratch.write(
      "source: {trace: [lb2.log, lb1.log]}\nunit: objects\npolicies: [lru]\ncapacities: [60]\n",
      to: "w.yaml")
    let workload = try LarderProcess(["run", "w.yaml", "--output", "out"], in: scratch.folder)
    #expect(workload.exitCode == 0, "\(workload.notes)")
    let counts = try String(contentsOf: scratch.url("out/counts.csv"), encoding: .utf8)
    #expect(counts.contains(",140,70,70,0,70,0.500000,"), "\(counts)")
  }

  @Test func standardInputIsATrace() throws {
    let scratch = try folder()
    let run = try LarderProcess(
      shell: "cat access.log.1 | larder simulate - --policy lru --capacity 1MiB --csv - --quiet",
      in: scratch.folder)
    #expect(run.exitCode == 0 && run.output.contains(",stdin,"), "\(run.notes)")
    let file = try LarderProcess(
      shell: "larder trace info - --quiet < access.log", in: scratch.folder)
    #expect(file.exitCode == 0 && file.output.contains("stdin (combined)"), "\(file.notes)")
  }

  @Test func badLinesAreAnErrorBeyondTheirShare() throws {
    let scratch = try folder()
    try scratch.write(Self.line(0, "a") + "nonsense\n" + Self.line(1, "a"), to: "bad.log")
    let words = ["trace", "info", "bad.log", "--format", "combined"]
    let strict = try LarderProcess(words, in: scratch.folder)
    #expect(strict.exitCode == 2 && strict.notes.contains("bad.log:2: expected a line such as"))
    let loose = try LarderProcess(
      words.dropLast() + ["combined:max-bad=50%"], in: scratch.folder)
    #expect(loose.exitCode == 0, "\(loose.notes)")
    #expect(loose.output.contains("1 of 3 lines could not be read: bad.log:2:"))
  }

  @Test func headExplainsParsing() throws {
    let scratch = try folder()
    let run = try LarderProcess(["trace", "head", "access.log"], in: scratch.folder)
    #expect(run.exitCode == 0 && run.notes.contains("format: combined"))
    #expect(run.notes.contains("lines are %h %l %u [%t]"))
  }

  /// All commands count a set after a miss as a part of the get, and state the server's hit ratio.
  @Test func setsAfterMissesAreNoRequests() throws {
    let scratch = try folder()
    let keys = ["a", "b", "a", "c", "a", "d"]
    let lines = keys.enumerated().flatMap { second, key in
      let get = "100\(second).0 [0 127.0.0.1:5] \"GET\" \"\(key)\"\n"
      let set = "100\(second).1 [0 127.0.0.1:5] \"SET\" \"\(key)\" \"value\"\n"
      return key == "a" && second > 0 ? [get] : [get, set]
    }
    try scratch.write(lines.joined(), to: "m.log")
    let note = "had a hit ratio of about 33.3 %: 2 of 6 gets"
    let info = try LarderProcess(["trace", "info", "m.log"], in: scratch.folder)
    #expect(info.output.contains(/requests +6\n/) && info.output.contains(note), "\(info.output)")
    #expect(info.output.contains(/one-hit wonders +3 \(75.0 % of the objects\)/))
    let simulated = try LarderProcess(
      ["simulate", "m.log", "--policy", "lru", "--capacity", "100%", "--csv", "-"],
      in: scratch.folder)
    let rows = simulated.output.split(separator: "\n")
    #expect(rows.count == 2 && rows[1].contains(",6,2,2,0,4,0.333333,30,10,"), "\(rows)")
    #expect(simulated.notes.contains(note), "\(simulated.notes)")
    let advice = try LarderProcess(
      ["advise", "m.log", "--whole", "--capacity", "100B", "--json", "-"], in: scratch.folder)
    #expect(advice.output.contains(/"hitRatio" ?: ?0\.333/), "\(advice.output)")
    #expect(advice.notes.contains(note), "\(advice.notes)")
  }

  @Test func headShowsTheTextOfKeysAndWhatLinesBecame() throws {
    let scratch = try folder()
    try scratch.write(
      "example.org ::1 - - [01/Mar/2026:10:00:00 +0000] \"GET /a?x=1 HTTP/1.1\" 200 100\n"
        + "example.org ::1 - - [01/Mar/2026:10:00:00 +0000] \"POST /b HTTP/1.1\" 200 100\n"
        + "example.org ::1 - - [01/Mar/2026:10:00:00 +0000] \"PURGE /c HTTP/1.1\" 200 100\n",
      to: "host.log")
    let run = try LarderProcess(["trace", "head", "host.log"], in: scratch.folder)
    let rows = run.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(rows.first?.prefix(5) == ["time", "key", "host", "path", "query"], "\(run.output)")
    #expect(rows[1].dropFirst().prefix(4) == ["example.org/a?x=1", "example.org", "/a", "x=1"])
    #expect(rows[2].contains("bypass") && rows.count == 3)
    #expect(run.notes.contains("1 line was skipped: purges"))
    try scratch.write("id,disk,size\nuser:7,1,5\n12,1,6\n", to: "t.csv")
    let table = try LarderProcess(["trace", "head", "t.csv"], in: scratch.folder).output
    #expect(table.contains("user:7") && table.contains("12"), "\(table)")
    let joined = try LarderProcess(
      ["trace", "head", "t.csv", "--format", "csv:id=1+2"], in: scratch.folder)
    #expect(joined.output.contains("user:7 + 1"), "\(joined.output)")
    try scratch.write("k\u{1B}[31m\n", to: "t.txt")
    let hostile = try LarderProcess(
      ["trace", "head", "t.txt", "--format", "txt"], in: scratch.folder
    ).output
    #expect(hostile.contains("[31m") && !hostile.contains("\u{1B}"), "\(hostile)")
  }

  /// Commands with hit ratios say how many requests no cache may answer.
  @Test func requestsThatBypassCachesAreSaid() throws {
    let scratch = try folder()
    let post = Self.line(4, "c").replacing("GET", with: "POST")
    try scratch.write(Self.line(0, "a") + Self.line(1, "a") + post, to: "a.log")
    try scratch.write("source: {trace: a.log}\npolicies: [lru]\ncapacities: [1MiB]\n", to: "w.yaml")
    for words in [
      ["simulate", "a.log", "--policy", "lru", "--capacity", "1MiB"],
      ["mrc", "a.log", "--policy", "lru"], ["run", "w.yaml", "--output", "out"],
    ] {
      let run = try LarderProcess(words, in: scratch.folder)
      #expect(run.exitCode == 0, "\(run.notes)")
      #expect(run.notes.contains("1 of 3 requests (33 %) may not be answered"), "\(run.notes)")
    }
  }

  @Test func fileThatIsNoLogIsNamed() throws {
    let scratch = try folder()
    try scratch.write("PAR1" + String(repeating: "x", count: 100), to: "a.csv")
    let run = try LarderProcess(["trace", "info", "a.csv"], in: scratch.folder)
    #expect(run.exitCode == 2 && run.noteLines.count == 1)
    #expect(run.notes.contains("a.csv: byte 0: is a Parquet file"), "\(run.notes)")
  }

  @Test func costsAreCounted() throws {
    let scratch = try folder()
    try scratch.write(
      "id,size,cost\n1,10,2.5\n2,10,4\n1,10,2.5\n1,10,\n", to: "costs.csv")
    let run = try LarderProcess(
      ["simulate", "costs.csv", "--policy", "lru", "--capacity", "1kB", "--csv", "-", "--quiet"],
      in: scratch.folder)
    let rows = run.output.split(separator: "\n")
    #expect(rows[0].contains(",cost_requested,cost_saved,cost_saved_ratio,"))
    #expect(rows[1].contains(",11.500,5.000,0.434783,"), "\(rows)")
  }
}
