import Foundation
import TestSupport
import Testing

/// `larder advise` from arguments to files.
@Suite(.endsInTime) struct AdviseCommandTests {
  private static let trace = (0..<600).map { "\($0 % 40)\n" }.joined()

  private static func words(_ run: LarderProcess) -> String {
    run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test func aScreenAndFiles() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.trace, to: "t.txt")
    try FileManager.default.createDirectory(
      at: scratch.url("out"), withIntermediateDirectories: false)
    let run = try LarderProcess(
      ["advise", "t.txt", "--capacity", "20", "--export", "json=advice.json"]
        + ["--export", "html=advice.html", "--export", "markdown=out/advice.md"],
      in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix("┌──") == true, "\(run.output)")
    #expect(lines.contains { $0.hasPrefix("Advice     20 objects with ") }, "\(run.output)")
    #expect(Self.words(run).contains("would need 40 objects for as much"))
    #expect(run.output.contains("Assumed: "))
    #expect(lines.allSatisfy { $0.count <= 100 } && lines.count < 55)
    #expect(run.notes.contains("designs at 1 capacity in"))
    #expect(!run.output.contains("\u{1B}"))
    let files = scratch.files.filter { !$0.hasPrefix("out/charts/") }
    #expect(files == ["advice.html", "advice.json", "out", "out/advice.md", "out/charts", "t.txt"])
    let json = try String(contentsOf: scratch.url("advice.json"), encoding: .utf8)
    let printed = try LarderProcess(
      ["advise", "t.txt", "--capacity", "20", "--json", "-", "--threads", "1", "--quiet"],
      in: scratch.folder)
    #expect(printed.output == json && printed.notes.isEmpty)
  }

  /// The server's own HIT and MISS, and its key without the parameters of campaigns.
  @Test func todayIsComparedWithinTheServer() throws {
    let scratch = try ScratchFolder()
    let log = (0..<600).map { place in
      let time =
        "12/Mar/2026:10:\(String(100 + place / 60).suffix(2)):"
        + "\(String(100 + place % 60).suffix(2)) +0000"
      return "10.0.0.1 - - [\(time)] \"GET /page\(place % 40)?utm_source=\(place % 7) HTTP/1.1\" "
        + "200 1000 \"-\" \"-\" \(place % 3 == 0 ? "HIT" : "MISS")\n"
    }.joined()
    try scratch.write(log, to: "access.log")
    let format =
      #"combined:log-format=$remote_addr - - [$time_local] "$request" $status $body_bytes_sent "#
      + #""$http_referer" "$http_user_agent" $upstream_cache_status"#
    try scratch.write(
      "memory-per-gib-month: 3\n", to: "prices.yaml")
    let run = try LarderProcess(
      ["advise", "access.log", "--format", format, "--current", "nginx:400KB", "--quiet"]
        + ["--prices", "prices.yaml", "--export", "html=a.html", "--export", "json=a.json"],
      in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    let words = Self.words(run)
    #expect(run.output.hasPrefix("┌") && words.contains("hit ratio in the log 33.33 %"), "\(words)")
    #expect(words.contains("key whole query=drop") && words.contains("USD a month"), "\(words)")
    #expect(run.output.split(separator: "\n").count < 30)
    let page = try String(contentsOf: scratch.url("a.html"), encoding: .utf8)
    #expect(page.contains("fewer query parameters in the key"))
    let json = try String(contentsOf: scratch.url("a.json"), encoding: .utf8)
    #expect(json.contains(#""keyOption" : "query=drop""#))
    // A workload that names the log proposes the same.
    try scratch.write(
      """
      source: {trace: access.log, format: '\(format)'}
      current: nginx:400KB
      advise: {prices: prices.yaml}
      policies: [lru]
      capacities: [400KB]

      """, to: "w.yaml")
    for words in [["advise", "w.yaml", "--quiet"], ["run", "w.yaml", "--output", "out"]] {
      let other = try LarderProcess(words, in: scratch.folder)
      #expect(Self.words(other).contains("key whole query=drop"), "\(other.output)\(other.notes)")
    }
    let report = try String(contentsOf: scratch.url("out/report.html"), encoding: .utf8)
    #expect(report.contains("fewer query parameters in the key"))
  }

  @Test func severalTraces() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.trace, to: "a.txt")
    try scratch.write(Self.trace, to: "b.txt")
    let run = try LarderProcess(
      ["advise", "a.txt", "b.txt", "--whole", "--quiet"], in: scratch.folder)
    #expect(run.exitCode == 0 && run.output.contains("a.txt") && run.output.contains("b.txt"))
  }

  /// The workload's traces, seed and advice settings.
  @Test func workloadFileSetsTracesAndSeed() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.trace, to: "a.txt")
    try scratch.write(Self.trace, to: "b.txt")
    let workload = """
      source: {traces: [a.txt, [b.txt]]}
      policies: [lru, fifo]
      capacities: [20]
      advise: {capacities: [20], learn: whole, tiers: memory}

      """
    try scratch.write(workload, to: "w.yaml")
    let advice = try LarderProcess(
      ["advise", "w.yaml", "--quiet"], in: scratch.folder)
    #expect(advice.exitCode == 0, "\(advice.notes)")
    let run = try LarderProcess(["run", "w.yaml", "--output", "run"], in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    // What is recommended is the end of the screen, and stands there once.
    for output in [advice.output, run.output] { #expect(output.count { $0 == "┌" } == 2) }
    #expect(run.output.hasSuffix("┘\n") && run.output.hasPrefix("a.txt\n\n"))
    #expect(run.notes.contains("run/b.txt/advice.html"))
    for file in ["a.txt/advice.json", "b.txt/advice.json"] {
      #expect(scratch.files.contains("run/\(file)"))
    }
    let counts = try String(contentsOf: scratch.url("run/counts.csv"), encoding: .utf8)
    #expect(counts.split(separator: "\n").count == 1 + 2 * 2)
    // Options take precedence over the file.
    let other = try LarderProcess(
      ["advise", "w.yaml", "--capacity", "30", "--quiet"], in: scratch.folder)
    #expect(other.output.contains("30 objects with"), "\(other.output)")
  }

  @Test func filesOfOneTrace() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.trace, to: "whole.txt")
    let lines = (0..<600).map { "\($0),\($0 % 40)\n" }
    try scratch.write(lines[300...].joined(), to: "new.csv")
    try scratch.write(lines[..<300].joined(), to: "old.csv")
    let whole = try LarderProcess(
      ["advise", "whole.txt", "--capacity", "20", "--quiet"],
      in: scratch.folder)
    let joined = try LarderProcess(
      ["advise", "new.csv", "old.csv", "--join", "--format", "csv:time=1:id=2"]
        + ["--capacity", "20", "--quiet"], in: scratch.folder)
    #expect(joined.exitCode == 0, "\(joined.notes)")
    let advice = { (run: LarderProcess) in run.output.components(separatedBy: "\nAdvice ").last }
    #expect(advice(joined)?.prefix(60) == advice(whole)?.prefix(60))
  }

  /// The screen names the part of the trace that a hit ratio covers, and shows that of the whole.
  @Test func partialHitRatioIsShownWithTheTotal() throws {
    let scratch = try ScratchFolder()
    let lines = (0..<600).map { "\($0 % 40),get\n\(1000 + $0),bypass\n" }
    try scratch.write(lines.joined(), to: "t.csv")
    let words = ["advise", "t.csv", "--format", "csv:id=1:op=2", "--capacity", "40", "--quiet"]
    let run = try LarderProcess(words, in: scratch.folder)
    #expect(
      Self.words(run).contains(
        "lru serves 50.0 % of requests in the last 50 % of the trace, of which 50.0 % may not be "
          + "cached, with a warm cache (46.7 % of all)"), "\(run.output)\(run.notes)")
    let whole = try LarderProcess(words + ["--whole", "--ignore-size"], in: scratch.folder)
    #expect(
      Self.words(whole).contains("lru serves 46.7 % of requests (50.0 % may not be cached), "),
      "\(whole.output)")
  }

  @Test func rowNumbersAsIdsAreTheAnswer() throws {
    let scratch = try ScratchFolder()
    try scratch.write((0..<600).map { "\($0),\(100 + $0 % 7)\n" }.joined(), to: "t.csv")
    let words = ["advise", "t.csv", "--format", "csv:id=1:size=2", "--quiet"]
    let run = try LarderProcess(words + ["--export", "json=advice.json"], in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    #expect(Self.words(run).contains("no request is for an object seen before (0 of 600)"))
    #expect(!run.output.contains("knee") && !run.output.contains("Keep lru"))
    let json = try String(contentsOf: scratch.url("advice.json"), encoding: .utf8)
    #expect(json.contains("\"obstacle\" : \"nothingRepeats\"") && !json.contains("\"reason\""))
  }

  @Test func promptsAreAdvisedOnByPrefixes() throws {
    let scratch = try ScratchFolder()
    let made = try LarderProcess(
      ["trace", "generate", "llm-prefix", "--requests", "3000", "p.larder"],
      in: scratch.folder)
    #expect(made.exitCode == 0, "\(made.notes)")
    let run = try LarderProcess(
      ["advise", "p.larder", "--capacity", "200", "--prefix", "tail", "--policy", "lru,sieve"]
        + ["--quiet"], in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    let words = Self.words(run)
    #expect(words.contains("of prompt blocks as prefix hits in the last 50 %"), "\(words)")
    #expect(words.contains("which saves computing"))
  }

  @Test func parametersOfOnePolicyAreFound() throws {
    let scratch = try ScratchFolder()
    let trace = (0..<4000).map { "\($0 * $0 % 370 + $0 % 5)\n" }.joined()
    try scratch.write(trace, to: "t.txt")
    let run = try LarderProcess(
      ["advise", "t.txt", "--policy", "s4-fifo", "--capacity", "40", "--whole", "--json", "-"]
        + ["--quiet"], in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    struct Advice: Decodable {
      struct Capacity: Decodable {
        struct Design: Decodable { var hitRatio: Double }
        var advised: Design
      }
      var capacities: [Capacity]
    }
    let advice = try JSONDecoder().decode(Advice.self, from: Data(run.output.utf8))
    let simulated = try LarderProcess(
      ["simulate", "t.txt", "--policy", "s4-fifo:*", "--capacity", "40", "--csv", "-", "--quiet"],
      in: scratch.folder)
    let ratios = simulated.output.split(separator: "\n").dropFirst().compactMap {
      Double($0.split(separator: ",", omittingEmptySubsequences: false)[12])
    }
    let best = try #require(ratios.max())
    // Simpler parameters may be up to 0.2 points worse.
    let advised = advice.capacities.first?.advised.hitRatio ?? 0
    #expect(ratios.count == 18 && advised >= best - 0.002 - 1e-6)
  }

  @Test func pricesChooseTheCapacity() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.trace, to: "t.txt")
    try scratch.write("memory-per-gib-month: 0\ncurrency: EUR\n", to: "free.yaml")
    let run = try LarderProcess(
      ["advise", "t.txt", "--capacity", "10,40", "--prices", "free.yaml", "--quiet"],
      in: scratch.folder)
    #expect(Self.words(run).contains("40 objects is the cheapest"), "\(run.output)")
    #expect(run.output.contains("EUR") && !run.output.contains("example prices"))
  }

  @Test(arguments: [
    (["t.txt", "--capacity", "64MiB"], "t.txt: "),
    (["t.txt", "t.txt"], "t.txt is given twice"),
    (["t.txt", "u.txt", "--json", "-"], "write the advice for one trace"),
    (["t.txt", "--prices", "none.yaml"], "none.yaml"),
    (["t.txt", "--prices", "bad.yaml"], "bad.yaml:1: unknown key"), (["one.txt"], "too few"),
    (["none.txt"], "none.txt"), (["t.txt", "w.yaml"], "'w.yaml' is a workload file"),
    (["w.yaml", "--join"], "'w.yaml' defines how its traces are read"),
    (["w.yaml", "--sample", "10%"], "'w.yaml' defines how its traces are read"),
    (["t.txt", "--prefix", "tail"], "t.txt: has no prompts"),
    (["t.txt", "--policy", "belady"], "'belady' cannot be recommended: it knows the future"),
    (["t.txt", "--policy", "lruu"], "lruu"),
    (["t.txt", "--export", "pdf=a"], "json, markdown, html"),
    (["t.txt", "--current", "redis:4GiB"], "redis needs its policy, one of allkeys-lru"),
    (["t.txt", "--current", "lru:1MiB"], "t.txt: capacity '1MiB'"),
  ])
  func badArguments(_ arguments: [String], _ message: String) throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.trace, to: "t.txt")
    try scratch.write("1\n1\n", to: "one.txt")
    try scratch.write("price: 3\n", to: "bad.yaml")
    let run = try LarderProcess(
      ["advise"] + arguments + ["--quiet"], in: scratch.folder)
    #expect(run.exitCode == 2 && run.output.isEmpty)
    #expect(run.noteLines.count == 1 && run.notes.contains(message), "\(run.notes)")
  }
}
