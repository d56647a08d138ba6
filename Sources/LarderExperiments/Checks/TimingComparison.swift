import Foundation

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
