import ArgumentParser
import Foundation
import LarderReports
import LarderSupport

/// `larder report`: writes reports of runs that were made.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Rewrite the reports of a results folder, or list the runs below a folder.",
    discussion: """
      Reads results.json and runs nothing: for results of an older version, or for a report that \
      the workload file did not request. With --index, writes index.html, which lists the runs \
      below the folder; those without a results.json are skipped.

      Examples:
        larder report Results/zipf/2026-11-21-140000
        larder report before --format html --output /tmp/page
        larder report --index
      """)

  @Argument(
    help: "The folder with results.json; with --index the folder of all runs, by default Results.",
    completion: .directory)
  var folder: String?

  @Flag(help: "Write index.html, a list of the runs below the folder.")
  var index = false

  @Option(help: "Reports to write, separated by commas. By default markdown,html.")
  var format: String?

  @Option(help: "Folder for the files. By default the results folder.", completion: .directory)
  var output: String?

  func validate() throws {
    if index, format != nil || output != nil {
      throw ValidationError("--index writes index.html into the folder; remove --format, --output")
    }
    if !index, folder == nil {
      throw ValidationError("expected a results folder, or --index")
    }
  }

  func run() throws {
    if index { return try list(folder ?? RunDirectory.root) }
    guard let folder else { return }
    let formats = try (format ?? "markdown,html").split(separator: ",").map {
      try ReportRegistry.format(named: $0.trimmingCharacters(in: .whitespaces))
    }
    let results = try ResultsFolder.results(in: folder)
    let directory = output ?? folder
    try ReportWriter(directory: directory, formats: formats).write(results)
    for format in formats { Output.line(TextSafety.singleLine("\(directory)/\(format.fileName)")) }
  }

  private func list(_ folder: String) throws {
    let index = try ResultsIndex(of: folder)
    try ReportWriter.write(index.text, to: ResultsIndex.path(in: folder))
    Output.line(TextSafety.singleLine(ResultsIndex.path(in: folder)))
    for path in index.unreadable { Notes.line("skipped: \(path)") }
  }
}
