import ArgumentParser
import Foundation
import LarderEngine
import LarderExperiments
import LarderTraces

/// The format of a trace.
struct FormatOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Format of the trace, with its options: csv:time=1:id=2:size=3. Recognised by default, or as \
      'auto', which may have options, too: auto:max-bad=5% (largest share of unreadable lines). \
      'larder list formats' lists all formats and options.
      """, valueName: "format"))
  var format: String?

  /// The option `max-bad` of the format.
  @Option(help: .hidden) var maxBad: String?

  @Option(
    help: ArgumentHelp(
      """
      Share of the objects to read, for traces that are too large: 1/100, 1% or 0.01. Capacities \
      are scaled by it, and results are estimates for all objects.
      """, valueName: "share"))
  var sample: Share?

  func validate() throws {
    if sample?.parts == 0 { throw ValidationError("--sample expects a share above 0, found 0") }
  }

  func reference(_ paths: [String]) throws -> TraceReference {
    TraceReference(
      path: paths.first ?? "", morePaths: paths.count > 1 ? Array(paths.dropFirst()) : nil,
      format: try spec(), sample: sample?.ratio)
  }

  func spec() throws -> ComponentSpec? {
    var spec = try format.map { try ComponentSpec(parsing: $0) }
    if let maxBad {
      spec = spec ?? ComponentSpec(name: "auto")
      spec?.values["max-bad"] = maxBad
    }
    return spec
  }
}

/// The format that a trace is written in.
struct WriterOption: ParsableArguments {
  @Option(
    name: .customLong("to"),
    help: "Format to write: larder, csv or oracle-general. By default chosen by file name.")
  var name: String?

  /// The writer for `path`.
  func writer(for path: String) throws -> TraceWriter {
    try Self.writer(for: path, named: name)
  }

  /// The writer of a name, or that for `path`.
  static func writer(for path: String, named name: String?) throws -> TraceWriter {
    if let name { return try TraceWriter.named(name) }
    guard let writer = TraceWriter.forPath(path) else {
      let names = TraceWriter.all.map(\.name).joined(separator: ", ")
      throw UsageError(
        "\(path): cannot tell the format from the file name; use --to with one of \(names)")
    }
    return writer
  }
}

/// Option that makes several files one trace.
struct JoinOption: ParsableArguments {
  @Flag(
    help: """
      Read all files as one trace, merged by time: rotated logs, or the logs of several servers.
      """)
  var join = false

  /// Refuses a file that is given twice.
  static func refuseRepeated(_ paths: [String]) throws {
    for (index, path) in paths.enumerated() where paths[..<index].contains(path) {
      throw ValidationError("\(path) is given twice")
    }
  }

  func references(
    _ paths: [String], _ format: FormatOption
  ) throws -> [TraceReference] {
    join ? [try format.reference(paths)] : try paths.map { try format.reference([$0]) }
  }
}

extension Share: ExpressibleByArgument {
  /// Parses a share such as `1%`, `0.01` or `1/100`; nil for anything else.
  public init?(argument: String) { self.init(parsing: argument) }
}

/// Readers of options that are amounts.
enum AmountOption {
  /// A number of requests, at least 1: `1000000`, `250k`, `20M`, `1e6`.
  static func requests(_ text: String) throws -> Int {
    guard let requests = Quantity.count.amount(text).flatMap({ Int(exactly: $0) }), requests > 0
    else {
      throw ValidationError("expected a number above 0, such as 250k or 20M, found '\(text)'")
    }
    return requests
  }

  /// A time of whole seconds, at most a day: `60s`, `5m`.
  static func seconds(_ text: String) throws -> Int {
    guard let seconds = Quantity.seconds(text), seconds <= 86_400 else {
      throw ValidationError("expected a time up to 24h, such as 60s or 5m, found '\(text)'")
    }
    return Int(seconds)
  }
}

/// Options of commands that replay requests.
struct SpeedOptions: ParsableArguments {
  @Option(
    help: """
      Number of cells to simulate in parallel. Does not affect counts.
      """)
  var threads: Int = ProcessInfo.processInfo.activeProcessorCount

  @Flag(help: "Do not print progress and notes on standard error.")
  var quiet = false

  func validate() throws {
    guard (1...1024).contains(threads) else {
      throw ValidationError("--threads expects a number from 1 to 1024, found \(threads)")
    }
  }
}
