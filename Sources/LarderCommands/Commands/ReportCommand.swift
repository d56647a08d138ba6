import ArgumentParser
import Foundation
import LarderReports
import LarderSupport

/// `larder report`: the reports of a run that was made, written again.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Rewrite the reports of a results folder from its results.json.",
    discussion: """
      For results of an older version, or for a report that the workload file did not request. \
      Nothing is run.

      Examples:
        larder report Results/zipf/2026-11-21-140000
        larder report before --format html --output /tmp/page
      """)

  @Argument(help: "The folder with results.json.", completion: .directory)
  var folder: String

  @Option(help: "Reports to write, separated by commas.")
  var format = "markdown,html"

  @Option(help: "Folder for the files. By default the results folder.", completion: .directory)
  var output: String?

  func run() throws {
    let formats = try format.split(separator: ",").map {
      try ReportRegistry.format(named: $0.trimmingCharacters(in: .whitespaces))
    }
    let results = try ResultsFolder.results(in: folder)
    let directory = output ?? folder
    try ReportWriter(directory: directory, formats: formats).write(results)
    for format in formats { Output.line(TextSafety.singleLine("\(directory)/\(format.fileName)")) }
  }
}

/// `larder index`: the page that lists the runs of a folder.
struct IndexCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "index",
    abstract: "Write index.html, which lists the runs below a folder.",
    discussion: """
      'larder run' does this for Results; do it again after moving or deleting runs. Folders \
      without a results.json are skipped.

      Examples:
        larder index
        larder index /tmp/runs
      """)

  @Argument(help: "The folder with the runs.", completion: .directory)
  var folder = RunDirectory.root

  func run() throws {
    let index = try ResultsIndex(of: folder)
    try ReportWriter.write(index.text, to: ResultsIndex.path(in: folder))
    Output.line(TextSafety.singleLine(ResultsIndex.path(in: folder)))
    for path in index.unreadable { Notes.line("skipped: \(path)") }
  }
}
