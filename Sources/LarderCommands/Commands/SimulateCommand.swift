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

  @OptionGroup var input: TraceOptions

  @Option(
    help: """
      Policies with their parameters, separated by commas: lru,s3-fifo:small=0.2. 's4-fifo:*' \
      stands for all configurations that the policy declares, and 'all' alone for every policy but \
      learned ones and the bounds pfoo-u and pfoo-l.
      """)
  var policy: [String] = []

  @Option(
    help: """
      Admission filters in front of each policy, separated by commas: second-hit,size:max=0.05. \
      'always' admits everything.
      """)
  var admission: [String] = []

  @OptionGroup var capacities: CapacityOptions

  @Option(
    help: ArgumentHelp(
      """
      Duration of a fetch: 100ms, or 1000requests for traces without times. Requests for an object \
      in flight wait for its fetch (delayed hits). After a colon: bandwidth=100MB/s of each fetch; \
      servers=8 concurrent fetches, others queue; coalescing=false: every request fetches; \
      disk-read=100us: duration of a read from the cache, simulated as kind disk.
      """, valueName: "time"))
  var fetch: String?

  @OptionGroup var prefixes: PrefixOptions

  @Option(
    help: ArgumentHelp(
      """
      Simulate disk caches with layouts, separated by commas, in place of policies: \
      log:region=16MiB:reinsert=1, sets, or kangaroo:log=5%:region=256KiB:threshold=2:reinsert=1.
      """, valueName: "layouts"))
  var layout: [String] = []

  @Option(help: "Write counts as CSV to a file, or - for standard output.")
  var csv: String?

  /// Short for `--export timings=`.
  @Option(help: .hidden) var timings: String?

  @OptionGroup var exporting: ExportOption

  @Option(help: "Seed of random policies.")
  var seed: UInt64 = 1

  @OptionGroup var speed: SpeedOptions

  private var exports: [Export] { exporting.export.adding("csv", csv).adding("timings", timings) }

  func validate() throws {
    try exports.validate(known: ReportRegistry.exports)
    if capacities.capacity.isEmpty { throw ValidationError("--capacity is required") }
    if policy.isEmpty, layout.isEmpty {
      throw ValidationError("--policy is required, unless --layout is given")
    }
    if !layout.isEmpty, !admission.isEmpty || fetch != nil || capacities.ignoreSize {
      throw ValidationError(
        "--layout cannot be combined with --admission, --fetch and --ignore-size")
    }
    if prefixes.prefix != nil, fetch != nil {
      throw ValidationError("--prefix and --fetch cannot be combined")
    }
  }

  func run() throws {
    Interrupts.listen()
    let options = try ParameterReader(
      [
        "policy": policy.list, "admission": admission.list, "capacity": capacities.capacity.list,
        "fetch": fetch,
      ], Workload.simulationOptions)
    var workload = Workload(name: "simulate", source: .trace(TraceReference(path: "")))
    workload.policies =
      try options.text("policy").map { try PolicySpec.checkedList(parsing: $0) } ?? []
    workload.configurations = try layoutConfigurations() ?? Workload.configurations(options)
    for index in workload.configurations.indices {
      workload.configurations[index].prefix = prefixes.spec
    }
    (workload.capacities, workload.seeds) = (try options.capacities(), [seed])
    workload.unit = capacities.ignoreSize ? .objects : nil
    try exports.check()
    let progress = ProgressLine(isQuiet: speed.quiet)
    if !layout.isEmpty, workload.policies.contains(where: { $0 != FlashLayout.policy }) {
      progress.note("--policy has no effect with --layout: a layout has its own eviction rule")
    }
    var results = RunResults(
      workload: "simulate", workloadDescription: "",
      command: ShellText.command(["larder"] + CommandLine.arguments.dropFirst()),
      started: RunDirectory.timestamp(), plannedCells: 0, threads: speed.threads,
      machine: .current(), warmUp: WarmUp.none.description)
    try input.each { reference in
      workload.source = .trace(reference)
      try run(workload, &results, progress)
      return !results.interrupted
    } finally: { failed in
      results.finished = RunDirectory.timestamp()
      if !failed || !results.records.isEmpty { try write(results) }
    }
    if results.interrupted {
      throw Interrupted(
        description: "stopped: \(results.records.count) of \(results.plannedCells) cells are done")
    }
  }

  private func run(
    _ workload: Workload, _ results: inout RunResults, _ progress: ProgressLine
  ) throws {
    let prepared = try progress.prepare(
      workload, title: "Reading \(workload.source.displayName)",
      taken: Set(results.traces.map(\.name)))
    for note in prepared.notes { progress.note(note) }
    let cells = try Plan.cells(of: workload, facts: prepared.facts)
    try Plan.check(cells, of: workload, over: prepared.table)
    let records = try progress.run(
      Sweep(cells: cells, traces: prepared.table, threads: speed.threads))
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

  /// One disk cache for each layout; nil if none is given.
  private func layoutConfigurations() throws -> [ConfigurationSpec]? {
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
