import ArgumentParser
import Foundation
import LarderEngine
import LarderExperiments
import LarderTraces

/// The format of a trace.
struct FormatOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Format of the trace, with its options: csv:time=1:id=2:size=3. Recognised by default.",
      discussion: "'larder list formats' lists all formats and options.", valueName: "format"))
  var format: String?

  @Option(
    help: ArgumentHelp(
      """
      Largest share of unreadable lines in a log or table. They are counted, and the first three \
      are shown.
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

/// The format that a trace is written in.
struct WriterOption: ParsableArguments {
  @Option(
    name: .customLong("to"),
    help: "Format to write: larder, csv or oracle-general. By default chosen by file name.")
  var name: String?

  /// The writer for `path`.
  func writer(for path: String) throws -> any TraceWriter {
    if let name { return try TraceWriterRegistry.writer(named: name) }
    guard let writer = TraceWriterRegistry.writer(forPath: path) else {
      let names = TraceWriterRegistry.all.map(\.name).joined(separator: ", ")
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

  /// The traces that the files are.
  func references(
    _ paths: [String], _ format: FormatOption
  ) throws -> [TraceReference] {
    join ? [try format.reference(paths)] : try paths.map { try format.reference([$0]) }
  }
}

/// A share of the objects of a trace, such as `1/100`, `1%` or `0.01`.
struct SampleOption: ExpressibleByArgument {
  /// Above 0 and at most 1.
  let rate: Double

  /// Parses a share; nil for anything else.
  init?(argument: String) {
    guard let rate = TraceSampling.rate(parsing: argument) else { return nil }
    self.rate = rate
  }
}

/// A share such as `1%` or `0.01`.
struct ShareOption: ExpressibleByArgument {
  /// From 0 to 1.
  let share: Double

  /// Parses a share; nil for anything else.
  init?(argument: String) {
    guard let share = FormatOptions.share(argument) else { return nil }
    self.share = share
  }
}

/// Options of commands that replay requests.
struct SpeedOptions: ParsableArguments {
  @Option(
    help: """
      Number of cells to simulate in parallel, and of threads that prepare large binary traces.
      Does not affect counts.
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

/// A number of requests as workload files take it: `1000000`, `250k`, `20M`, `1e6`.
struct RequestCount: ExpressibleByArgument {
  /// The number.
  let requests: Int

  /// The number itself.
  init(_ requests: Int) { self.requests = requests }

  /// Parses a number; nil for anything else.
  init?(argument: String) {
    guard let count = Quantity.count(argument), let requests = Int(exactly: count) else {
      return nil
    }
    self.requests = requests
  }

  /// The number, for help.
  var defaultValueDescription: String { "\(requests)" }
}

/// Shares of operations as they are typed: `get=0.95,set=5%`.
enum OperationsText {
  /// The share of each operation that is named. Names, range and sum are the generator's to check.
  ///
  /// - Throws: `UsageError` for what is no name and share, or a name that stands twice.
  static func shares(_ text: String) throws(UsageError) -> [String: Double] {
    var shares: [String: Double] = [:]
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard words.count == 2, let share = share(String(words[1])) else {
        throw UsageError(
          "--operations expects shares such as get=0.95,set=0.05 or get=95%,set=5%, found '\(part)'"
        )
      }
      let name = words[0].lowercased()
      guard shares.updateValue(share, forKey: name) == nil else {
        throw UsageError("--operations names '\(name)' twice; keep one")
      }
    }
    return shares
  }

  private static func share(_ text: String) -> Double? {
    if text == "0%" { return 0 }
    return Share(parsing: text).map { Double($0.billionths) / 1e9 } ?? Double(text)
  }
}

/// Policies as options name them.
enum PolicyList {
  /// The policies of one or several options, separated by commas; `name:*` for all configurations
  /// that a policy declares, and `all` alone for every policy there is.
  ///
  /// - Throws: `PolicyError` for a name or parameter that does not exist.
  static func parse(_ options: [String]) throws -> [PolicySpec] {
    let text = options.joined(separator: ",")
    if text == "all" {
      return try PolicyRegistry.all.map { try PolicySpec(parsing: $0.description.name) }
    }
    return try text.split(separator: ",", omittingEmptySubsequences: false).flatMap { text in
      let specs = try PolicySpec.list(parsing: text.trimmingCharacters(in: .whitespaces))
      for spec in specs { try PolicyRegistry.validate(spec) }
      return specs
    }
  }
}
