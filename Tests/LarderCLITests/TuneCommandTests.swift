import Foundation
import TestSupport
import Testing

/// `larder tune` from its arguments to its output.
@Suite(.endsInTime) struct TuneCommandTests {
  private static let trace = (0..<4000).map { "\($0 * $0 % 370 + $0 % 5)\n" }.joined()

  private struct Tuning: Decodable {
    struct Point: Decodable {
      struct Trial: Decodable {
        var policy: String
        var hits: Int?
      }
      var capacity: Int
      var defaults: Trial
      var trials: [Trial]
    }
    var trace: String
    var configurations: Int
    var points: [Point]
  }

  @Test func jsonEqualsSimulate() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.trace, to: "t.txt")
    let run = try LarderProcess(
      ["tune", "t.txt", "--policy", "s4-fifo", "--capacity", "40,80", "--json", "-", "--quiet"],
      in: scratch.folder)
    #expect(run.exitCode == 0 && run.notes == "", "\(run.notes)")
    let tunings = try JSONDecoder().decode([Tuning].self, from: Data(run.output.utf8))
    let tuning = try #require(tunings.first)
    #expect(tuning.configurations == 18 && tuning.points.map(\.capacity) == [40, 80])
    let simulated = try LarderProcess(
      [
        "simulate", "t.txt", "--policy", "s4-fifo:*", "--capacity", "40", "--csv", "-", "--quiet",
      ], in: scratch.folder)
    #expect(simulated.exitCode == 0, "\(simulated.notes)")
    let hits = simulated.output.split(separator: "\n").dropFirst().compactMap {
      Int($0.split(separator: ",", omittingEmptySubsequences: false)[8])
    }
    #expect(hits.count == 18)
    #expect(tuning.points[0].trials.map(\.hits) == hits.sorted(by: >))
  }

  @Test func printsATable() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.trace, to: "t.txt")
    let run = try LarderProcess(
      ["tune", "t.txt", "--policy", "2q", "--capacity", "10%", "--json", "t.json"],
      in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    #expect(run.output.contains("5 configurations") && run.output.contains("hit ratio"))
    #expect(scratch.files == ["t.json", "t.txt"])
  }

  @Test(arguments: [
    (["--policy", "lru"], "declares no configurations"),
    (["--policy", "s4-fifo:small=0.2"], "without parameters"),
    (["--policy", "s4-fifo,2q"], "without parameters"),
    (["--policy", "s5-fifo"], "did you mean 's3-fifo'"),
    (["--policy", "2q", "--rate", "0"], "--rate '0'"),
    (["--policy", "2q", "--finalists", "0"], "--finalists expects"),
    (["--policy", "2q", "--unit", "bytes"], "has no sizes"),
  ])
  func refusesInOneLine(arguments: [String], problem: String) throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.trace, to: "t.txt")
    let run = try LarderProcess(
      ["tune", "t.txt", "--capacity", "10", "--quiet"] + arguments, in: scratch.folder)
    #expect(run.exitCode == 2 && run.output == "")
    #expect(run.notes.contains(problem), "\(run.notes)")
  }
}
