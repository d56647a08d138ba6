import ArgumentParser
import Foundation
import LarderEngine
import LarderExperiments
import LarderPolicies
import LarderReports
import LarderTraces

/// `larder mrc`: miss-ratio curves.
struct MRCCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mrc",
    abstract: "Compute miss-ratio curves of traces.",
    discussion: """
      A curve shows the gain of a larger cache. LRU's curve is exact and takes one pass over the \
      trace. Other policies are simulated at each capacity; if that would replay more than 200 \
      million requests, they are simulated on a sample of the objects.

      Examples:
        larder mrc OLTP.lis.zst --policy lru,s3-fifo
        larder mrc web.csv --policy lru --export csv=curve.csv --export svg=curve.svg
        larder mrc huge.larder --policy lru --method shards --sample 0.1%
        larder mrc huge.larder --policy sieve,s3-fifo,belady --method miniature --sample 1%
        larder mrc web.csv --ignore-size --capacity 0.1%,1%,10% --csv -
      """)

  @Argument(help: "Traces, compressed or not.", completion: .file())
  var traces: [String]

  @Option(help: "Policies with their parameters, separated by commas: lru,s3-fifo:small=0.2.")
  var policy: [String] = ["lru"]

  @Option(
    help: """
      Capacities, separated by commas: objects (1000), bytes (64MiB, 1GB), or a share of the \
      footprint (1%). By default 50 capacities up to the footprint.
      """)
  var capacity: [String] = []

  @Flag(help: "Give every object size 1, so that capacities count objects.")
  var ignoreSize = false

  @Option(
    help: """
      How to compute the curves: auto, exact, shards (LRU, from a sample of the objects) or \
      miniature (any policy, simulated on a sample). With the last two the whole trace is read, \
      --sample is the size of the sample (0.001, 0.1%), and estimates have standard errors. \
      'shards:samples=8192' samples a number of objects.
      """)
  var method: String?

  @Option(help: "Seed of the sample and of random policies. By default 1.")
  var seed: UInt64?

  @Option(help: "Write curves as CSV to a file, or - for standard output.")
  var csv: String?

  @OptionGroup var exporting: ExportOption

  @OptionGroup var format: FormatOption

  @OptionGroup var joining: JoinOption

  @OptionGroup var speed: SpeedOptions

  private var exports: [Export] { exporting.export.adding("csv", csv) }

  func validate() throws {
    try exports.validate(known: ["csv", "svg"])
    if exports.contains(where: { $0.format == "svg" }), traces.count > 1, !joining.join {
      throw ValidationError("--export svg draws one trace; run one command per trace")
    }
    try JoinOption.refuseRepeated(traces)
  }

  func run() throws {
    Interrupts.listen()
    let settings = try settings()
    try exports.check()
    let progress = ProgressLine(isQuiet: speed.quiet)
    var results: [TraceCurves] = []
    var failure: (any Error)?
    for var reference in try joining.references(traces, format) {
      if settings.readsWholeTrace { reference.sample = nil }
      let path = reference.path
      var curves: TraceCurves
      do { curves = try self.curves(of: reference, settings, progress) } catch {
        // Finished traces are written before the error is reported.
        guard !results.isEmpty else { throw error }
        failure = error
        break
      }
      let name = TraceNames.distinct(
        curves.facts.name, path: path, taken: Set(results.map(\.facts.name)))
      curves.rename(name)
      for note in curves.notes { progress.note(note) }
      results.append(curves)
    }
    try write(results, settings.share)
    if let failure { throw failure }
  }

  private func settings() throws -> CurveSettings {
    let options = try ParameterReader(
      [
        "policy": policy.list, "capacity": capacity.list,
        "ignore-size": ignoreSize ? "true" : nil, "method": method,
        "sample": format.sample.map { "\($0)" }, "seed": seed.map { "\($0)" },
      ], CurveSettings.options)
    var settings = try CurveSettings(options, threads: speed.threads)
    if !settings.readsWholeTrace { settings.rate = nil }
    return settings
  }

  private func curves(
    of reference: TraceReference, _ settings: CurveSettings, _ progress: ProgressLine
  ) throws -> TraceCurves {
    let source = try FileSource(reference)
    progress.begin("Reading \(source.name)")
    let trace = try PreparedTrace.load(
      source,
      keeping: { available in
        var kept = available
        let follows = settings.policies.contains {
          (try? PolicyRegistry.policy(named: $0))?.followsTime ?? false
        }
        if !follows, !available.contains(.ttl) { kept.remove(.time) }
        if settings.unit == .objects { kept.remove(.size) }
        return kept
      }, progress: TraceReading.check(progress, source))
    progress.end(
      "\(trace.name): \(trace.requests.count) requests, \(trace.requests.objects) objects")
    for note in trace.notes { progress.note(note) }
    let start = ContinuousClock.now
    var maker = try CurveMaker(
      trace: trace, settings: settings, cancellation: Interrupts.cancellation)
    maker.began = { title, requests in progress.begin(title, total: requests) }
    maker.replayed = { progress.advance($0) }
    do {
      let curves = try maker.make()
      let count = curves.curves.count
      progress.end(
        "\(count) \(count == 1 ? "curve" : "curves") in \(SecondsText.since(start))")
      return curves
    } catch is CurveMaker.Cancelled {
      throw Interrupted(description: "stopped while computing the curves of \(trace.name)")
    }
  }

  private func write(_ results: [TraceCurves], _ share: Share) throws {
    try exports.write { format in
      let text =
        format == "csv"
        ? CurveCSV.text(of: results) : results.first.map { CurveChart.svg(of: $0, share: share) }
      return [ReportFile(name: "", text: text ?? "")]
    }
    if !exports.takesOutput {
      Output.text(CurveText.text(of: results, share: share, on: Output.pictureTerminal))
    }
  }
}

extension CurveSettings {
  /// True if the whole trace is read, and the curve's method takes the sample.
  fileprivate var readsWholeTrace: Bool {
    method == .shards || method == .miniature
  }
}
