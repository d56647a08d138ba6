import ArgumentParser
import LarderReports
import LarderSystem

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
