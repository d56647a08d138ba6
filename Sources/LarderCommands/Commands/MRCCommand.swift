import ArgumentParser
import Foundation
import LarderEngine
import LarderExperiments
import LarderPolicies
import LarderReports
import LarderSupport
import LarderTraces

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

  @OptionGroup var input: TraceOptions

  @Option(help: "Policies with their parameters, separated by commas: lru,s3-fifo:small=0.2.")
  var policy: [String] = ["lru"]

  @OptionGroup var capacities: CapacityOptions

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

  @OptionGroup var speed: SpeedOptions

  private var exports: [Export] { exporting.export.adding("csv", csv) }

  func validate() throws {
    try exports.validate(known: ["csv", "svg"])
    if exports.contains(where: { $0.format == "svg" }), input.areSeparate {
      throw ValidationError("--export svg draws one trace; run one command per trace")
    }
  }

  func run() throws {
    Interrupts.listen()
    let settings = try settings()
    try exports.check()
    let progress = ProgressLine(isQuiet: speed.quiet)
    var results: [TraceCurves] = []
    try input.each { reference in
      var reference = reference
      if settings.readsWholeTrace { reference.sample = nil }
      var curves = try curves(of: reference, settings, progress)
      curves.rename(
        TraceNames.distinct(
          curves.facts.name, path: reference.path, taken: Set(results.map(\.facts.name))))
      for note in curves.notes { progress.note(note) }
      results.append(curves)
      return true
    } finally: { failed in
      if !failed || !results.isEmpty { try write(results, settings.share) }
    }
  }

  private func settings() throws -> CurveSettings {
    let options = try ParameterReader(
      [
        "policy": policy.list, "capacity": capacities.capacity.list,
        "ignore-size": capacities.ignoreSize ? "true" : nil, "method": method,
        "sample": input.format.sample.map { "\($0)" }, "seed": seed.map { "\($0)" },
      ], CurveSettings.options)
    var settings = try CurveSettings(options, threads: speed.threads)
    if !settings.readsWholeTrace { settings.rate = nil }
    return settings
  }

  private func curves(
    of reference: TraceReference, _ settings: CurveSettings, _ progress: ProgressLine
  ) throws -> TraceCurves {
    let trace = try progress.load(reference) { available in
      var kept = available
      let follows = settings.policies.contains {
        (try? PolicyRegistry.policy(named: $0))?.followsTime ?? false
      }
      if !follows, !available.contains(.ttl) { kept.remove(.time) }
      if settings.unit == .objects { kept.remove(.size) }
      return kept
    }
    let start = ContinuousClock.now
    var maker = try CurveMaker(
      trace: trace, settings: settings, cancellation: Interrupts.cancellation)
    maker.began = { title, requests in progress.begin(title, total: requests) }
    maker.replayed = { progress.advance($0) }
    do {
      let curves = try maker.make()
      progress.end(
        "\(NumberText.counted(curves.curves.count, "curve")) in \(SecondsText.since(start))")
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
  fileprivate var readsWholeTrace: Bool { method == .shards || method == .miniature }
}
