import ArgumentParser
import LarderEngine
import LarderReports
import LarderSupport
import LarderTraces

struct TraceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Inspect, convert, generate and record traces.",
    discussion: """
      Examples:
        larder trace info OLTP.lis.zst
        larder trace head web.csv --count 5
        larder trace convert OLTP.lis.zst oltp.larder
        larder trace generate zipf:objects=100000:exponent=0.9 --requests 1000000 zipf.larder
        redis-cli monitor | larder trace record - traffic.recorded
      """,
    subcommands: [
      TraceInfoCommand.self, TraceHeadCommand.self, TraceConvertCommand.self,
      TraceGenerateCommand.self, TraceRecordCommand.self,
    ])
}

struct TraceGenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Generate a trace.",
    discussion: """
      The same generator, parameters and seed give the same trace on every machine. Workload files \
      also generate sizes, TTLs and operations.

      Examples:
        larder trace generate zipf:objects=1000000:exponent=1 --requests 20000000 zipf.larder
        larder trace generate news-feed --requests 1000000 --seed 7 news.csv
      """)

  @Argument(help: "The generator with its parameters ('larder list generators' lists them).")
  var generator: String

  @Argument(help: "The file to write.", completion: .file())
  var destination: String

  @Option(
    help: "Number of requests: 250k, 20M; 1M by default.", transform: parseRequests)
  var requests = 1_000_000

  @Option(help: "Seed of the generator.")
  var seed: UInt64 = 1

  @Flag(help: "Do not print progress on standard error.")
  var quiet = false

  func run() throws {
    Interrupts.listen()
    let writer = try TraceWriter.writer(
      for: destination, "name a file .larder, .csv or .oracleGeneral")
    let component = try ComponentSpec(parsing: generator)
    let spec = SourceSpec.generator(GeneratorSpec(component: component, requests: requests))
    let source = try spec.makeSource(seed: seed) { reference in
      try FileSource(path: reference.path, format: reference.format)
    }
    try OutputFile.check(destination)
    let progress = ProgressLine(isQuiet: quiet)
    progress.begin("Generating \(component.name)", total: requests)
    let prepared = try PreparedTrace.prepare(
      source: source, name: component.name, progress: progress.reading())
    try writer.write(prepared, to: destination)
    progress.end(
      "\(destination): \(prepared.requests.count) requests, \(prepared.requests.objects) objects")
  }
}

struct TraceConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert a trace to a prepared trace, CSV or oracleGeneral.",
    discussion: """
      A prepared trace (.larder) opens fastest: it is read without parsing. If it is larger than \
      half of the free memory and not compressed, it is memory-mapped. While a command uses it, do \
      not modify or truncate such a file; write another and rename it. Otherwise the command \
      counts requests that are not in the trace, or fails.

      Writing one needs memory for the keys alone, 20 to 35 bytes per distinct object, and \
      temporarily twice the space of the file in its folder. Other formats need memory for all \
      requests.

      Examples:
        larder trace convert OLTP.lis.zst oltp.larder
        larder trace convert big.vscsi.zst big.csv
        larder trace convert --join access.log access.log.1 access.log.2.gz site.larder
      """)

  @Argument(
    help: ArgumentHelp(
      """
      The trace, or with --join the files to merge (- for standard input), and last the file to \
      write.
      """, valueName: "trace> ... <destination"),
    completion: .file())
  var files: [String]

  private var destination: String { files.last ?? "" }

  @OptionGroup var joining: JoinOption

  @OptionGroup var format: FormatOption

  @Option(help: "Format to write: larder, csv or oracle-general. By default chosen by file name.")
  var to: String?

  @Flag(help: "Do not print progress on standard error.")
  var quiet = false

  func validate() throws {
    guard files.count > 1 else {
      throw ValidationError("expected a trace and the file to write, found one file")
    }
    if files.count > 2, !joining.join {
      throw ValidationError(
        "\(files.count - 1) traces for one output file; --join merges them")
    }
    if files.dropLast().contains(destination) {
      throw ValidationError(
        "\(destination) is the trace, and would be overwritten: name another file")
    }
  }

  func run() throws {
    Interrupts.listen()
    let writer =
      try to.map { try TraceWriter.named($0) }
      ?? TraceWriter.writer(
        for: destination,
        "use --to with one of \(TraceWriter.all.map(\.name).joined(separator: ", "))")
    try OutputFile.check(destination)
    let progress = ProgressLine(isQuiet: quiet)
    let source = try FileSource(try format.reference(files.dropLast()))
    progress.begin("Reading \(source.name)")
    // The others look at the columns more than once, or need more of them.
    let isReadInOrder = writer.name == "larder"
    let prepared = try PreparedTrace.load(
      source, spillingTo: isReadInOrder ? ReportWriter.folder(of: destination) : nil,
      progress: progress.reading(source))
    try writer.write(prepared, to: destination)
    progress.end("\(destination): \(prepared.requests.count) requests, \(writer.name)")
    for note in prepared.notes { progress.note(note) }
    let lost = prepared.columns.subtracting(writer.columns)
    if prepared.sampling.isPart, writer.name != "larder" {
      progress.note(
        "the format cannot store that the trace is a sample; scale capacities by "
          + "\(prepared.sampling.rate)")
    }
    if !lost.isEmpty { progress.note("not written: \(lost.names.joined(separator: ", "))") }
  }
}

struct TraceHeadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "head",
    abstract: "Print the first requests of a trace.",
    discussion: """
      Times are in seconds. A key is the number or the text in the trace; in web logs its parts \
      follow. Unknown sizes and costs are empty; op is the operation that the line became. Notes \
      on standard error say how lines were parsed, and which were skipped.

      Examples:
        larder trace head OLTP.lis.zst --count 5
        larder trace head access.log
      """)

  @OptionGroup var input: TraceOptions

  @Option(name: [.customShort("n"), .long], help: "Number of requests.")
  var count: Int = 10

  /// Rows are kept until all are read, for the widths of their columns.
  private static let countMax = 100_000
  private static let textMax = 200

  func validate() throws {
    guard (1...Self.countMax).contains(count) else {
      throw ValidationError(
        "--count expects a number from 1 to \(Self.countMax); "
          + "for more, 'larder trace convert' writes a table of all requests")
    }
  }

  func run() throws {
    Interrupts.listen()
    KeyTexts.keep()
    for reference in try input.references() {
      if input.areSeparate { Output.line("\(NoteText.line(reference.path))\n") }
      try print(try FileSource(reference))
      if input.areSeparate { Output.line("") }
    }
  }

  private func print(_ source: FileSource) throws {
    let columns = source.columns
    var rows: [TraceRecord] = []
    try source.records { batch in
      rows += batch.prefix(count - rows.count)
      return rows.count < count
    }
    // Only now: an error is one line.
    let file = input.areSeparate ? "\(source.path): " : ""
    let notes =
      ["\(file)format: \(source.format.name)"] + source.understanding
      + [source.reading.holesNote].compactMap { $0 } + source.reading.skippedNotes
    for note in notes { Notes.line(note) }
    let roles = KeyTexts.roles.filter { role in
      rows.contains { KeyTexts.part(role, of: $0.key) != nil }
    }
    let parts = (roles.count > 1 ? roles : []).map { role in
      (role, true, { (row: TraceRecord) in Self.text(KeyTexts.part(role, of: row.key) ?? "") })
    }
    let all: [(title: String, isPresent: Bool, text: (TraceRecord) -> String)] =
      [
        ("time", columns.contains(.time), { Self.seconds($0.time) }),
        ("key", true, { Self.text(KeyTexts.text(of: $0.key)) }),
      ] + parts + [
        ("size", columns.contains(.size), { $0.isSizeKnown ? "\($0.size)" : "" }),
        ("op", columns.contains(.operation), { "\(Operation(rawValue: $0.operation) ?? .get)" }),
        ("ttl", columns.contains(.ttl), { $0.ttl == 0 ? "" : "\($0.ttl)" }),
        ("cost", columns.contains(.cost), { $0.cost < 0 ? "" : "\($0.cost)" }),
        ("prompt", columns.contains(.prompt), { $0.prompt == 0 ? "" : "\($0.prompt - 1)" }),
      ]
    let shown = all.filter(\.isPresent)
    var table = TextTable(alignsRight: shown.map { _ in true })
    table.add(shown.map(\.title))
    for row in rows { table.add(shown.map { $0.text(row) }) }
    for line in table.lines { Output.line(line) }
  }

  private static func text(_ text: String) -> String {
    let line = TextSafety.singleLine(text)
    return line.count > textMax ? line.prefix(textMax) + "..." : line
  }

  private static func seconds(_ microseconds: UInt64) -> String {
    let fraction = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count)
      + fraction
  }
}

extension TraceWriter {
  fileprivate static func writer(for path: String, _ advice: String) throws -> TraceWriter {
    if let writer = forPath(path) { return writer }
    throw UsageError("\(path): cannot tell the format from the file name; \(advice)")
  }
}
