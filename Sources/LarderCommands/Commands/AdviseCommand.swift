import ArgumentParser
import Foundation
import LarderAdvice
import LarderEngine
import LarderReports
import LarderTraces
import LarderWorkloads

/// `larder advise`: from a trace to a decision.
struct AdviseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "advise",
    abstract: "Recommend a policy and a capacity for traces.",
    discussion: """
      Searches all policies, their parameters and admission filters by simulation: on samples \
      first, and in full for the best. Designs are chosen on the first part of the trace and \
      scored on the rest. Prints one screen: the recommendation, what may be lost, what more \
      memory, a disk tier and a TTL do, and what it costs. See docs/advise.md.

      Examples:
        larder advise access.csv --capacity 64MiB
        larder advise OLTP.lis.zst
        larder advise web.csv --format csv:time=1:id=2:size=3 --prices prices.yaml --output advice
        larder advise trace.csv --capacity 1%,10% --whole --json - --quiet
      """)

  @Argument(help: "Traces, compressed or not; each has advice of its own.", completion: .file())
  var traces: [String]

  @Option(
    help: """
      Capacities, separated by commas: objects (1000), bytes (64MiB, 1GB), or a share of the \
      footprint (1%). By default 1%, 3%, 10% and 30%; the one at the knee is recommended.
      """)
  var capacity: [String] = []

  @Option(help: "Unit of capacities: objects or bytes. By default bytes if the trace has sizes.")
  var unit: String?

  @Option(
    help: """
      Tiers of the design: memory, disk, hybrid (memory in front of a disk of the capacity), or \
      auto (memory, and whether a disk behind it pays).
      """)
  var tiers: String = "auto"

  @Option(
    help: "File with prices (YAML; see docs/advise.md). The cheapest capacity is recommended.",
    completion: .file())
  var prices: String?

  @Option(
    help: """
      Time to search: 60s, 5m. It is a number of requests, at 20 million a second, so that advice \
      is the same on every machine. By default 5 s for each capacity and 5 s for the rest.
      """)
  var timeBudget: String?

  @Option(help: "Share of the requests that designs are chosen on; the rest scores them.")
  var learn: String = "50%"

  @Flag(help: "Choose and score on the whole trace.")
  var whole = false

  @OptionGroup var format: FormatOption

  @Option(
    help: "Folder for advice.json, advice.md with its charts, and advice.html.",
    completion: .directory)
  var output: String?

  @Option(
    name: .customLong("json"),
    help: "Write advice.json to a file, or - for standard output; for a single trace.")
  var jsonFile: String?

  @Option(help: "Seed of samples and random policies.")
  var seed: UInt64 = 1

  @OptionGroup var speed: SpeedOptions

  func validate() throws {
    if let unit, CapacityUnit(rawValue: unit) == nil {
      throw ValidationError("--unit expects objects or bytes, found '\(unit)'")
    }
    guard AdviceSettings.Tiers(rawValue: tiers) != nil else {
      throw ValidationError("--tiers expects memory, disk, hybrid or auto, found '\(tiers)'")
    }
    if jsonFile != nil, traces.count > 1 {
      throw ValidationError("--json writes the advice for one trace; run one command per trace")
    }
    for (index, path) in traces.enumerated() where traces[..<index].contains(path) {
      throw ValidationError("\(path) is given twice")
    }
  }

  func run() throws {
    Interrupts.listen()
    let settings = try settings()
    if let jsonFile, jsonFile != "-" { try ReportWriter.check(jsonFile) }
    let progress = ProgressLine(isQuiet: speed.quiet)
    var taken: Set<String> = []
    for path in traces {
      var advice = try advice(for: path, settings, progress)
      advice.trace.name = TraceNames.distinct(advice.trace.name, path: path, taken: taken)
      taken.insert(advice.trace.name)
      try write(advice, progress)
    }
  }

  private func settings() throws -> AdviceSettings {
    let share = Share(parsing: learn)
    guard let share, share.billionths < 1_000_000_000 else {
      throw UsageError("--learn '\(learn)': expected a share above 0% and below 100%, such as 50%")
    }
    var settings = AdviceSettings(
      capacities: capacity.isEmpty
        ? [] : try CapacitySpec.list(parsing: capacity.joined(separator: ",")),
      unit: unit.flatMap(CapacityUnit.init), tiers: AdviceSettings.Tiers(rawValue: tiers) ?? .auto,
      learned: whole ? nil : share, seed: seed, threads: speed.threads)
    if let timeBudget {
      guard let seconds = Quantity.seconds(timeBudget), (1...86_400).contains(seconds) else {
        throw UsageError(
          "--time-budget '\(timeBudget)': expected a time from 1s to 24h, such as 60s or 5m")
      }
      settings.requestsMax = Double(seconds) * AdviceSettings.requestsPerSecond
    }
    if let prices {
      settings.prices = try Prices(yaml: try InputFile.bytes(prices), file: prices)
    }
    return settings
  }

  private func advice(
    for path: String, _ settings: AdviceSettings, _ progress: ProgressLine
  ) throws -> Advice {
    progress.begin("Reading \(path)")
    let trace = try PreparedTrace.load(
      path: path, format: try format.spec(), progress: TraceReading.check(progress))
    progress.end(
      "\(trace.name): \(trace.requests.count) requests, \(trace.requests.objects) objects")
    let start = ContinuousClock.now
    var advisor = try Advisor(
      trace: trace, settings: settings, cancellation: Interrupts.cancellation)
    advisor.began = { title, requests in progress.begin(title, total: requests) }
    advisor.replayed = { progress.advance($0) }
    do {
      let advice = try advisor.make()
      progress.end(
        "\(advice.candidates) designs at \(advice.capacities.count) "
          + "\(advice.capacities.count == 1 ? "capacity" : "capacities") in "
          + SecondsText.since(start))
      return advice
    } catch AdviceError.cancelled {
      throw Interrupted(description: "stopped; nothing was written")
    }
  }

  private func write(_ advice: Advice, _ progress: ProgressLine) throws {
    if let output {
      // Several traces have a folder each.
      let folder = traces.count > 1 ? "\(output)/\(RunDirectory.safe(advice.trace.name))" : output
      try ReportWriter(directory: folder, formats: []).write(try AdviceReport.files(of: advice))
      progress.note("wrote \(folder)/advice.html, advice.md and advice.json")
    }
    if let jsonFile {
      let text = try AdviceReport.json(advice)
      if jsonFile == "-" { Output.text(text) } else { try ReportWriter.write(text, to: jsonFile) }
    }
    guard jsonFile != "-" else { return }
    if traces.count > 1 { Output.line("\(NoteText.line(advice.trace.name))\n") }
    Output.text(AdviceText.text(of: advice, width: Output.pictureTerminal.width))
    if traces.count > 1 { Output.line("") }
  }
}
