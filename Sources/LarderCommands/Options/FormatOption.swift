import ArgumentParser
import LarderTraces

/// The format of a trace.
struct FormatOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Format of the trace, with its options: csv:time=1:id=2:size=3. Recognised by default.",
      discussion: "'larder trace formats' lists all formats and options.", valueName: "format"))
  var format: String?

  /// The format taken apart.
  func spec() throws -> ComponentSpec? { try format.map { try ComponentSpec(parsing: $0) } }
}
