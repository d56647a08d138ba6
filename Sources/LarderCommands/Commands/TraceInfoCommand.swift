import ArgumentParser
import Foundation
import LarderTraces

/// `larder trace info`: what a trace is like.
struct TraceInfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Print statistics: requests, objects, footprint, sizes, popularity, TTLs, duration.",
    discussion: """
      Examples:
        larder trace info OLTP.lis.zst
        larder trace info log.csv --format csv:time=1:id=2:size=3
        larder trace info access.log access.log.1 access.log.2.gz
      """)

  @Argument(
    help: "The trace, or the files that make it; - for standard input.", completion: .file())
  var trace: [String]

  @OptionGroup var format: FormatOption

  @Flag(help: "Do not print progress on standard error.")
  var quiet = false

  func run() throws {
    Interrupts.listen()
    let progress = ProgressLine(isQuiet: quiet)
    let source = try FileSource(try format.reference(trace))
    progress.begin("Reading \(source.name)")
    let prepared = try TraceReading.prepare(source, progress)
    progress.end("\(prepared.requests.count) requests")
    for line in TraceInfoText.lines(TraceAnalysis(prepared), format: source.format.name) {
      Output.line(line)
    }
    for note in prepared.notes { Output.line(note) }
  }
}
