import ArgumentParser
import Foundation
import LarderExperiments
import LarderReports
import LarderSupport

/// `larder merge`: the results of a workload whose parts are all in a store.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Write the results of a workload that was run in parts.",
    discussion: """
      Computes nothing: reads every cell from the store and writes the files of 'larder run'. \
      Counts, and the parts of the report that derive from them, are identical byte for byte; \
      timings name the machine on which they were measured.

      Exits with 1 and lists the cells if some are missing, if two records of a cell differ, or if \
      they were counted by a version of larder with other counting rules.

      Examples:
        larder merge Workloads/zipf.yaml --store /shared/store --output /tmp/zipf
        larder merge Workloads/zipf.yaml --store /shared/store

      docs/clusters.md explains how to run a workload on many machines.
      """)

  @Argument(help: "The workload file (YAML; see docs/workloads.md).", completion: .file())
  var workload: String

  @OptionGroup var store: RequiredStoreOption

  @Option(
    help: "Folder for the files. By default Results/<workload>/<date-time>.",
    completion: .directory)
  var output: String?

  @Flag(help: "Do not print progress and notes on standard error.")
  var quiet = false

  func run() throws {
    Interrupts.listen()
    let workload = try WorkloadDecoder().decode(contentsOf: self.workload)
    try PartRun.check(workload, self.workload)
    let formats = try workload.reports.map { try ReportRegistry.format(named: $0.rawValue) }
    let progress = ProgressLine(isQuiet: quiet)
    let merging = Merging(
      file: self.workload, workload: workload, store: try store.open(makes: false),
      progress: progress)
    let results = try merging.results()
    let standard = RunDirectory.standard(workload: workload.name)
    let directory = output ?? RunDirectory.claim(standard)
    let writer = ReportWriter(directory: directory, formats: formats)
    try writer.prepare()
    try writer.write(results)
    Output.text(ComparisonTable.text(of: results, colour: Output.usesColour))
    Output.flush()
    progress.end("\(NumberText.counted(results.records.count, "cell")) from \(merging.store.path)")
    for format in formats { progress.note("\(directory)/\(format.fileName)") }
  }
}

/// Makes results of what a store has of a workload, or says why not.
struct Merging {
  /// The workload file, for messages and commands.
  let file: String
  let workload: Workload
  let store: ResultStore
  let progress: ProgressLine

  /// Cells and files that are listed before the rest is only counted.
  private static let listed = 20

  /// The results of all cells.
  ///
  /// - Throws: `CheckOutcome` with code 1 where one is missing or there are two that differ, after
  ///   listing them.
  func results() throws -> RunResults {
    let planner = RunPlanner(workload: workload, store: store, threads: 1, progress: progress)
    let (known, _) = try planner.traces(in: store)
    let cells = try workload.cells(facts: known.facts)
    let records = planner.records(cells, known, store)
    planner.tell(records.damaged(in: cells))
    try refuseConflicts(records, cells)
    try refuseGaps(records, cells)
    let plan = RunPlan(
      cells: cells, facts: known.facts, notes: known.notes, traces: nil, records: records)
    var results = RunResults(
      of: plan, of: workload, file: file, threads: records.sweepThreads(of: cells))
    results.records = cells.compactMap { records.timedRecord(of: $0) }
    planner.tell(store.takeDamages())
    results.finished = RunDirectory.timestamp()
    return results
  }

  private func refuseConflicts(_ records: StoredRecords, _ cells: [PlannedCell]) throws {
    let conflicts = records.conflicts(in: cells)
    guard !conflicts.isEmpty else { return }
    list(conflicts) { conflict in
      "\(Self.name(conflict.cell)): \(conflict.files.joined(separator: ", "))"
    }
    throw CheckOutcome(
      description:
        "records of \(NumberText.counted(conflicts.count, "cell")) differ: one of each was "
        + "computed by a faulty machine or build; remove the wrong one",
      code: 1)
  }

  private func refuseGaps(_ records: StoredRecords, _ cells: [PlannedCell]) throws {
    let missing = cells.filter { records.record(of: $0) == nil }
    guard !missing.isEmpty else { return }
    list(missing) { Self.name($0) }
    var foreign: [String] = []
    for rules in missing.flatMap({ records.foreignRules(of: $0) }) where !foreign.contains(rules) {
      foreign.append(rules)
    }
    let counted = missing.count { !records.foreignRules(of: $0).isEmpty }
    let why =
      foreign.isEmpty
      ? ""
      : " (\(counted) of them were counted by a version of larder with other counting rules, "
        + "\(foreign.joined(separator: ", ")); those of this version are \(store.rules))"
    throw CheckOutcome(
      description:
        "\(missing.count) of \(NumberText.counted(cells.count, "cell")) are missing\(why); compute "
        + "them with: \(command)",
      code: 1)
  }

  /// The command that computes what is missing.
  private var command: String {
    "\(ShellText.command([LarderProgram.name, "run"])) \(ShellWord.path(file)) "
      + "\(ShellWord.option("--store", store.path)) --part 1/1"
  }

  private func list<Item>(_ items: [Item], _ text: (Item) -> String) {
    for item in items.prefix(Self.listed) { Notes.line(text(item)) }
    if items.count > Self.listed { Notes.line("... and \(items.count - Self.listed) more") }
  }

  /// A cell as a person tells it from others.
  private static func name(_ planned: PlannedCell) -> String {
    let cell = planned.cell
    return "\(cell.trace), \(cell.cacheName), \(cell.capacity) \(cell.unit.rawValue), "
      + "seed \(cell.seed)"
  }
}
