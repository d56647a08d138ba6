/// How long one cell takes in this build, in proportion to what it is held against.
public struct TimingComparison: Sendable, Hashable {
  /// The cell.
  public var name: TimedName
  /// What it was held against, such as another build or a calibration kernel.
  public var against: String
  /// What to make of it.
  public var verdict: TimingVerdict
  /// The ratio of this to the other, above 1 where this is slower; nil without measurements.
  public var ratio: CentreInterval?
  /// Independent measurements: pairs of processes, or rounds.
  public var blocks: Int
  /// Measurements of each side.
  public var pairs: Int
  /// Median of the time of one run, seconds, in the other.
  public var otherSeconds: Double
  /// Median of the time of one run, seconds, in this.
  public var thisSeconds: Double
  /// Whether the two had different hits, and so did different work.
  public var doesDifferentWork: Bool

  /// A comparison; see the properties for the meaning of each part.
  public init(
    name: TimedName, against: String, verdict: TimingVerdict, ratio: CentreInterval?, blocks: Int,
    pairs: Int, otherSeconds: Double, thisSeconds: Double, doesDifferentWork: Bool = false
  ) {
    self.name = name
    self.against = against
    self.verdict = verdict
    self.ratio = ratio
    self.blocks = blocks
    self.pairs = pairs
    self.otherSeconds = otherSeconds
    self.thisSeconds = thisSeconds
    self.doesDifferentWork = doesDifferentWork
  }
}
