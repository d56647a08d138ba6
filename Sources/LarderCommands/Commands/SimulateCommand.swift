import ArgumentParser
import Foundation
import LarderEngine
import LarderExperiments
import LarderPolicies
import LarderReports
import LarderSupport
import LarderTraces

struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Simulate traces with policies and capacities.",
    discussion: """
      Examples:
        larder simulate OLTP.lis.zst --policy lru,belady --capacity 1000,5000
        larder simulate web.csv --format csv:id=2:size=3 --policy all --capacity 1GiB
        larder simulate web.csv --policy lru --admission always,adaptsize --capacity 64MiB
        larder simulate web.csv --ignore-size --policy lru --capacity 1%,10% --csv -
        larder simulate web.csv --policy all --capacity 1% --export html=page.html
        larder simulate web.csv --policy lru,lru-mad --capacity 5% --fetch 100ms:servers=8
        larder simulate prompts.hash-ids.jsonl --policy lru --capacity 10000 --prefix tail
        larder simulate web.csv --layout log:region=16MiB:reinsert=1,sets --capacity 1GiB
        larder simulate access.log access.log.1 access.log.2.gz --join --policy all --capacity 1GiB
      """)

  @Argument(help: "Traces, compressed or not; - for standard input.", completion: .file())
  var traces: [String]

  @Option(
    help: """
      Policies with their parameters, separated by commas: lru,s3-fifo:small=0.2. 's4-fifo:*' \
      stands for all configurations that the policy declares, and 'all' for every policy.
      """)
  var policy: [String] = []

  @Option(
    help: """
      Admission filters in front of each policy, separated by commas: second-hit,size:max=0.05. \
      'always' admits everything.
      """)
  var admission: [String] = []

  @Option(
    help: """
      Capacities, separated by commas: objects (1000), bytes (64MiB, 1GB), or a share of the \
      footprint (1%).
      """)
  var capacity: [String]

  @OptionGroup var format: FormatOption

  @OptionGroup var joining: JoinOption

  @OptionGroup var fetching: FetchOptions

  @OptionGroup var prefixes: PrefixOptions

  @OptionGroup var layouts: LayoutOptions

  @Flag(help: "Give every object size 1, so that capacities count objects.")
  var ignoreSize = false

  @Option(help: "Write counts as CSV to a file, or - for standard output.")
  var csv: String?

  @Option(help: "Write timings as CSV to a file, or - for standard output.")
  var timings: String?

  @OptionGroup var exporting: ExportOption

  @Option(help: "Seed of random policies.")
  var seed: UInt64 = 1

  @Option(help: "Number of timed repetitions of each cell.")
  var repetitions: Int = 1

  @OptionGroup var speed: SpeedOptions

  private var exports: [Export] { exporting.export.adding("csv", csv).adding("timings", timings) }

  func validate() throws {
    guard (1...1000).contains(repetitions) else {
      throw ValidationError("--repetitions expects a number from 1 to 1000, found \(repetitions)")
    }
    try exports.validate(known: ReportRegistry.exports)
    if policy.isEmpty, layouts.layout.isEmpty {
      throw ValidationError("--policy is required, unless --layout is given")
    }
    if !layouts.layout.isEmpty, !admission.isEmpty || fetching.fetch != nil || ignoreSize {
      throw ValidationError(
        "--layout cannot be combined with --admission, --fetch and --ignore-size")
    }
    if prefixes.prefix != nil, fetching.fetch != nil {
      throw ValidationError("--prefix and --fetch cannot be combined")
    }
    try JoinOption.refuseRepeated(traces)
  }

  func run() throws {
    Interrupts.listen()
    let options = try ParameterReader(
      [
        "policy": policy.list, "admission": admission.list, "capacity": capacity.list,
        "fetch": fetching.fetch,
      ], Workload.simulationOptions)
    let policies = try options.text("policy").map { try PolicySpec.checkedList(parsing: $0) } ?? []
    var configurations = try layouts.configurations() ?? Workload.configurations(options)
    for index in configurations.indices { configurations[index].prefix = prefixes.spec }
    let capacities = try options.capacities()
    try exports.check()
    let progress = ProgressLine(isQuiet: speed.quiet)
    if !layouts.layout.isEmpty, policies.contains(where: { $0 != FlashLayout.policy }) {
      progress.note("--policy has no effect with --layout: a layout has its own eviction rule")
    }
    var results = RunResults(
      workload: "simulate", workloadDescription: "",
      command: ShellText.command(["larder"] + CommandLine.arguments.dropFirst()),
      started: RunDirectory.timestamp(), plannedCells: 0, threads: speed.threads,
      machine: .current(), warmUp: WarmUp.none.description)
    var failure: (any Error)?
    for reference in try joining.references(traces, format) {
      var workload = Workload(name: "simulate", source: .trace(reference))
      workload.unit = ignoreSize ? .objects : nil
      (workload.configurations, workload.policies) = (configurations, policies)
      (workload.capacities, workload.seeds) = (capacities, [seed])
      do { try run(workload, &results, progress) } catch {
        // Finished traces are written before the error is reported.
        guard !results.records.isEmpty else { throw error }
        failure = error
        break
      }
      if results.interrupted { break }
    }
    results.finished = RunDirectory.timestamp()
    try write(results)
    if let failure { throw failure }
    if results.interrupted {
      throw Interrupted(
        description: "stopped: \(results.records.count) of \(results.plannedCells) cells are done")
    }
  }

  private func run(
    _ workload: Workload, _ results: inout RunResults, _ progress: ProgressLine
  ) throws {
    progress.begin("Reading \(workload.source.displayName)")
    let taken = Set(results.traces.map(\.name))
    let prepared = try WorkloadTraces.prepare(workload, taken: taken) { _, requests in
      if Interrupts.cancellation.isRequested {
        throw Interrupted(description: "stopped while reading the trace")
      }
      progress.set(requests)
    }
    for facts in prepared.facts {
      progress.end("\(facts.name): \(facts.requests) requests, \(facts.objects) objects")
    }
    for note in prepared.notes { progress.note(note) }
    let cells = try Plan.cells(of: workload, facts: prepared.facts)
    try Plan.check(cells, of: workload, over: prepared.table)
    var sweep = Sweep(cells: cells, traces: prepared.table, threads: speed.threads)
    sweep.repetitions = repetitions
    progress.begin("Running \(NumberText.counted(cells.count, "cell"))", total: sweep.totalRequests)
    let start = ContinuousClock.now
    let records = try sweep.run(
      cancellation: Interrupts.cancellation,
      observer: Sweep.Observer(replayed: { progress.advance($0) }))
    progress.end("\(NumberText.counted(records.count, "cell")) in \(SecondsText.since(start))")
    results.records += records
    results.traces += prepared.facts
    results.notes += prepared.notes
    results.plannedCells += cells.count
    results.interrupted = records.count < cells.count
  }

  private func write(_ results: RunResults) throws {
    try exports.write { try ReportRegistry.files($0, of: results) }
    if !exports.takesOutput {
      Output.text(ComparisonTable.text(of: results, colour: Output.usesColour))
    }
  }
}

struct LayoutOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Simulate disk caches with layouts, separated by commas, in place of policies: \
      log:region=16MiB:reinsert=1, sets, or kangaroo:log=5%:region=256KiB:threshold=2:reinsert=1.
      """, valueName: "layouts"))
  var layout: [String] = []

  func configurations() throws -> [ConfigurationSpec]? {
    guard !layout.isEmpty else { return nil }
    let texts = layout.joined(separator: ",").split(
      separator: ",", omittingEmptySubsequences: false)
    var specs: [ConfigurationSpec] = []
    for text in texts {
      let layout: FlashLayout
      do {
        layout = try FlashLayout(parsing: text.filter { $0 != " " })
      } catch {
        throw UsageError("--layout: \(error)")
      }
      var spec = ConfigurationSpec(name: layout.description, kind: .disk)
      if texts.count == 1 { spec.name = ConfigurationKind.disk.rawValue }
      spec.setLayout(layout)
      guard !specs.contains(where: { $0.name == spec.name }) else {
        throw UsageError("--layout has '\(layout)' twice")
      }
      specs.append(spec)
    }
    return specs
  }
}
