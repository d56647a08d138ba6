/// How long one cell takes in this build, in proportion to what it is held against.
package struct TimingComparison: Sendable, Hashable {
  /// The cell.
  package var name: TimedName
  /// What was compared of it.
  package var metric: TimedMetric
  /// What it was held against, such as another build or a calibration kernel.
  package var against: String
  /// What to make of it.
  package var verdict: TimingVerdict
  /// The ratio of this to the other, above 1 where this is slower; nil without measurements.
  package var ratio: CentreInterval?
  /// Independent measurements: pairs of processes, or rounds.
  package var blocks: Int
  /// Measurements of each side.
  package var pairs: Int
  /// Median of the time of one run, or of latencies, seconds, in the other.
  package var otherSeconds: Double
  /// Median of the time of one run, or of latencies, seconds, in this.
  package var thisSeconds: Double
  /// Whether the two had different hits, and so did different work.
  package var doesDifferentWork: Bool

  /// A comparison; see the properties for the meaning of each part.
  package init(
    name: TimedName, metric: TimedMetric = .time, against: String, verdict: TimingVerdict,
    ratio: CentreInterval?, blocks: Int, pairs: Int, otherSeconds: Double, thisSeconds: Double,
    doesDifferentWork: Bool = false
  ) {
    self.name = name
    self.metric = metric
    self.against = against
    self.verdict = verdict
    self.ratio = ratio
    self.blocks = blocks
    self.pairs = pairs
    self.otherSeconds = otherSeconds
    self.thisSeconds = thisSeconds
    self.doesDifferentWork = doesDifferentWork
  }

  /// The cell, and what was compared of it: `memory/lru/1%, executed, latency`.
  package var title: String { "\(name)" + (metric == .latency ? ", latency" : "") }
}
