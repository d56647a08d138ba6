import Foundation
import LarderEngine
import LarderExperiments
import LarderHarness
import LarderReports
import LarderSupport
import LarderTraces

final class CheckRun {
  private let command: CheckCommand
  private let progress: ProgressLine
  private var fresh: Baseline?
  private var notes: [String] = []

  init(_ command: CheckCommand) {
    self.command = command
    progress = ProgressLine(isQuiet: command.speed.quiet)
  }

  func result() throws -> CheckResult {
    let workload = try WorkloadDecoder().decode(contentsOf: command.workload)
    let stored = try baseline(of: workload)
    let loads = [MachineLoad.oneMinute].compactMap { $0 }
    let traces = try progress.prepare(workload, title: "Preparing \(workload.name)")
    let planned = try cells(of: workload, traces)
    let records = try count(workload, planned, traces)
    let counted = records.map { CheckedCell($0, amongTraces: workload.hasSeveralTraces) }
    // Without a baseline, everything is new.
    let before = (stored?.cells ?? []).filter { command.only.isEmpty || isNamed($0.name) }
    let comparison = CountsComparison(
      from: before, to: counted, tolerances: workload.check.tolerances,
      exact: workload.check.isExact)
    var result = CheckResult(
      workload: workload.name, file: command.workload, baseline: command.baseline,
      command: repeating, machine: MachineDescription.current().summary, loads: [],
      cells: records.map { workload.name(of: $0.cell) }, counts: comparison)
    result.results = RunResults(
      workload: workload.name, workloadDescription: workload.description, command: repeating,
      started: RunDirectory.timestamp(), plannedCells: planned.count,
      threads: command.speed.threads, machine: .current(), traces: traces.facts,
      warmUp: workload.warmUp.description, caches: CacheFacts.all(of: planned), records: records)
    result.traceChanges =
      stored.map { TraceFacts.changes(from: $0.traces, to: traces.facts) } ?? []
    result.requirements = RequirementResult.all(workload, records, of: traces.facts)
    if let history = command.history {
      let entry = HistoryEntry(
        workload: workload.name, started: RunDirectory.timestamp(),
        larder: MachineDescription.current().larder, records: records,
        requirements: result.requirements)
      _ = try history.entries(of: workload.name)
      try history.append(entry)
    }
    result.unequalExecutions = Self.unequal(records).map { workload.name(of: $0.cell) }
    let resources = try CheckResources(
      command: command, workload: workload, traces: traces, progress: progress,
      stored: stored?.resources
    ).run(records, of: planned, hasFailed: result.verdict == .fail)
    result.resources = resources.comparison
    notes += resources.notes
    let timed = try time(planned, of: workload, traces, after: result)
    result.timings = timed.comparisons
    result.timingMethod = timed.method
    fresh = Baseline(
      workload: workload.name, traces: traces.facts, cells: counted, resources: resources.measured)
    result.loads = loads + [MachineLoad.oneMinute].compactMap { $0 }
    result.notes = notes
    return result
  }

  private func time(
    _ cells: [PlannedCell], of workload: Workload, _ traces: WorkloadTraces,
    after result: CheckResult
  ) throws -> CheckTimer.Outcome {
    let settings = command.timing.settings
    guard let other = command.timing.against?.program, settings.budgetSeconds > 0 else {
      return CheckTimer.Outcome()
    }
    if result.verdict == .fail, !settings.keepsGoing {
      notes.append(
        "Nothing was timed because the check has already failed; to time anyway, use "
          + "--keep-going.")
      return CheckTimer.Outcome()
    }
    let timer = CheckTimer(
      command: command, settings: settings, workload: workload, traces: traces,
      // A cell that is asked for by name is timed, whatever the workload says.
      cells: TimedCell.all(
        of: cells, timed: command.only.isEmpty ? workload.check : CheckSpec(),
        amongTraces: workload.hasSeveralTraces),
      progress: progress)
    let outcome = try timer.run(against: other)
    notes += outcome.notes
    return outcome
  }

  func write() throws {
    guard let fresh else { return }
    try ReportWriter.write(fresh.text, to: command.baseline)
  }

  private func baseline(of workload: Workload) throws -> Baseline? {
    let file = command.baseline
    guard FileManager.default.fileExists(atPath: file) else {
      if command.update { return nil }
      throw BaselineError.absent(
        file: file,
        command: ShellText.check(command.workload, baseline: file) + " --update")
    }
    let bytes: Data
    do throws(ReportError) {
      bytes = try InputFile.bytes(file)
    } catch {
      throw BaselineError.unreadable(file: file, reason: error.reason)
    }
    do {
      return try Baseline.decode(bytes, file: file, workload: workload.name)
    } catch {
      // A broken one may be replaced, but never a file that was none.
      guard command.update else { throw error }
      guard error.isReplaceable(bytes) else {
        if case .damaged = error { throw BaselineError.foreign(file: file) }
        throw error
      }
      notes.append("The existing baseline could not be read, so every cell is new.")
      return nil
    }
  }

  private func cells(of workload: Workload, _ traces: WorkloadTraces) throws -> [PlannedCell] {
    let cells = try workload.cells(over: traces)
    notes += traces.notes + Plan.notes(of: cells, in: workload)
    let names = cells.map { "\(workload.name(of: $0.cell))" }
    for name in command.only where !names.contains(name) {
      let hint = UnknownName.hint(name, among: names, nil)
      throw UsageError(
        "no cell '\(name)' in \(command.workload); cells are named configuration/policy/capacity"
          + hint)
    }
    return command.only.isEmpty
      ? cells : cells.filter { isNamed(workload.name(of: $0.cell)) }
  }

  private func isNamed(_ name: CellName) -> Bool { command.only.contains("\(name)") }

  private func count(
    _ workload: Workload, _ cells: [PlannedCell], _ traces: WorkloadTraces
  ) throws -> [Record] {
    var execution = workload.execution ?? ExecutionSpec()
    execution.threads = [1]
    var sweep = Sweep(cells: cells, traces: traces.table, threads: command.speed.threads)
    (sweep.warmUp, sweep.latency) = (workload.warmUp, workload.latency)
    (sweep.execution, sweep.driver) = (execution, HarnessDriver())
    sweep.executedRepetitions = MeasuredResources.repetitions
    let records = try progress.run(sweep)
    guard sweep.isComplete(records) else {
      throw Interrupted(description: "stopped before all cells were run; nothing was written")
    }
    return records
  }

  private var repeating: String {
    ([ShellText.check(command.workload, baseline: command.baseline)] + command.timing.words)
      .joined(separator: " ")
  }

  private static func unequal(_ records: [Record]) -> [Record] {
    records.filter { record in
      (record.executions ?? []).contains { $0.threads == 1 && $0.equalsSimulated == false }
    }
  }
}

extension Workload {
  var hasSeveralTraces: Bool { !moreSources.isEmpty }

  func name(of cell: Cell) -> CellName { CellName(cell, amongTraces: hasSeveralTraces) }
}
