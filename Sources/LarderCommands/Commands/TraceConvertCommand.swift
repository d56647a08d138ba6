import ArgumentParser
import LarderTraces

/// `larder trace convert`: a trace in another format.
struct TraceConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert a trace to a prepared trace, CSV or oracleGeneral.",
    discussion: """
      A prepared trace (.larder) opens fastest: it is read without parsing. If it is larger than \
      half of the free memory and not compressed, it is memory-mapped. While a command uses it, do \
      not modify or truncate such a file; write another and rename it. Otherwise the command \
      counts requests that are not in the trace, or fails.

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

  @Flag(help: "Do not print progress on standard error.")
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
    if !lost.isEmpty { progress.note("not written: \(lost.names.joined(separator: ", "))") }
  }
}
