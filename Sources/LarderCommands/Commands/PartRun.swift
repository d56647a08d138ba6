import Foundation
import LarderExperiments
import LarderReports
import LarderSupport

struct PartRun {
  let file: String
  let part: String
  let store: ResultStore
  let threads: Int
  let progress: ProgressLine

  static let prepare = "prepare"

  func run(_ workload: Workload) throws {
    try Self.check(workload, file)
    let planner = RunPlanner(
      workload: workload, store: store, threads: threads, mustKeep: true, progress: progress)
    if part == Self.prepare { return try prepare(planner) }
    let (number, variable) = try PartNumber.parse(
      part, environment: ProcessInfo.processInfo.environment)
    let name = "part \(number)" + (variable.map { ", from \($0)" } ?? "")
    progress.note(name)
    let plan = try planner.plan(part: number)
    let sweep = plan.sweep(of: workload, threads: threads)
    let stored = plan.stored
    let records = try progress.run(
      sweep,
      end: { records in
        "\(name): \(records.count) cells, \(stored) from the store, \(records.count - stored) "
          + "computed,"
      })
    guard sweep.isComplete(records) else {
      throw Interrupted(
        description: "stopped: \(records.count) of \(plan.cells.count) cells of \(name) are in "
          + "\(store.path); run it again for the others")
    }
  }

  private func prepare(_ planner: RunPlanner) throws {
    let start = ContinuousClock.now
    let (known, prepared) = try planner.traces(in: store)
    let traces = try prepared ?? planner.prepare(shelf: store.shelf(of: known))
    try store.shelve(traces, as: known)
    progress.end(
      "\(known.facts.count) prepared traces in \(store.path), in \(SecondsText.since(start))")
  }

  static func check(_ workload: Workload, _ file: String) throws(UsageError) {
    guard workload.modes.contains(.execute) else { return }
    throw UsageError(
      "\(file): executed cells are measurements of one machine and cannot be divided into parts; "
        + "run the whole workload, or remove execute from 'mode'")
  }
}

struct Merging {
  let file: String
  let workload: Workload
  let store: ResultStore
  let progress: ProgressLine

  /// Cells and files that are listed before the rest is only counted.
  private static let listed = 20

  /// Throws `CheckOutcome` with code 1 where a cell is missing or two records differ.
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

  private var command: String {
    "\(ShellText.command([LarderProgram.name, "run"])) \(ShellWord.path(file)) "
      + "\(ShellWord.option("--store", store.path)) --part 1/1"
  }

  private func list<Item>(_ items: [Item], _ text: (Item) -> String) {
    for item in items.prefix(Self.listed) { Notes.line(text(item)) }
    if items.count > Self.listed { Notes.line("... and \(items.count - Self.listed) more") }
  }

  private static func name(_ planned: PlannedCell) -> String {
    let cell = planned.cell
    return "\(cell.trace), \(cell.cacheName), \(cell.capacity) \(cell.unit.rawValue), "
      + "seed \(cell.seed)"
  }
}
