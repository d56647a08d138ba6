import Foundation

package struct CheckResult: Sendable, Hashable {
  package var workload: String
  package var file: String
  package var baseline: String
  package var command: String
  package var machine: String
  package var loads: [Double]
  package var cells: [CellName]
  package var counts: CountsComparison
  /// Reasons why the counts cannot be compared: the traces differ. Empty if they can.
  package var traceChanges: [String] = []
  package var unequalExecutions: [CellName] = []
  package var requirements: [RequirementResult] = []
  package var resources: ResourceComparison?
  package var timings: [TimingComparison] = []
  package var timingMethod: String?
  package var notes: [String] = []
  package var isAccepted = false
  /// The cells as a run has them, for the page; nil without.
  package var results: RunResults?

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

  package var verdict: TimingVerdict {
    if isAccepted { return unequalExecutions.isEmpty ? .pass : .fail }
    if !counts.failing.isEmpty || !counts.missing.isEmpty || !traceChanges.isEmpty
      || !unequalExecutions.isEmpty || !(resources?.worse.isEmpty ?? true)
      || timings.contains(where: { $0.verdict == .fail }) || !requirements.allSatisfy(\.isMet)
    {
      return .fail
    }
    if !(resources?.missing.isEmpty ?? true) { return .inconclusive }
    return timings.contains { $0.verdict == .inconclusive } ? .inconclusive : .pass
  }

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
  package var against: String
  package var verdict: TimingVerdict
  package var ratio: CentreInterval?
  package var blocks: Int
  package var pairs: Int
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

  package var title: String { "\(name)" + (metric == .latency ? ", latency" : "") }
}

package enum TimedMetric: Sendable, Hashable, CaseIterable {
  case time
  /// The 99th percentile of the latency of gets. A run in one thread may hide it: a hundredth of
  /// the gets can take twice as long without making the run much longer.
  case latency

  package static func all(of mode: Timing.Mode) -> [TimedMetric] {
    mode == .execute ? allCases : [.time]
  }
}

package struct CentreInterval: Sendable, Hashable {
  package var centre: Double
  package var lower: Double
  package var upper: Double

  package init(centre: Double, lower: Double, upper: Double) {
    self.centre = centre
    self.lower = lower
    self.upper = upper
  }

  package var ratios: CentreInterval {
    CentreInterval(centre: exp(centre), lower: exp(lower), upper: exp(upper))
  }

  package func verdict(border: Double) -> TimingVerdict {
    if lower > border { return .fail }
    return upper < border ? .pass : .inconclusive
  }
}

package enum TimingVerdict: String, Sendable, Hashable, CaseIterable {
  case pass
  case fail
  case inconclusive
}

/// The identity of a timing: a cell, simulated or executed.
package struct TimedName: Sendable, Hashable, Codable, CustomStringConvertible {
  package var cell: CellName
  package var mode: Timing.Mode

  package init(cell: CellName, mode: Timing.Mode) {
    self.cell = cell
    self.mode = mode
  }

  package var description: String { "\(cell)" + (mode == .execute ? ", executed" : "") }
}
