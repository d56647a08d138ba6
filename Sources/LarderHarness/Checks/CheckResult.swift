/// The findings of a check.
package struct CheckResult: Sendable, Hashable {
  package var workload: String
  package var file: String
  package var baseline: String
  /// The command that repeats the check, without `--only` and options that write files.
  package var command: String
  package var machine: String
  /// The load at start and end.
  package var loads: [Double]
  package var cells: [CellName]
  package var counts: CountsComparison
  /// Reasons why the counts cannot be compared: the traces differ. Empty if they can.
  package var traceChanges: [String]
  package var unequalExecutions: [CellName]
  /// Memory and disk use of executed cells; nil if nothing could be compared.
  package var resources: ResourceComparison?
  /// The timings; empty if none were requested.
  package var timings: [TimingComparison]
  /// A description of the timing method; nil without timings.
  package var timingMethod: String?
  package var notes: [String]
  /// True if a new baseline accepts the differences; only unequal executions still fail.
  package var isAccepted = false

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

  /// Fails if anything got worse or counts can no longer be compared with the baseline's;
  /// inconclusive if nothing did, but a timing is undecided or a figure was not measured.
  package var verdict: TimingVerdict {
    if isAccepted { return unequalExecutions.isEmpty ? .pass : .fail }
    if !counts.failing.isEmpty || !counts.missing.isEmpty || !traceChanges.isEmpty
      || !unequalExecutions.isEmpty || !(resources?.worse.isEmpty ?? true)
      || timings.contains(where: { $0.verdict == .fail })
    {
      return .fail
    }
    if !(resources?.missing.isEmpty ?? true) { return .inconclusive }
    return timings.contains { $0.verdict == .inconclusive } ? .inconclusive : .pass
  }

  /// True if something that a baseline stores got worse.
  package func failsAgainstBaseline(withInstructions: Bool) -> Bool {
    !counts.failing.isEmpty || !counts.missing.isEmpty || !traceChanges.isEmpty
      || resources?.worse.contains {
        withInstructions || $0.resource != .instructionsPerRequest
      } ?? false
  }
}
