import ArgumentParser
import LarderTraces

/// `larder trace convert`: a trace in another format.
struct TraceConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Write a trace as a prepared trace, CSV or oracleGeneral.",
    discussion: """
      A prepared trace (.larder) opens fastest: it is read as it is. One that is larger than half \
      of the free memory is mapped instead, if it is not compressed. Replace such a file (write \
      another and rename it) instead of changing or shortening it while a command uses it: the \
      command would count what is not in the trace, or end with an error.

      Examples:
        larder trace convert OLTP.lis.zst oltp.larder
        larder trace convert big.vscsi.zst big.csv
      """)

  @Argument(help: "The trace.", completion: .file())
  var trace: String

  @Argument(help: "The file to write.", completion: .file())
  var destination: String

  @OptionGroup var format: FormatOption

  @OptionGroup var output: WriterOption

  @Flag(help: "No progress on standard error.")
  var quiet = false

  func run() throws {
    Interrupts.listen()
    let writer = try output.writer(for: destination)
    try OutputFile.check(destination)
    let progress = ProgressLine(isQuiet: quiet)
    progress.begin("Reading \(trace)")
    let source = try FileSource(path: trace, format: try format.spec())
    let prepared = try TraceReading.prepare(source, progress)
    try writer.write(prepared, to: destination)
    progress.end("\(destination): \(prepared.requests.count) requests, \(writer.name)")
    let lost = prepared.columns.subtracting(writer.columns)
    if !lost.isEmpty { progress.note("left out: \(lost.names.joined(separator: ", "))") }
  }
}
