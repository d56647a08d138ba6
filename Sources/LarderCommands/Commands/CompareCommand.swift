import ArgumentParser
import LarderExperiments
import LarderReports

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Show what changed between two results folders.",
    discussion: """
      Counts are compared exactly, and results of different traces are refused. Lists every cell \
      that is better, worse or different, and cells that are in one folder only. Memory and disk \
      of executed cells may differ by 5 %. Timings are shown with their spread but not judged; use \
      'larder check --against' for that. The exit code is 0 unless --fail-on-worse is given.

      Examples:
        larder compare Results/ci/before Results/ci/after
        larder compare before after --export markdown=-
      """)

  @Argument(help: "The earlier results: a folder, or its results.json.", completion: .directory)
  var before: String

  @Argument(help: "The later results.", completion: .directory)
  var after: String

  @OptionGroup var exporting: ExportOption

  @Flag(help: "Exit with 1 if a cell is worse or missing, or uses more memory or disk.")
  var failOnWorse = false

  func validate() throws {
    try exporting.export.validate(known: RunComparisonFormat.allCases.map(\.rawValue))
  }

  func run() throws {
    try exporting.export.check()
    let (earlier, later) = (try RunResults.read(before), try RunResults.read(after))
    let changes = TraceFacts.changes(from: earlier.traces, to: later.traces)
    if !changes.isEmpty {
      throw UsageError(
        "\(before) and \(after) are of different traces, so their counts cannot be compared: "
          + changes.joined(separator: "; "))
    }
    let comparison = RunComparison(earlier, named: before, with: later, named: after)
    try exporting.export.write { name in
      [
        ReportFile(
          name: "", text: try (RunComparisonFormat(rawValue: name) ?? .text).text(of: comparison))
      ]
    }
    if !exporting.export.takesOutput {
      Output.text(
        try RunComparisonFormat.text.text(of: comparison, colour: Output.usesColour))
    }
    let worse = comparison.counts.changes(.worse).count
    let missing = comparison.counts.missing.count
    let larger = comparison.resources.worse.count
    if failOnWorse, worse + missing + larger > 0 {
      throw CheckOutcome(
        description: "\(worse) cells are worse, \(missing) are missing, and \(larger) figures of "
          + "memory and disk use are worse",
        code: 1)
    }
  }
}
