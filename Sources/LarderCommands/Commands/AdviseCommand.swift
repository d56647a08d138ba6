import ArgumentParser
import Foundation
import LarderEngine
import LarderExperiments
import LarderReports
import LarderTraces

struct AdviseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "advise",
    abstract: "Recommend a policy and a capacity for traces.",
    discussion: """
      Searches all policies, their parameters and admission filters by simulation: on samples \
      first, and in full for the best. Designs are chosen on the first part of the trace and \
      scored on the rest. Prints one screen: today's cache against the proposed one, its regret, \
      the effect of more memory, of a disk tier and of a TTL, and the cost. See docs/advise.md.

      Examples:
        larder advise access.log --current nginx:8GiB
        larder advise redis.monitor --current redis:allkeys-lru:4GiB --prices prices.yaml
        larder advise OLTP.lis.zst
        larder advise web.csv --prices prices.yaml --export html=advice.html
        larder advise access.log.2.gz access.log.1 access.log --join --capacity 1GiB
        larder advise Workloads/news-feed.yaml
        larder advise trace.csv --capacity 1%,10% --whole --json - --quiet
        larder advise trace.csv --policy s4-fifo --capacity 128MiB,1GiB
        larder advise prompts.hash-ids.jsonl --capacity 10000 --prefix tail --policy lru,sieve
      """)

  @OptionGroup var input: TraceOptions

  @OptionGroup var capacities: CapacityOptions

  @Option(
    help: """
      Policies to search in addition to LRU, separated by commas; all by default. A policy without \
      parameters is tried with all values and configurations that it declares as worth trying, so \
      --policy s4-fifo tunes that policy.
      """)
  var policy: [String] = []

  @OptionGroup var prefixes: PrefixOptions

  @OptionGroup var today: CurrentOption

  @Option(
    help: "File with prices (YAML; see docs/advise.md). The cheapest capacity is recommended.",
    completion: .file())
  var prices: String?

  @Flag(help: "Use all requests to choose designs and to score them, instead of a half each.")
  var whole = false

  @Option(help: "Write the advice as JSON to a file, or - for standard output; for one trace.")
  var json: String?

  @OptionGroup var exporting: ExportOption

  @OptionGroup var speed: SpeedOptions

  private var exports: [Export] { exporting.export.adding("json", json) }

  func validate() throws {
    try exports.validate(known: ["json", "markdown", "html"])
    if !exports.isEmpty, input.areSeparate {
      throw ValidationError(
        "--json and --export write the advice for one trace; run one command per trace")
    }
    if input.traces.count > 1, let file = input.traces.first(where: Self.isWorkload) {
      throw ValidationError("'\(file)' is a workload file; run one command for it alone")
    }
  }

  private static func isWorkload(_ path: String) -> Bool {
    [".yaml", ".yml"].contains { path.lowercased().hasSuffix($0) }
  }

  func run() throws {
    Interrupts.listen()
    try exports.check()
    let progress = ProgressLine(isQuiet: speed.quiet)
    if let file = input.traces.first, Self.isWorkload(file) { return try run(file, progress) }
    let settings = try overridden(AdviceSettings(threads: speed.threads))
    let run = AdviceRun(settings: settings, progress: progress)
    var taken: Set<String> = []
    for reference in try input.references() {
      let trace = try progress.load(reference)
      let name = TraceNames.distinct(trace.name, path: reference.path, taken: taken)
      taken.insert(name)
      let plainer = try run.plainer(.trace(reference), of: trace) { try progress.load($0) }
      let advice = try run.advice(for: trace, named: name, plainer: plainer)
      try tell(advice, run, isOneOfSeveral: input.areSeparate)
    }
  }

  private func run(_ file: String, _ progress: ProgressLine) throws {
    if try input.format.spec() != nil || input.format.sample != nil || input.joining.join {
      throw UsageError(
        "'\(file)' defines how its traces are read; remove --format, --sample and --join")
    }
    var workload = try WorkloadDecoder().decode(contentsOf: file)
    workload.advise = workload.advise ?? AdviceSettings(threads: speed.threads)
    let settings = try overridden(try AdviceRun.settings(of: workload, threads: speed.threads))
    let traces = try progress.prepare(workload, title: "Preparing \(workload.name)")
    for note in traces.notes { progress.note(note) }
    if !exports.isEmpty, Set(traces.facts.map(\.name)).count > 1 {
      throw UsageError("--json and --export write the advice for one trace; '\(file)' has several")
    }
    let run = AdviceRun(settings: settings, progress: progress)
    let all = try run.advice(for: traces, of: workload)
    for advice in all { try tell(advice, run, isOneOfSeveral: all.count > 1) }
  }

  private func overridden(_ settings: AdviceSettings) throws -> AdviceSettings {
    var settings = settings
    try settings.apply(
      ParameterReader(
        [
          "policy": policy.list, "capacity": capacities.capacity.list,
          "ignore-size": capacities.ignoreSize ? "true" : nil, "prefix": prefixes.prefix,
          "learn": whole ? "whole" : nil,
        ], AdviceSettings.options))
    settings.current = try today.cache() ?? settings.current
    if let prices { settings.prices = try Prices(yaml: try InputFile.bytes(prices), file: prices) }
    return settings
  }

  private func tell(_ advice: Advice, _ run: AdviceRun, isOneOfSeveral: Bool) throws {
    let files = try AdviceReport.files(of: advice)
    try exports.write { format in
      let endings = format == "markdown" ? [".md", ".svg"] : [".\(format)"]
      return files.filter { file in endings.contains { file.name.hasSuffix($0) } }
    }
    if !exports.takesOutput { run.print(advice, isOneOfSeveral: isOneOfSeveral) }
  }
}

struct AdviceRun {
  let settings: AdviceSettings
  let progress: ProgressLine

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

  func advice(
    for trace: PreparedTrace, named name: String,
    plainer: (trace: PreparedTrace, option: String)? = nil
  ) throws -> Advice {
    let start = ContinuousClock.now
    var advisor = try Advisor(
      trace: trace, settings: settings, cancellation: Interrupts.cancellation)
    advisor.plainer = plainer
    advisor.began = { [progress] title, requests in progress.begin(title, total: requests) }
    advisor.replayed = { [progress] in progress.advance($0) }
    do {
      var advice = try advisor.make()
      advice.trace.name = name
      advice.decision?.trace = name
      let capacities = advice.capacities.count == 1 ? "capacity" : "capacities"
      progress.end(
        "\(advice.candidates) designs at \(advice.capacities.count) \(capacities) in "
          + SecondsText.since(start))
      return advice
    } catch AdviceError.cancelled {
      throw Interrupted(description: "stopped; no advice was written")
    }
  }

  func advice(for traces: WorkloadTraces, of workload: Workload) throws -> [Advice] {
    var seen: Set<String> = []
    let all = zip(workload.traceKeys, traces.facts).filter { seen.insert($1.name).inserted }
    return try all.compactMap { key, facts in
      guard let trace = traces.table[facts.name, facts.seed] else { return nil }
      let plainer = try plainer(workload.sources[key.source], of: trace) { reference in
        var own = workload
        (own.source, own.moreSources) = (.trace(reference), [])
        let plain = try progress.prepare(own, title: "Preparing \(facts.name) with other keys")
        return plain.facts.first.flatMap { plain.table[$0.name, $0.seed] }
      }
      return try advice(for: trace, named: facts.name, plainer: plainer)
    }
  }

  /// The trace without query parameters that may not change the response, if it has any and
  /// today's cache is known.
  func plainer(
    _ source: SourceSpec, of trace: PreparedTrace,
    load: (TraceReference) throws -> PreparedTrace?
  ) throws -> (trace: PreparedTrace, option: String)? {
    guard settings.current != nil, let option = trace.reading.keyOption,
      case .trace(var reference) = source
    else { return nil }
    let words = option.split(separator: "=", maxSplits: 1).map(String.init)
    var format = reference.format ?? ComponentSpec(name: "auto")
    format.values[words[0]] = words.count > 1 ? words[1] : ""
    reference.format = format
    return try load(reference).map { ($0, option) }
  }

  func write(_ advice: Advice, into folder: String, isOneOfSeveral: Bool) throws {
    let own = isOneOfSeveral ? "\(folder)/\(RunDirectory.safe(advice.trace.name))" : folder
    try ReportWriter(directory: own, formats: []).write(try AdviceReport.files(of: advice))
    progress.note("\(own)/advice.html, advice.md and advice.json")
  }

  func print(_ advice: Advice, isOneOfSeveral: Bool, box: Bool = true) {
    let text = AdviceText.text(of: advice, width: Output.pictureTerminal.width, box: box)
    if text.isEmpty { return }
    if isOneOfSeveral { Output.line("\(NoteText.line(advice.trace.name))\n") }
    Output.text(text)
    if isOneOfSeveral || !box { Output.line("") }
  }
}
