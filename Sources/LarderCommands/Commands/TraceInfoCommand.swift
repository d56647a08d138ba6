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
      """)

  @Argument(help: "The trace.", completion: .file())
  var trace: String

  @OptionGroup var format: FormatOption

  @Flag(help: "Do not print progress on standard error.")
  var quiet = false

  func run() throws {
    Interrupts.listen()
    let progress = ProgressLine(isQuiet: quiet)
    progress.begin("Reading \(trace)")
    let source = try FileSource(path: trace, format: try format.spec())
    let prepared = try TraceReading.prepare(source, progress)
    progress.end("\(prepared.requests.count) requests")
    for line in TraceInfoText.lines(TraceAnalysis(prepared), format: source.format.name) {
      Output.line(line)
    }
  }
}
