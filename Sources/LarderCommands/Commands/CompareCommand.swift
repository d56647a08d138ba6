import ArgumentParser
import Foundation
import LarderReports
import LarderSimulation

/// `larder compare`: what changed between two results folders.
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Show what changed between two results folders.",
    discussion: """
      Counts are compared exactly: every cell that got better or worse or is different is listed, \
      and cells that only one of the two has. Timings are shown with their spread and never \
      judged; 'larder check --against' does that. Exit code 0, whatever changed, unless \
      --fail-on-worse is given.

      Examples:
        larder compare Results/ci/before Results/ci/after
        larder compare before after --format markdown
      """)

  @Argument(help: "The earlier results: a folder, or its results.json.", completion: .directory)
  var before: String

  @Argument(help: "The later results.", completion: .directory)
  var after: String

  @Option(help: "How to print it: text, markdown, csv or json.")
  var format: RunComparisonFormat = .text

  @Flag(help: "Exit with 1 when a cell is worse or missing.")
  var failOnWorse = false

  func run() throws {
    let comparison = RunComparison(
      try Self.results(before), named: before, with: try Self.results(after), named: after)
    Output.text(try format.text(of: comparison, colour: Output.usesColour))
    let worse = comparison.counts.changes(.worse).count
    let missing = comparison.counts.missing.count
    if failOnWorse, worse + missing > 0 {
      throw CheckOutcome(
        description: "\(worse) cells are worse and \(missing) are missing", code: 1)
    }
  }

  /// The results in a folder, or in the file itself.
  private static func results(_ path: String) throws -> RunResults {
    var isFolder = ObjCBool(false)
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw UsageError("\(path): there is no such folder; expected one that larder run has written")
    }
    let file = isFolder.boolValue ? (path as NSString).appendingPathComponent("results.json") : path
    guard FileManager.default.fileExists(atPath: file) else {
      throw UsageError("\(path): holds no results.json; expected a folder of larder run")
    }
    return try RunResults.decode(try InputFile.bytes(file), name: file)
  }
}

extension RunComparisonFormat: ExpressibleByArgument {}
