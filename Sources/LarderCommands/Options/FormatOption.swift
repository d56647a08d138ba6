import ArgumentParser
import LarderTraces

/// The format of a trace.
struct FormatOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Format of the trace, with its options: csv:time=1:id=2:size=3. Recognised by default.",
      discussion: "'larder trace formats' lists all formats and options.", valueName: "format"))
  var format: String?

  @Option(
    help: ArgumentHelp(
      """
      Share of lines of a log or table that may be unreadable. They are counted, and the first \
      three are shown.
      """, valueName: "share"))
  var maxBad: ShareOption?

  @Option(
    help: ArgumentHelp(
      """
      Share of the objects to read, for traces that are too large: 1/100, 1% or 0.01. Capacities \
      are scaled by it, and results are estimates for all objects.
      """, valueName: "share"))
  var sample: SampleOption?

  /// Files that make one trace, and how to read them.
  func reference(_ paths: [String]) throws -> TraceReference {
    TraceReference(
      path: paths.first ?? "", morePaths: paths.count > 1 ? Array(paths.dropFirst()) : nil,
      format: try spec(), maxBadShare: maxBad?.share,
      sample: sample?.rate)
  }

  /// The format taken apart.
  func spec() throws -> ComponentSpec? { try format.map { try ComponentSpec(parsing: $0) } }
}
