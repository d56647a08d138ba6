import ArgumentParser
import LarderExperiments
import LarderReports
import LarderSupport

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Rewrite the reports of a results folder.",
    discussion: """
      Reads results.json and runs nothing. Writes report.md and report.html into the folder, or \
      with --export only what it names.

      Examples:
        larder report Results/zipf/2026-11-21-140000
        larder report before --export html=page.html
      """)

  @Argument(help: "The folder with results.json.", completion: .directory)
  var folder: String

  @OptionGroup var exporting: ExportOption

  func validate() throws { try exporting.export.validate(known: ReportRegistry.exports) }

  func run() throws {
    try exporting.export.check()
    let results = try RunResults.read(folder)
    guard exporting.export.isEmpty else {
      return try exporting.export.write { try ReportRegistry.files($0, of: results) }
    }
    let formats = try ["markdown", "html"].map { try ReportRegistry.format(named: $0) }
    try ReportWriter(directory: folder, formats: formats).write(results)
    for format in formats { Output.line(TextSafety.singleLine("\(folder)/\(format.fileName)")) }
  }
}
