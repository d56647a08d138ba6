import ArgumentParser
import Foundation
import LarderEngine
import LarderExperiments
import LarderReports
import LarderTraces

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
      """, valueName: "share"), transform: parseShare)
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

struct JoinOption: ParsableArguments {
  @Flag(
    help: """
      Read all files as one trace, merged by time: rotated logs, or the logs of several servers.
      """)
  var join = false
}

/// The traces of a command.
struct TraceOptions: ParsableArguments {
  @Argument(
    help: """
      Traces, compressed or not; - for standard input. 'advise' also takes one workload file \
      (.yaml): its source, unit and seed, and the options of its key 'advise'.
      """, completion: .file())
  var traces: [String]

  @OptionGroup var joining: JoinOption

  @OptionGroup var format: FormatOption

  func validate() throws {
    for (index, path) in traces.enumerated() where traces[..<index].contains(path) {
      throw ValidationError("\(path) is given twice")
    }
  }

  /// True if there is one result for each of several traces.
  var areSeparate: Bool { traces.count > 1 && !joining.join }

  func references() throws -> [TraceReference] {
    joining.join
      ? [try format.reference(traces)] : try traces.map { try format.reference([$0]) }
  }

  /// Calls `body` for each trace. After an error, results of finished traces are written before it
  /// is thrown.
  func each(
    _ body: (TraceReference) throws -> Bool, finally: (_ failed: Bool) throws -> Void
  ) throws {
    do {
      for reference in try references() where try !body(reference) { break }
    } catch {
      try finally(true)
      throw error
    }
    try finally(false)
  }
}

struct CapacityOptions: ParsableArguments {
  @Option(
    help: """
      Capacities, separated by commas: objects (1000), bytes (64MiB, 1GB), or a share of the \
      footprint (1%). 'simulate' needs them; 'mrc' takes 50 up to the footprint by default, and \
      'advise' 1%, 3%, 10% and 30%, of which it recommends the one at the knee.
      """)
  var capacity: [String] = []

  @Flag(help: "Give every object size 1, so that capacities count objects.")
  var ignoreSize = false
}

struct CurrentOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The cache that runs today, to compare with: redis:allkeys-lru:4GiB, memcached:64MiB, \
      nginx:8GiB, varnish:1GiB, squid:heap-lfuda:8GiB, or a policy such as lru:1GiB. The proposal \
      is within what that server can be set to. By default LRU of the recommended size.
      """, valueName: "cache"))
  var current: String?

  func cache() throws -> CurrentCache? { try current.map { try CurrentCache(parsing: $0) } }
}

struct PrefixOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Count prefix hits, in traces of prompts (hash-ids). The blocks of a prompt are requested \
      'front' first, as listed, or 'tail' first.
      """, valueName: "order"))
  var prefix: String?

  func validate() throws {
    guard let prefix, PromptOrder(rawValue: prefix) == nil else { return }
    throw ValidationError("--prefix expects 'front' or 'tail', found '\(prefix)'")
  }

  var spec: PrefixSpec? {
    prefix.flatMap { PromptOrder(rawValue: $0) }.map { PrefixSpec(order: $0) }
  }
}

struct SpeedOptions: ParsableArguments {
  @Option(help: "Number of cells to simulate in parallel. Does not affect counts.")
  var threads: Int = ProcessInfo.processInfo.activeProcessorCount

  @Flag(help: "Do not print progress and notes on standard error.")
  var quiet = false

  func validate() throws {
    guard (1...1024).contains(threads) else {
      throw ValidationError("--threads expects a number from 1 to 1024, found \(threads)")
    }
  }
}

/// The store of results. Without `--store` and LARDER_STORE, `run` without a part or a merge uses
/// none; everything else uses a folder in the user's cache folder.
struct StoreOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Folder with results of earlier runs: cells found there are not computed again, and new ones \
      are added. By default LARDER_STORE, if it is set; else 'run' without --part and --merge uses \
      none, and other commands a folder in the user's cache folder.
      """, valueName: "folder"),
    completion: .directory)
  var store: String?

  private var named: String? {
    StorePath.named(option: store, environment: ProcessInfo.processInfo.environment)
  }

  func ifNamed() throws(StoreError) -> ResultStore? {
    guard let named else { return nil }
    return try ResultStore(named, makes: true, rules: .current())
  }

  func open(makes: Bool) throws(StoreError) -> ResultStore {
    var path = named
    if path == nil {
      path = try StorePath.standard(environment: ProcessInfo.processInfo.environment)
    }
    return try ResultStore(path ?? "", makes: makes, rules: .current())
  }
}

extension ParameterReader {
  /// Options of a command, by name; nil for those that are not given.
  init(_ values: [String: String?], _ parameters: [Parameter]) throws(ComponentError) {
    try self.init(
      ComponentSpec(name: "", values: values.compactMapValues { $0 }), parameters: parameters)
  }
}

extension [String] {
  /// The values of an option that is repeated or separated by commas; nil if it is not given.
  var list: String? { isEmpty ? nil : joined(separator: ",") }
}

func parseShare(_ text: String) throws -> Share {
  guard let share = Share(parsing: text) else {
    throw ValidationError("expected \(ParameterKind.share.expectation), found '\(text)'")
  }
  return share
}

/// A number of requests, at least 1: `1000000`, `250k`, `20M`, `1e6`.
func parseRequests(_ text: String) throws -> Int {
  guard let requests = Quantity.count.amount(text).flatMap({ Int(exactly: $0) }), requests > 0
  else {
    throw ValidationError("expected a number above 0, such as 250k or 20M, found '\(text)'")
  }
  return requests
}
