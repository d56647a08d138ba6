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

      Writing one takes the memory of the keys alone, 20 to 35 bytes per distinct object, and \
      twice the space of the file on the disk of its folder while it is written. Other formats \
      take memory for all requests.

      Examples:
        larder trace convert OLTP.lis.zst oltp.larder
        larder trace convert big.vscsi.zst big.csv
        larder trace convert access.log access.log.1 access.log.2.gz site.larder
      """)

  @Argument(
    help: ArgumentHelp(
      """
      The trace, or the files that make it (- for standard input), and last the file to write.
      """, valueName: "trace> ... <destination"),
    completion: .file())
  var files: [String]

  private var destination: String { files.last ?? "" }

  /// The folder of the destination.
  private var folder: String {
    guard let slash = destination.lastIndex(of: "/") else { return "." }
    return slash == destination.startIndex ? "/" : String(destination[..<slash])
  }

  @OptionGroup var format: FormatOption

  @OptionGroup var output: WriterOption

  @Flag(help: "Do not print progress on standard error.")
  var quiet = false

  func validate() throws {
    guard files.count > 1 else {
      throw ValidationError("expected a trace and the file to write, found one file")
    }
  }

  func run() throws {
    Interrupts.listen()
    let writer = try output.writer(for: destination)
    try OutputFile.check(destination)
    let progress = ProgressLine(isQuiet: quiet)
    let source = try FileSource(try format.reference(files.dropLast()))
    progress.begin("Reading \(source.name)")
    // The others look at the columns more than once, or need more of them.
    let isReadInOrder = writer.name == "larder"
    let prepared = try TraceReading.prepare(
      source, progress, spillingTo: isReadInOrder ? folder : nil)
    try writer.write(prepared, to: destination)
    progress.end("\(destination): \(prepared.requests.count) requests, \(writer.name)")
    for note in prepared.notes { progress.note(note) }
    let lost = prepared.columns.subtracting(writer.columns)
    if prepared.sampling.isPart, writer.name != "larder" {
      progress.note(
        "not written: that the trace is a sample; scale capacities by \(prepared.sampling.rate)")
    }
    if !lost.isEmpty { progress.note("not written: \(lost.names.joined(separator: ", "))") }
  }
}
