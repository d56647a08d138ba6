import ArgumentParser
import Foundation
import LarderEngine
import LarderExperiments
import LarderReports
import LarderTraces

/// `larder tune`: the parameters of one policy for a trace.
struct TuneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tune",
    abstract: "Find the parameters of a policy for traces.",
    discussion: """
      Tries every configuration that the policy declares at each capacity and prints the best. If \
      that would replay more than 200 million requests at a capacity, the configurations are tried \
      on a sample of the objects first, and the best few are simulated in full. To see all \
      configurations in full, simulate them: --policy 's4-fifo:*'.

      Examples:
        larder tune cloudPhysicsIO.oracleGeneral.zst --policy s4-fifo --capacity 128MiB,1GiB
        larder tune web.csv --format csv:id=2:size=3 --policy s3-fifo --capacity 1% --json -
        larder tune huge.larder --policy clock2q-plus --capacity 1%,10% --rate 0.01 --finalists 5
        larder tune OLTP.lis.zst --policy 2q --capacity 1000,5000
      """)

  @Argument(help: "Traces, compressed or not; - for standard input.", completion: .file())
  var traces: [String]

  @Option(help: "The policy, without parameters: s4-fifo.")
  var policy: String

  @Option(
    help: """
      Capacities, separated by commas: objects (1000), bytes (64MiB, 1GB), or a share of the \
      footprint (1%).
      """)
  var capacity: [String]

  @Option(help: "Unit of capacities: objects or bytes. By default bytes if the trace has sizes.")
  var unit: String?

  @Flag(help: "Give every object size 1: the same as --unit objects.")
  var ignoreSize = false

  @Option(help: "Share of the objects to try configurations on: 0.01 or 1%. 1 is all of them.")
  var rate: String?

  @Option(help: "Number of configurations to simulate in full after a sample.")
  var finalists: Int = 3

  @Option(help: "Seed of the sample and of random policies.")
  var seed: UInt64 = 1

  @Option(
    name: .customLong("json"), help: "Write all trials as JSON to a file, or - for standard output."
  )
  var jsonFile: String?

  @OptionGroup var format: FormatOption

  @OptionGroup var joining: JoinOption

  @OptionGroup var speed: SpeedOptions

  func validate() throws {
    if let unit, CapacityUnit(rawValue: unit) == nil {
      throw ValidationError("--unit expects objects or bytes, found '\(unit)'")
    }
    if ignoreSize, unit == CapacityUnit.bytes.rawValue {
      throw ValidationError("--ignore-size and --unit bytes contradict each other")
    }
    guard (1...1000).contains(finalists) else {
      throw ValidationError("--finalists expects a number from 1 to 1000, found \(finalists)")
    }
    if policy.contains(":") || policy.contains(",") {
      throw ValidationError(
        "--policy expects one policy without parameters, found '\(policy)'")
    }
    try JoinOption.refuseRepeated(traces)
  }

  func run() throws {
    Interrupts.listen()
    let settings = TuningSettings(
      policy: policy.lowercased(),
      capacities: try CapacitySpec.list(parsing: capacity.joined(separator: ",")),
      unit: ignoreSize ? .objects : unit.flatMap(CapacityUnit.init), rate: try share(),
      finalists: finalists, seed: seed, threads: speed.threads)
    // Before anything is read: a policy that is not there or has nothing to try.
    _ = try PolicyRegistry.configurations(of: settings.policy)
    if let jsonFile, jsonFile != "-" { try ReportWriter.check(jsonFile) }
    let progress = ProgressLine(isQuiet: speed.quiet)
    var results: [Tuning] = []
    for reference in try joining.references(traces, format) {
      var tuning = try tune(reference, settings, progress)
      tuning.trace = TraceNames.distinct(
        tuning.trace, path: reference.path, taken: Set(results.map(\.trace)))
      for note in tuning.notes { progress.note(note) }
      results.append(tuning)
    }
    if let jsonFile {
      let text = try TuningJSON.text(of: results)
      if jsonFile == "-" { Output.text(text) } else { try ReportWriter.write(text, to: jsonFile) }
    }
    if jsonFile != "-" {
      Output.text(results.map { TuningText.text(of: $0) }.joined(separator: "\n"))
    }
  }

  private func share() throws -> Double? {
    guard let rate else { return nil }
    let value = Share(parsing: rate).map { Double($0.billionths) / 1e9 } ?? Double(rate)
    guard let value, value > 0, value <= 1 else {
      throw UsageError("--rate '\(rate)': expected a share of the objects such as 0.001 or 0.1%")
    }
    return value
  }

  private func tune(
    _ reference: TraceReference, _ settings: TuningSettings, _ progress: ProgressLine
  ) throws -> Tuning {
    let source = try FileSource(reference)
    progress.begin("Reading \(source.name)")
    let trace = try PreparedTrace.load(
      source,
      keeping: { available in
        var kept = available
        if settings.unit == .objects { kept.remove(.size) }
        return kept
      }, threads: speed.threads, progress: TraceReading.check(progress, source))
    progress.end(
      "\(trace.name): \(trace.requests.count) requests, \(trace.requests.objects) objects")
    for note in trace.notes { progress.note(note) }
    var tuner = try PolicyTuner(
      trace: trace, settings: settings, cancellation: Interrupts.cancellation)
    tuner.began = { title, requests in progress.begin(title, total: requests) }
    tuner.replayed = { progress.advance($0) }
    let start = ContinuousClock.now
    do {
      let tuning = try tuner.run()
      progress.end(
        "\(tuning.configurations) configurations at \(tuning.points.count) "
          + "\(tuning.points.count == 1 ? "capacity" : "capacities") in \(SecondsText.since(start))"
      )
      return tuning
    } catch is CurveMaker.Cancelled {
      throw Interrupted(description: "stopped; nothing was written")
    }
  }
}
