import ArgumentParser
import Foundation
import LarderEngine
import LarderExperiments
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
        larder mrc web.csv --format csv:id=2:size=3 --policy lru --csv curve.csv --svg curve.svg
        larder mrc huge.larder --policy lru --method shards --sample 0.1% --measure-error
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
      footprint (1%). By default, --points capacities up to the footprint.
      """)
  var capacity: [String] = []

  @Option(help: "Number of capacities to choose if --capacity is not given.")
  var points: Int = 50

  /// `objects` is the earlier name of `--ignore-size`; `bytes` requires sizes.
  @Option(help: .hidden)
  var unit: String?

  @Flag(help: "Give every object size 1, so that capacities count objects.")
  var ignoreSize = false

  @OptionGroup var sampling: SamplingOptions

  @Option(
    name: .customLong("reach"),
    help: "Report the smallest capacity with this share of the best hit ratio.")
  var reach: String = "90%"

  @Option(
    name: .customLong("csv"), help: "Write curves as CSV to a file, or - for standard output.")
  var csvFile: String?

  @Option(name: .customLong("svg"), help: "Write the plot as SVG to a file; for a single trace.")
  var svgFile: String?

  @OptionGroup var format: FormatOption

  @OptionGroup var joining: JoinOption

  @OptionGroup var speed: SpeedOptions

  func validate() throws {
    guard (2...10_000).contains(points) else {
      throw ValidationError("--points expects a number from 2 to 10000, found \(points)")
    }
    if let unit, CapacityUnit(rawValue: unit) == nil {
      throw ValidationError("--unit expects objects or bytes, found '\(unit)'")
    }
    if ignoreSize, unit == CapacityUnit.bytes.rawValue {
      throw ValidationError("--ignore-size and --unit bytes exclude each other; keep one")
    }
    if svgFile != nil, traces.count > 1, !joining.join {
      throw ValidationError("--svg draws one trace; run one command per trace")
    }
    if let csvFile, csvFile == svgFile {
      throw ValidationError("--csv and --svg cannot both be written to \(csvFile)")
    }
    try JoinOption.refuseRepeated(traces)
  }

  func run() throws {
    Interrupts.listen()
    let settings = try settings()
    for file in [csvFile, svgFile].compactMap({ $0 }) where file != "-" {
      try ReportWriter.check(file)
    }
    let progress = ProgressLine(isQuiet: speed.quiet)
    var results: [TraceCurves] = []
    let readsAll = sampling.samplesWholeTrace
    for var reference in try joining.references(traces, format) {
      if readsAll { reference.sample = nil }
      let path = reference.path
      var curves = try curves(of: reference, settings, progress)
      let name = TraceNames.distinct(
        curves.facts.name, path: path, taken: Set(results.map(\.facts.name)))
      curves.rename(name)
      for note in curves.notes { progress.note(note) }
      results.append(curves)
    }
    try write(results, settings.share)
  }

  private func settings() throws -> CurveSettings {
    guard let share = Share(parsing: reach) else {
      throw UsageError(
        "--reach '\(reach)': expected a share above 0% and at most 100%, such as 90%")
    }
    var settings = CurveSettings(
      policies: try PolicyList.parse(policy),
      capacities: capacity.isEmpty
        ? [] : try CapacitySpec.list(parsing: capacity.joined(separator: ",")),
      points: points, unit: ignoreSize ? .objects : unit.flatMap(CapacityUnit.init),
      share: share, threads: speed.threads)
    try sampling.apply(to: &settings, share: format.sample?.rate)
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
      }, threads: speed.threads, progress: TraceReading.check(progress, source))
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
      throw Interrupted(description: "stopped; nothing was written")
    }
  }

  private func write(_ results: [TraceCurves], _ share: Share) throws {
    if let csvFile {
      let text = CurveCSV.text(of: results)
      if csvFile == "-" { Output.text(text) } else { try ReportWriter.write(text, to: csvFile) }
    }
    if let svgFile, let trace = results.first {
      let text = CurveChart.svg(of: trace, share: share)
      if svgFile == "-" { Output.text(text) } else { try ReportWriter.write(text, to: svgFile) }
    }
    if csvFile != "-", svgFile != "-" {
      Output.text(CurveText.text(of: results, share: share, on: Output.pictureTerminal))
    }
  }
}

/// Options of the curve method.
struct SamplingOptions: ParsableArguments {
  @Option(
    help: """
      Method: auto, exact, shards (LRU, from a sample of the objects) or miniature (any policy, \
      simulated on a sample). The last two read the whole trace, --sample is their sampling rate \
      (0.001, 0.1%), and estimates have standard errors.
      """)
  var method: String = CurveMethod.auto.rawValue

  /// The earlier name of `--sample` for a sample of the whole trace.
  @Option(help: .hidden)
  var rate: SampleOption?

  @Option(help: "Number of objects that SHARDS samples, instead of --sample.")
  var samples: Int?

  @Option(help: "Seed of the sample and of random policies.")
  var seed: UInt64 = 1

  @Flag(help: "Compare estimates with exact counts; takes as long as computing the exact counts.")
  var measureError = false

  func validate() throws {
    let names = CurveMethod.allCases.map(\.rawValue)
    guard CurveMethod(rawValue: method) != nil else {
      throw ValidationError(
        "--method expects \(names.dropLast().joined(separator: ", ")) or \(names.last ?? ""), "
          + "found '\(method)'")
    }
    if let samples {
      guard method == CurveMethod.shards.rawValue else {
        throw ValidationError("--samples requires --method shards")
      }
      guard (1...1 << 30).contains(samples) else {
        throw ValidationError("--samples expects a number of at least 1, found \(samples)")
      }
      if rate != nil {
        throw ValidationError("--samples and --rate exclude each other; use one of them")
      }
    }
    if rate != nil, method == CurveMethod.exact.rawValue {
      throw ValidationError("--rate requires --method shards, miniature or auto")
    }
  }

  /// True if the whole trace is read, and the curve's method takes the sample.
  var samplesWholeTrace: Bool {
    measureError || rate != nil || method == CurveMethod.shards.rawValue
      || method == CurveMethod.miniature.rawValue
  }

  /// Puts the options into the settings.
  ///
  /// - Parameter share: the value of `--sample`.
  func apply(to settings: inout CurveSettings, share: Double?) throws {
    settings.method = CurveMethod(rawValue: method) ?? .auto
    settings.samples = samples
    settings.seed = seed
    settings.measuresError = measureError
    if share != nil, samples != nil || rate != nil {
      throw UsageError(
        "--sample, --samples and --rate exclude each other; use one of them")
    }
    if measureError, settings.method == .exact, share != nil {
      throw UsageError("--measure-error needs estimates, and --method exact has none")
    }
    if samplesWholeTrace { settings.rate = rate?.rate ?? share }
  }
}
