/// Everything that a check found.
public struct CheckResult: Sendable, Hashable {
  /// Name of the workload.
  public var workload: String
  /// The workload's file as it was named.
  public var file: String
  /// The baseline's file as it was named.
  public var baseline: String
  /// The command that repeats the check, without `--only` and what writes files.
  public var command: String
  /// The machine, in one line.
  public var machine: String
  /// The load when it began and when it ended.
  public var loads: [Double]
  /// The cells that were run, in order.
  public var cells: [CellName]
  /// The counts.
  public var counts: CountsComparison
  /// Why the counts cannot be compared: the traces are others. Empty when they are not.
  public var traceChanges: [String]
  /// Cells whose executed counts are not those of their simulation.
  public var unequalExecutions: [CellName]
  /// The timings; empty where none were asked for.
  public var timings: [TimingComparison]
  /// How timings were compared, in words; nil where they were not.
  public var timingMethod: String?
  /// Remarks for the reader.
  public var notes: [String]

  /// A result; see the properties for the meaning of each part.
  public init(
    workload: String, file: String, baseline: String, command: String, machine: String,
    loads: [Double], cells: [CellName], counts: CountsComparison, traceChanges: [String] = [],
    unequalExecutions: [CellName] = [], timings: [TimingComparison] = [],
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
    self.timings = timings
    self.timingMethod = timingMethod
    self.notes = notes
  }

  /// What it comes to: fail where anything got worse or cannot be held against the baseline any
  /// more; inconclusive where nothing did and timings do not say.
  public var verdict: TimingVerdict {
    if !counts.changes(.worse).isEmpty || !counts.missing.isEmpty || !traceChanges.isEmpty
      || !unequalExecutions.isEmpty || timings.contains(where: { $0.verdict == .fail })
    {
      return .fail
    }
    return timings.contains { $0.verdict == .inconclusive } ? .inconclusive : .pass
  }
}
