import Foundation
import TestSupport
import Testing

/// `larder mrc` from arguments to files.
@Suite(.endsInTime) struct MRCCommandTests {
  private static let trace = (0..<400).map { "\($0 * $0 % 37 + $0 % 5)\n" }.joined()

  @Test func csvEqualsSimulate() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.trace, to: "t.txt")
    let run = try LarderProcess(
      ["mrc", "t.txt", "--policy", "lru,fifo", "--csv", "-", "--quiet"], in: scratch.folder)
    #expect(run.exitCode == 0 && run.notes == "", "\(run.notes)")
    let rows = run.output.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    #expect(
      rows[0] == [
        "trace", "policy", "method", "unit", "capacity", "requests", "hits", "hit_ratio",
        "miss_ratio", "standard_error",
      ])
    #expect(rows.count > 20 && rows.allSatisfy { $0.count == 10 })
    let capacities = rows.dropFirst().filter { $0[1] == "lru" }.map { $0[4] }
    let simulated = try LarderProcess(
      [
        "simulate", "t.txt", "--policy", "lru,fifo", "--capacity",
        capacities.joined(separator: ","), "--csv", "-", "--quiet",
      ], in: scratch.folder)
    let hits = simulated.output.split(separator: "\n").dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false)[8]
    }
    #expect(rows.dropFirst().map { $0[6] } == hits.map(String.init))
  }

  @Test func drawsAndWritesFiles() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.trace, to: "t.txt")
    let run = try LarderProcess(
      ["mrc", "t.txt", "--policy", "lru", "--csv", "c.csv", "--export", "svg=c.svg"],
      in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    #expect(run.output.contains("miss ratio") && run.output.contains("90% of the best hit ratio"))
    #expect(!run.output.contains("\u{1B}"), "colour is for terminals")
    #expect(run.notes.contains("1 curve in"))
    #expect(scratch.files == ["c.csv", "c.svg", "t.txt"])
    let svg = try String(contentsOf: scratch.url("c.svg"), encoding: .utf8)
    #expect(svg.hasPrefix("<svg") && svg.contains("lru"))
    let again = try LarderProcess(
      ["mrc", "t.txt", "--policy", "lru", "--csv", "-", "--threads", "1"], in: scratch.folder)
    #expect(again.output == (try String(contentsOf: scratch.url("c.csv"), encoding: .utf8)))
  }

  @Test func severalTracesOfOneName() throws {
    let scratch = try ScratchFolder()
    try FileManager.default.createDirectory(
      at: scratch.url("b"), withIntermediateDirectories: false)
    try scratch.write(Self.trace, to: "t.txt")
    try scratch.write("1\n1\n", to: "b/t.txt")
    let run = try LarderProcess(
      ["mrc", "t.txt", "b/t.txt", "--capacity", "1", "--csv", "-", "--quiet"], in: scratch.folder)
    let rows = run.output.split(separator: "\n").dropFirst()
    #expect(rows.map { $0.split(separator: ",")[0] } == ["t.txt", "b/t.txt"], "\(run.notes)")
    #expect(rows.last == "b/t.txt,lru,exact,objects,1,2,1,0.500000,0.500000,")
  }

  @Test func samplingIsReported() throws {
    let scratch = try ScratchFolder()
    try scratch.write((0..<4000).map { "\($0 * $0 % 1999)\n" }.joined(), to: "t.txt")
    let run = try LarderProcess(
      [
        "mrc", "t.txt", "--method", "shards", "--sample", "20%", "--policy", "lru",
      ], in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    #expect(run.output.contains("shards of") && run.output.contains("standard error"))
  }

  /// A method that samples takes the sample of the whole trace; otherwise only the sample is read.
  @Test func sampleIsReadOrTakenByTheMethod() throws {
    let scratch = try ScratchFolder()
    try scratch.write((0..<4000).map { "\($0 * $0 % 1999)\n" }.joined(), to: "t.txt")
    func curve(_ words: [String]) throws -> String {
      let run = try LarderProcess(
        ["mrc", "t.txt", "--capacity", "100,500", "--csv", "-", "--quiet"] + words,
        in: scratch.folder)
      #expect(run.exitCode == 0, "\(run.notes)")
      return run.output
    }
    let words = ["--method", "shards", "--sample", "20%"]
    let shards = try curve(words)
    #expect(shards.contains(",shards,"))
    #expect(try curve(["--method", "shards", "--sample", "1/5"]) == shards)
    let (sampled, whole) = (try curve(["--sample", "20%"]), try curve([]))
    #expect(sampled != whole && sampled != shards)
    // There are no standard errors.
    #expect(sampled.split(separator: "\n").dropFirst().allSatisfy { $0.hasSuffix(",") })
  }

  @Test(arguments: [
    (["--method", "guess"], "auto, exact, shards, miniature"),
    (["--method", "shards", "--policy", "fifo"], "lru"),
    (["--sample", "2"], "--sample"), (["--sample", "0"], "--sample"),
    (["--method", "auto:samples=10"], "requires the method shards"),
    (["--method", "shards:samples=0"], "samples: expected a whole number from 1"),
    (["--method", "shards:samples=9", "--sample", "0.1"], "excludes"),
    (["--capacity", "1MiB"], "objects"), (["--capacity", "0"], "above 0"),
    (["--policy", "lruu"], "lru"),
    (["--csv", "no/such/folder/c.csv"], "c.csv"), (["--csv", "x", "--export", "svg=x"], "both"),
    (["t.txt"], "twice"), (["missing.txt"], "missing.txt"),
  ])
  func misuseIsOneLine(_ arguments: [String], _ expected: String) throws {
    let scratch = try ScratchFolder()
    try scratch.write("1\n2\n1\n", to: "t.txt")
    let run = try LarderProcess(["mrc", "t.txt", "--quiet"] + arguments, in: scratch.folder)
    #expect(run.exitCode == 2, "\(run.output)")
    #expect((run.output == "") != (expected == "missing.txt"))
    #expect(run.noteLines.count == 1 && run.notes.contains(expected), "\(run.notes)")
    #expect(scratch.files == ["t.txt"])
  }

  @Test func helpHasExamples() throws {
    let run = try LarderProcess(["mrc", "--help"])
    #expect(run.exitCode == 0)
    #expect(run.output.contains("larder mrc OLTP.lis.zst --policy lru,s3-fifo"))
  }
}
