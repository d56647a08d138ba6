import ArgumentParser
import LarderEngine
import LarderExperiments
import LarderReports
import LarderSupport

/// `larder plan`: how a workload is run in parts.
struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Divide a workload into parts, and print them or a script that runs them.",
    discussion: """
      Parts have about equal estimated cost, and are the same on every machine. Estimates come \
      from measured speeds of the policies. A trace that the store does not know is read first.

      Formats:
      \(PlanRegistry.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))

      Examples:
        larder plan Workloads/zipf.yaml --parts 10
        larder plan Workloads/zipf.yaml --parts 1000 --store /shared/store --format slurm > job.sh
        larder plan Workloads/zipf.yaml --parts 1000 --store /shared/store --missing
        larder plan --project cells=1.2M:traces=7749:requests=198G --policy lru,arc,s3-fifo

      docs/clusters.md explains every format, and how traces get there.
      """)

  @Argument(help: "The workload file (YAML; see docs/workloads.md).", completion: .file())
  var workload: String?

  @Option(help: "Number of parts.")
  var parts: Int = 1

  @Flag(help: "List only parts with cells that are not in the store.")
  var missing = false

  @Option(
    help: ArgumentHelp(
      "Format: \(PlanRegistry.all.map(\.name).joined(separator: ", ")).", valueName: "format"))
  var format = "table"

  @OptionGroup var store: RequiredStoreOption

  @Option(
    help: "Folder for the merged files. By default Results/<workload>/<date-time>.",
    completion: .directory)
  var output: String?

  @Option(help: "Number of cells that a part simulates at the same time.")
  var threads = 1

  @Option(help: "Slurm's MaxArraySize (scontrol show config).")
  var arrayMax = PlanSettings().arrayMaximum

  @Option(help: "The image with larder, for Kubernetes.")
  var image = PlanSettings().image

  @Option(help: "The volume claim with workload, traces and store, for Kubernetes.")
  var claim = PlanSettings().claim

  @Option(help: "Where that volume is mounted.")
  var mount = PlanSettings().mount

  @Option(
    help: ArgumentHelp(
      """
      Print the core-hours of a sweep that is known by its size only, such as \
      cells=1.2M:traces=7749:requests=198G, at measured speeds.
      """, valueName: "size"))
  var project: String?

  @Option(help: "Policies of the projected sweep, separated by commas.")
  var policy = "lru"

  @Flag(help: "Do not print progress and notes on standard error.")
  var quiet = false

  func validate() throws {
    guard 1...PartNumber.countMax ~= parts else {
      throw ValidationError("--parts expects 1 to \(PartNumber.countMax), found \(parts)")
    }
    guard 1...1024 ~= threads else {
      throw ValidationError("--threads expects a number from 1 to 1024, found \(threads)")
    }
    guard 2...PartNumber.countMax * 10 ~= arrayMax else {
      throw ValidationError("--array-max expects a number of at least 2, found \(arrayMax)")
    }
    guard (workload == nil) != (project == nil) else {
      throw ValidationError("expected a workload file, or --project with the size of a sweep")
    }
  }

  func run() throws {
    Interrupts.listen()
    let format = try PlanRegistry.format(named: format)
    if let project { return try ProjectedSweep(size: project, policies: policy).print() }
    guard let file = workload else { return }
    let workload = try WorkloadDecoder().decode(contentsOf: file)
    try PartRun.check(workload, file)
    let progress = ProgressLine(isQuiet: quiet)
    let store = try self.store.open(makes: true)
    let planner = RunPlanner(
      workload: workload, store: store, threads: threads, progress: progress)
    let (known, _) = try planner.traces(in: store)
    let cells = try workload.cells(facts: known.facts)
    let records = planner.records(cells, known, store)
    let plan = PartPlan(
      planner.division(cells, known, parts: parts), of: workload, traces: known, threads: threads,
      onlyMissing: missing, isMissing: { records.record(of: $0) == nil })
    var settings = PlanSettings()
    settings.arrayMaximum = arrayMax
    settings.image = image
    settings.claim = claim
    settings.mount = mount
    let job = PlannedJob(
      plan: plan, program: LarderProgram.name, file: file, store: store.path, output: output,
      settings: settings)
    Output.text(try format.text(of: job))
  }
}

/// `larder plan --project`: what a sweep of a stated size would cost.
struct ProjectedSweep {
  private let sweep: SweepProjection

  /// Reads `cells=1.2M:traces=7749:requests=198G:large=70%` and names of policies.
  init(size: String, policies: String) throws {
    var values: [String: UInt64] = [:]
    var large: Share?
    for word in size.split(separator: ":", omittingEmptySubsequences: false) {
      let parts = word.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      if parts.count == 2, parts[0] == "large", large == nil, let share = Share(parsing: parts[1]) {
        large = share
        continue
      }
      guard parts.count == 2, Self.names.contains(parts[0]), values[parts[0]] == nil,
        let number = Quantity.count(parts[1]), number > 0
      else { throw Self.malformed(size) }
      values[parts[0]] = number
    }
    guard let cells = values["cells"], let traces = values["traces"],
      let requests = values["requests"]
    else { throw Self.malformed(size) }
    let specs = try policies.split(separator: ",").map { text throws(PolicyError) in
      try PolicySpec(parsing: text)
    }
    for spec in specs { _ = try PolicyRegistry.policy(named: spec) }
    guard !specs.isEmpty else { throw UsageError("--policy expects at least one policy") }
    sweep = SweepProjection(
      cells: Double(cells), traces: Double(traces), requests: Double(requests),
      policies: specs.map(\.name), largeShare: large.map { Double($0.billionths) / 1e9 } ?? 0)
  }

  private static let names = ["cells", "traces", "requests"]

  private static func malformed(_ size: String) -> UsageError {
    UsageError(
      "--project '\(size)': expected cells, traces and requests as whole numbers above 0, such as "
        + "cells=1.2M:traces=7749:requests=198G; and large=70% if that share of the requests is in "
        + "traces with more than a million objects")
  }

  /// Prints the projection.
  func print() {
    func number(_ value: Double, _ decimals: Int = 0) -> String {
      NumberText.fixed(value, decimals: decimals) ?? "-"
    }
    Output.line("cells              \(number(sweep.cells))")
    Output.line("traces             \(number(sweep.traces))")
    Output.line("requests to read   \(number(sweep.requests))")
    Output.line("requests simulated \(number(sweep.simulated)) (requests x cells / traces)")
    Output.line(
      "per request        \(number(sweep.nanoseconds, 1)) ns, the mean of "
        + sweep.policies.joined(separator: ", "))
    Output.line(
      "in large traces    \(number(sweep.largeShare * 100, 1)) % of the requests, which take "
        + "twice as long (more than a million objects; large=70% sets it)")
    Output.line("to prepare         \(number(sweep.preparingHours, 1)) core-hours")
    Output.line("to simulate        \(number(sweep.simulatingHours, 1)) core-hours")
    Output.line(
      "projected          \(number(sweep.preparingHours + sweep.simulatingHours, 1)) core-hours "
        + "at the measured speeds of docs/clusters.md")
  }
}
