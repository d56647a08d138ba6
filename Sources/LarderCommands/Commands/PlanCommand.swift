import ArgumentParser
import LarderExperiments
import LarderReports

struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Divide a workload into parts, and print them or a script that runs them.",
    discussion: """
      Parts replay about equally many requests, and are the same on every machine. Traces that \
      are not in the store are read first.

      Formats:
      \(PlanFormat.allCases.map { "  \($0): \($0.summary)" }.joined(separator: "\n"))

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

  @Option(help: "Format.")
  var format = PlanFormat.table

  @OptionGroup var store: StoreOption

  func validate() throws {
    guard 1...PartNumber.countMax ~= parts else {
      throw ValidationError("--parts expects 1 to \(PartNumber.countMax), found \(parts)")
    }
  }

  func run() throws {
    Interrupts.listen()
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
      planner.division(cells, known, parts: parts), of: workload, onlyMissing: missing,
      isMissing: { records.record(of: $0) == nil })
    let job = PlannedJob(
      plan: plan, program: LarderProgram.name, file: file, store: store.path)
    Output.text(try job.text(format))
  }
}

extension PlanFormat: ExpressibleByArgument {}
