import LarderReports
import LarderSimulation
import LarderStore
import LarderSystem
import LarderWorkloads

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
    for damage in records.damaged(in: cells) { progress.note("damaged, not used: \(damage)") }
    try refuseConflicts(records, cells)
    try refuseGaps(records, cells)
    let plan = RunPlan(
      cells: cells, facts: known.facts, notes: known.notes, traces: nil, records: records)
    var results = RunResults(
      of: plan, of: workload, file: file, threads: records.sweepThreads(of: cells))
    results.records = cells.compactMap { records.timedRecord(of: $0) }
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
      : " (\(counted) of them were counted under other rules, "
        + "\(foreign.joined(separator: ", ")), by a larder that may count differently; this one's "
        + "are \(store.rules))"
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
