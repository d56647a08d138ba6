import ArgumentParser
import LarderEngine
import LarderTraces

/// `larder trace head`: the first requests.
struct TraceHeadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "head",
    abstract: "Print the first requests of a trace.",
    discussion: """
      Times are in seconds. A key is the number in the trace, or the hash of a text. A size or \
      cost that is not known in a line is empty. Notes on standard error say how lines are \
      understood.

      Examples:
        larder trace head OLTP.lis.zst --count 5
        larder trace head access.log
      """)

  @Argument(
    help: "The trace, or the files that make it; - for standard input.", completion: .file())
  var trace: [String]

  @Option(name: [.customShort("n"), .long], help: "Number of requests.")
  var count: Int = 10

  @OptionGroup var format: FormatOption

  /// Rows are kept until all are read, for the widths of their columns.
  private static let countMax = 100_000

  @Flag(help: "Do not say on standard error how lines are understood.")
  var quiet = false

  func validate() throws {
    guard (1...Self.countMax).contains(count) else {
      throw ValidationError(
        "--count expects a number from 1 to \(Self.countMax); "
          + "for more, 'larder trace convert' writes a table of all requests")
    }
  }

  func run() throws {
    Interrupts.listen()
    let source = try FileSource(try format.reference(trace))
    let columns = source.columns
    var rows: [TraceRecord] = []
    try source.records { batch in
      rows += batch.prefix(count - rows.count)
      return rows.count < count
    }
    // Only now: an error is one line.
    if !quiet {
      for line in ["format: \(source.format.name)"] + source.understanding { Notes.line(line) }
      if let note = source.reading.holesNote { Notes.line(note) }
    }
    let all: [(title: String, isPresent: Bool, text: (TraceRecord) -> String)] = [
      ("time", columns.contains(.time), { Self.seconds($0.time) }),
      ("key", true, { "\($0.key)" }),
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

  private static func seconds(_ microseconds: UInt64) -> String {
    let fraction = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count)
      + fraction
  }
}
