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
      from measured speeds of the policies. Traces that are not in the store are read first.

      Formats:
      \(PlanRegistry.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))

      Examples:
        larder plan Workloads/zipf.yaml --parts 10
        larder plan Workloads/zipf.yaml --parts 1000 --store /shared/store --format slurm > job.sh
        larder plan Workloads/zipf.yaml --parts 1000 --store /shared/store --missing

      docs/clusters.md describes the formats, and how to distribute traces.
      """)

  @Argument(help: "The workload file (YAML; see docs/workloads.md).", completion: .file())
  var workload: String

  @Option(help: "Number of parts.")
  var parts: Int = 1

  @Flag(help: "List only parts with cells that are not in the store.")
  var missing = false

  @Option(
    help: ArgumentHelp(
      """
      Format: \(PlanRegistry.all.map(\.name).joined(separator: ", ")). With options: \
      slurm:array-max=1001 (MaxArraySize of scontrol show config), kubernetes:image=larder:\
      claim=larder:mount=/larder (the image, the volume claim with workload, traces and store, and \
      where it is mounted).
      """, valueName: "format"))
  var format = "table"

  @OptionGroup var store: RequiredStoreOption

  func validate() throws {
    guard 1...PartNumber.countMax ~= parts else {
      throw ValidationError("--parts expects 1 to \(PartNumber.countMax), found \(parts)")
    }
  }

  func run() throws {
    Interrupts.listen()
    let spec = try ComponentSpec(parsing: self.format)
    let format = try PlanRegistry.format(named: spec.name)
    let settings = try Self.settings(spec)
    let file = workload
    let workload = try WorkloadDecoder().decode(contentsOf: file)
    try PartRun.check(workload, file)
    let progress = ProgressLine(isQuiet: false)
    let store = try self.store.open(makes: true)
    let planner = RunPlanner(
      workload: workload, store: store, threads: 1, progress: progress)
    let (known, _) = try planner.traces(in: store)
    let cells = try workload.cells(facts: known.facts)
    let records = planner.records(cells, known, store)
    let plan = PartPlan(
      planner.division(cells, known, parts: parts), of: workload, traces: known, threads: 1,
      onlyMissing: missing, isMissing: { records.record(of: $0) == nil })
    let job = PlannedJob(
      plan: plan, program: LarderProgram.name, file: file, store: store.path, output: nil,
      settings: settings)
    Output.text(try format.text(of: job))
  }

  private static func settings(_ spec: ComponentSpec) throws(ComponentError) -> PlanSettings {
    var settings = PlanSettings()
    let known =
      switch spec.name {
      case "slurm":
        [
          Parameter(
            "array-max", .count(2...PartNumber.countMax * 10), default: "\(settings.arrayMaximum)",
            "Slurm's MaxArraySize.")
        ]
      case "kubernetes": ["image", "claim", "mount"].map { Parameter($0, default: "", "") }
      default: [Parameter]()
      }
    let options = try ParameterReader(spec, parameters: known)
    if options.text("array-max") != nil { settings.arrayMaximum = try options.whole("array-max") }
    settings.image = options.text("image") ?? settings.image
    settings.claim = options.text("claim") ?? settings.claim
    settings.mount = options.text("mount") ?? settings.mount
    return settings
  }
}
