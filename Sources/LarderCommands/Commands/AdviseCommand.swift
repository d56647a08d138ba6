import ArgumentParser
import Foundation
import LarderEngine
import LarderExperiments
import LarderReports
import LarderTraces

/// `larder advise`: from a trace to a decision.
struct AdviseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "advise",
    abstract: "Recommend a policy and a capacity for traces.",
    discussion: """
      Searches all policies, their parameters and admission filters by simulation: on samples \
      first, and in full for the best. Designs are chosen on the first part of the trace and \
      scored on the rest. Prints one screen: the recommendation, its regret, the effect of more \
      memory, of a disk tier and of a TTL, and the cost. See docs/advise.md.

      Examples:
        larder advise access.csv --capacity 64MiB
        larder advise OLTP.lis.zst
        larder advise web.csv --prices prices.yaml --export html=advice.html
        larder advise access.log.2.gz access.log.1 access.log --join --capacity 1GiB
        larder advise Workloads/news-feed.yaml
        larder advise trace.csv --capacity 1%,10% --whole --json - --quiet
        larder advise trace.csv --policy s4-fifo --capacity 128MiB,1GiB
        larder advise prompts.hash-ids.jsonl --capacity 10000 --prefix tail --policy lru,sieve
      """)

  @Argument(
    help: """
      Traces, compressed or not, or - for standard input; each is advised separately. Or one \
      workload file (.yaml): its source, unit and seed, and the options of its key 'advise'.
      """, completion: .file())
  var traces: [String]

  @OptionGroup var joining: JoinOption

  @Option(
    help: """
      Capacities, separated by commas: objects (1000), bytes (64MiB, 1GB), or a share of the \
      footprint (1%). By default 1%, 3%, 10% and 30%; the one at the knee is recommended.
      """)
  var capacity: [String] = []

  @Flag(help: "Give every object size 1, so that capacities count objects.")
  var ignoreSize = false

  @Option(
    help: """
      Policies to search in addition to LRU, separated by commas; all by default. A policy without \
      parameters is tried with all values and configurations that it declares as worth trying, so \
      --policy s4-fifo tunes that policy.
      """)
  var policy: [String] = []

  @OptionGroup var prefixes: PrefixOptions

  @Option(
    help: "File with prices (YAML; see docs/advise.md). The cheapest capacity is recommended.",
    completion: .file())
  var prices: String?

  @Flag(help: "Use all requests to choose designs and to score them, instead of a half each.")
  var whole = false

  @OptionGroup var format: FormatOption

  @Option(help: "Write the advice as JSON to a file, or - for standard output; for one trace.")
  var json: String?

  @OptionGroup var exporting: ExportOption

  @OptionGroup var speed: SpeedOptions

  private var exports: [Export] { exporting.export.adding("json", json) }

  func validate() throws {
    try exports.validate(known: ["json", "markdown", "html"])
    if !exports.isEmpty, traces.count > 1, !joining.join {
      throw ValidationError(
        "--json and --export write the advice for one trace; run one command per trace")
    }
    if traces.count > 1, let file = traces.first(where: Self.isWorkload) {
      throw ValidationError("'\(file)' is a workload file; run one command for it alone")
    }
    try JoinOption.refuseRepeated(traces)
  }

  /// True if the path has the suffix of a workload file.
  private static func isWorkload(_ path: String) -> Bool {
    [".yaml", ".yml"].contains { path.lowercased().hasSuffix($0) }
  }

  func run() throws {
    Interrupts.listen()
    try exports.check()
    let progress = ProgressLine(isQuiet: speed.quiet)
    if let file = traces.first, Self.isWorkload(file) { return try run(file, progress) }
    let run = AdviceRun(settings: try settings(), progress: progress)
    let references = try joining.references(traces, format)
    var taken: Set<String> = []
    for reference in references {
      let trace = try read(reference, progress)
      let name = TraceNames.distinct(trace.name, path: reference.path, taken: taken)
      taken.insert(name)
      try tell(try run.advice(for: trace, named: name), run, isOneOfSeveral: references.count > 1)
    }
  }

  private func run(_ file: String, _ progress: ProgressLine) throws {
    if try format.spec() != nil || joining.join {
      throw UsageError("'\(file)' defines how its traces are read; remove --format and --join")
    }
    var workload = try WorkloadDecoder().decode(contentsOf: file)
    workload.advise = workload.advise ?? AdviceSettings(threads: speed.threads)
    let settings = try overridden(try AdviceRun.settings(of: workload, threads: speed.threads))
    progress.begin("Preparing \(workload.name)")
    let traces = try WorkloadTraces.prepare(workload) { _, requests in
      try TraceReading.check(progress)(requests)
    }
    for facts in traces.facts {
      progress.end("\(facts.name): \(facts.requests) requests, \(facts.objects) objects")
    }
    for note in traces.notes { progress.note(note) }
    if !exports.isEmpty, Set(traces.facts.map(\.name)).count > 1 {
      throw UsageError("--json and --export write the advice for one trace; '\(file)' has several")
    }
    let run = AdviceRun(settings: settings, progress: progress)
    let all = try run.advice(for: traces)
    for advice in all { try tell(advice, run, isOneOfSeveral: all.count > 1) }
  }

  private func settings() throws -> AdviceSettings {
    try overridden(AdviceSettings(threads: speed.threads))
  }

  private func overridden(_ settings: AdviceSettings) throws -> AdviceSettings {
    var settings = settings
    try settings.apply(
      ParameterReader(
        [
          "policy": policy.list, "capacity": capacity.list,
          "ignore-size": ignoreSize ? "true" : nil, "prefix": prefixes.prefix,
          "learn": whole ? "whole" : nil,
        ], AdviceSettings.options))
    if let prices {
      settings.prices = try Prices(yaml: try InputFile.bytes(prices), file: prices)
    }
    return settings
  }

  private func read(
    _ reference: TraceReference, _ progress: ProgressLine
  ) throws -> PreparedTrace {
    progress.begin("Reading \(reference.path)")
    let trace = try PreparedTrace.load(
      reference, progress: TraceReading.check(progress))
    progress.end(
      "\(trace.name): \(trace.requests.count) requests, \(trace.requests.objects) objects")
    for note in trace.notes { progress.note(note) }
    return trace
  }

  private func tell(_ advice: Advice, _ run: AdviceRun, isOneOfSeveral: Bool) throws {
    let files = try AdviceReport.files(of: advice)
    try exports.write { format in
      let ending = format == "markdown" ? ".md" : ".\(format)"
      let own = files.filter { $0.name.hasSuffix(ending) }
      return format == "markdown" ? own + files.filter { $0.name.hasSuffix(".svg") } : own
    }
    if !exports.takesOutput { run.print(advice, isOneOfSeveral: isOneOfSeveral) }
  }
}

/// Makes advice for traces that are prepared, and writes it.
struct AdviceRun {
  let settings: AdviceSettings
  let progress: ProgressLine

  /// The settings of a workload file.
  ///
  /// - Throws: `AdviceError` or an error of the file with prices.
  static func settings(of workload: Workload, threads: Int) throws -> AdviceSettings {
    var settings = workload.advise ?? AdviceSettings(threads: threads)
    (settings.unit, settings.threads) = (workload.unit, threads)
    (settings.seed, settings.prefix) = (workload.seeds.first ?? 1, workload.prefix?.order)
    if let prices = settings.pricesFile {
      let path = workload.path(of: TraceReference(path: prices))
      settings.prices = try Prices(yaml: try InputFile.bytes(path), file: path)
    }
    return settings
  }

  /// The advice for a trace that results know by `name`.
  ///
  /// - Throws: `AdviceError`; `Interrupted` when the user stopped it.
  func advice(for trace: PreparedTrace, named name: String) throws -> Advice {
    let start = ContinuousClock.now
    var advisor = try Advisor(
      trace: trace, settings: settings, cancellation: Interrupts.cancellation)
    advisor.began = { [progress] title, requests in progress.begin(title, total: requests) }
    advisor.replayed = { [progress] in progress.advance($0) }
    do {
      var advice = try advisor.make()
      advice.trace.name = name
      progress.end(
        "\(advice.candidates) designs at \(advice.capacities.count) "
          + "\(advice.capacities.count == 1 ? "capacity" : "capacities") in "
          + SecondsText.since(start))
      return advice
    } catch AdviceError.cancelled {
      throw Interrupted(description: "stopped; no advice was written")
    }
  }

  func advice(for traces: WorkloadTraces) throws -> [Advice] {
    var seen: Set<String> = []
    return try traces.facts.filter { seen.insert($0.name).inserted }.compactMap { facts in
      try traces.table[facts.name, facts.seed].map { try advice(for: $0, named: facts.name) }
    }
  }

  /// Writes advice.html, advice.md with its charts, and advice.json, or what `formats` has of it;
  /// into a folder for each trace where it is one of several.
  func write(_ advice: Advice, into folder: String, isOneOfSeveral: Bool) throws {
    let own = isOneOfSeveral ? "\(folder)/\(RunDirectory.safe(advice.trace.name))" : folder
    try ReportWriter(directory: own, formats: []).write(try AdviceReport.files(of: advice))
    progress.note("\(own)/advice.html, advice.md and advice.json")
  }

  /// Prints a screen, with the trace's name if it is one of several.
  func print(_ advice: Advice, isOneOfSeveral: Bool) {
    if isOneOfSeveral { Output.line("\(NoteText.line(advice.trace.name))\n") }
    Output.text(AdviceText.text(of: advice, width: Output.pictureTerminal.width))
    if isOneOfSeveral { Output.line("") }
  }
}
