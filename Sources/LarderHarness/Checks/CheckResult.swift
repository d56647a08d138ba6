/// Everything that a check found.
package struct CheckResult: Sendable, Hashable {
  /// Name of the workload.
  package var workload: String
  /// The workload's file as it was named.
  package var file: String
  /// The baseline's file as it was named.
  package var baseline: String
  /// The command that repeats the check, without `--only` and what writes files.
  package var command: String
  /// The machine, in one line.
  package var machine: String
  /// The load when it began and when it ended.
  package var loads: [Double]
  /// The cells that were run, in order.
  package var cells: [CellName]
  /// The counts.
  package var counts: CountsComparison
  /// Why the counts cannot be compared: the traces are others. Empty when they are not.
  package var traceChanges: [String]
  /// Cells whose executed counts are not those of their simulation.
  package var unequalExecutions: [CellName]
  /// What executed cells take of memory and disk; nil where nothing could be compared.
  package var resources: ResourceComparison?
  /// The timings; empty where none were asked for.
  package var timings: [TimingComparison]
  /// How timings were compared, in words; nil where they were not.
  package var timingMethod: String?
  /// Remarks for the reader.
  package var notes: [String]

  /// A result; see the properties for the meaning of each part.
  package init(
    workload: String, file: String, baseline: String, command: String, machine: String,
    loads: [Double], cells: [CellName], counts: CountsComparison, traceChanges: [String] = [],
    unequalExecutions: [CellName] = [], resources: ResourceComparison? = nil,
    timings: [TimingComparison] = [],
    timingMethod: String? = nil, notes: [String] = []
  ) {
    self.workload = workload
    self.file = file
    self.baseline = baseline
    self.command = command
    self.machine = machine
    self.loads = loads
    self.cells = cells
    self.counts = counts
    self.traceChanges = traceChanges
    self.unequalExecutions = unequalExecutions
    self.resources = resources
    self.timings = timings
    self.timingMethod = timingMethod
    self.notes = notes
  }

  /// Fail where anything got worse or counts can no longer be compared with the baseline's;
  /// inconclusive where nothing did, and a timing is undecided or a figure was not measured.
  package var verdict: TimingVerdict {
    if !counts.failing.isEmpty || !counts.missing.isEmpty || !traceChanges.isEmpty
      || !unequalExecutions.isEmpty || !(resources?.worse.isEmpty ?? true)
      || timings.contains(where: { $0.verdict == .fail })
    {
      return .fail
    }
    if !(resources?.missing.isEmpty ?? true) { return .inconclusive }
    return timings.contains { $0.verdict == .inconclusive } ? .inconclusive : .pass
  }
}
