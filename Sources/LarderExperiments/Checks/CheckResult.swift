import Foundation

/// The findings of a check.
package struct CheckResult: Sendable, Hashable {
  package var workload: String
  /// The workload's file as typed.
  package var file: String
  /// The baseline's file as typed.
  package var baseline: String
  /// The command that repeats the check, without `--only` and options that write files.
  package var command: String
  /// The machine, in one line.
  package var machine: String
  /// The load at start and end.
  package var loads: [Double]
  /// The cells that were run, in order.
  package var cells: [CellName]
  package var counts: CountsComparison
  /// Reasons why the counts cannot be compared: the traces differ. Empty if they can.
  package var traceChanges: [String] = []
  /// Cells whose executed counts differ from their simulation.
  package var unequalExecutions: [CellName] = []
  /// Memory and disk use of executed cells; nil if nothing could be compared.
  package var resources: ResourceComparison?
  /// The timings; empty if none were requested.
  package var timings: [TimingComparison] = []
  /// A description of the timing method; nil without timings.
  package var timingMethod: String?
  /// Remarks for the reader.
  package var notes: [String] = []
  /// True if a new baseline accepts the differences; only unequal executions still fail.
  package var isAccepted = false

  /// The findings about counts, without those of resources and timings.
  package init(
    workload: String, file: String, baseline: String, command: String, machine: String,
    loads: [Double], cells: [CellName], counts: CountsComparison
  ) {
    self.workload = workload
    self.file = file
    self.baseline = baseline
    self.command = command
    self.machine = machine
    self.loads = loads
    self.cells = cells
    self.counts = counts
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

/// The time of one cell in this build relative to a reference.
package struct TimingComparison: Sendable, Hashable {
  package var name: TimedName
  package var metric: TimedMetric
  /// The name of the reference, such as another build.
  package var against: String
  package var verdict: TimingVerdict
  /// The ratio of this to the reference, above 1 if this is slower; nil without measurements.
  package var ratio: CentreInterval?
  /// Independent measurements: pairs of processes, or rounds.
  package var blocks: Int
  /// Measurements of each side.
  package var pairs: Int
  /// True if the two had different hits, and so did different work.
  package var doesDifferentWork = false

  package init(
    name: TimedName, metric: TimedMetric, against: String, verdict: TimingVerdict,
    ratio: CentreInterval?, blocks: Int, pairs: Int, doesDifferentWork: Bool = false
  ) {
    self.name = name
    self.metric = metric
    self.against = against
    self.verdict = verdict
    self.ratio = ratio
    self.blocks = blocks
    self.pairs = pairs
    self.doesDifferentWork = doesDifferentWork
  }

  /// The cell and the metric: `memory/lru/1%, executed, latency`.
  package var title: String { "\(name)" + (metric == .latency ? ", latency" : "") }
}

/// The metrics by which two builds are compared.
package enum TimedMetric: Sendable, Hashable, CaseIterable {
  /// The time of a run: the inverse of throughput.
  case time
  /// The 99th percentile of the latency of gets. A run in one thread may hide it: a hundredth of
  /// the gets can take twice as long without making the run much longer.
  case latency

  /// The metrics of a cell that is simulated or executed.
  package static func all(of mode: Timing.Mode) -> [TimedMetric] {
    mode == .execute ? allCases : [.time]
  }
}

/// An estimate with an interval around it.
package struct CentreInterval: Sendable, Hashable {
  package var centre: Double
  /// The lower end; may be infinite.
  package var lower: Double
  /// The upper end; may be infinite.
  package var upper: Double

  package init(centre: Double, lower: Double, upper: Double) {
    self.centre = centre
    self.lower = lower
    self.upper = upper
  }

  /// The interval of ratios, if this is one of their logarithms.
  package var ratios: CentreInterval {
    CentreInterval(centre: exp(centre), lower: exp(lower), upper: exp(upper))
  }

  /// The verdict for an interval above, below or across the border.
  package func verdict(border: Double) -> TimingVerdict {
    if lower > border { return .fail }
    return upper < border ? .pass : .inconclusive
  }
}

package enum TimingVerdict: String, Sendable, Hashable, CaseIterable {
  /// No significant slowdown.
  case pass
  case fail
  /// The measurements do not decide.
  case inconclusive
}

/// The identity of a timing: a cell, simulated or executed.
package struct TimedName: Sendable, Hashable, Codable, CustomStringConvertible {
  package var cell: CellName
  /// Simulated, or executed with a real cache in one thread.
  package var mode: Timing.Mode

  package init(cell: CellName, mode: Timing.Mode) {
    self.cell = cell
    self.mode = mode
  }

  /// `memory/lru/1%`, followed by `, executed` for a real cache.
  package var description: String { "\(cell)" + (mode == .execute ? ", executed" : "") }
}
