import ArgumentParser
import Foundation
import LarderReports
import LarderSupport

/// `larder report`: writes reports of runs that were made.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Rewrite the reports of a results folder.",
    discussion: """
      Reads results.json and runs nothing: for results of an older version, or for a report that \
      the workload file did not request.

      Examples:
        larder report Results/zipf/2026-11-21-140000
        larder report before --format html --output /tmp/page
      """)

  @Argument(help: "The folder with results.json.", completion: .directory)
  var folder: String

  @Option(help: "Reports to write, separated by commas. By default markdown,html.")
  var format: String?

  @Option(help: "Folder for the files. By default the results folder.", completion: .directory)
  var output: String?

  func run() throws {
    let formats = try (format ?? "markdown,html").split(separator: ",").map {
      try ReportRegistry.format(named: $0.trimmingCharacters(in: .whitespaces))
    }
    let results = try ResultsFolder.results(in: folder)
    let directory = output ?? folder
    try ReportWriter(directory: directory, formats: formats).write(results)
    for format in formats { Output.line(TextSafety.singleLine("\(directory)/\(format.fileName)")) }
  }
}
