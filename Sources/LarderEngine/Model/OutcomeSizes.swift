/// The sizes of the gets counted, by where they were answered: what an access time is modelled on.
public struct OutcomeSizes: Sendable, Hashable {
  /// Stored sizes of hits in memory.
  public var memoryHits = SizeHistogram()
  /// Stored sizes of hits on disk.
  public var diskHits = SizeHistogram()
  /// Sizes fetched from the origin.
  public var misses = SizeHistogram()

  /// What fetching took where the trace says so, in microseconds in place of bytes.
  public var originTimes = SizeHistogram()

  /// Nothing has happened yet.
  public init() {}

  /// Adds all that `other` counted.
  public mutating func merge(_ other: OutcomeSizes) {
    memoryHits.merge(other.memoryHits)
    diskHits.merge(other.diskHits)
    misses.merge(other.misses)
    originTimes.merge(other.originTimes)
  }

  /// Counts what the fetch of a miss took: its cost, taken as milliseconds, rounded to a
  /// microsecond and at most 71 minutes.
  public mutating func addOriginTime(milliseconds: Float) {
    let microseconds = (milliseconds * 1000).rounded()
    guard microseconds > 0 else { return originTimes.add(bytes: 0) }
    originTimes.add(bytes: UInt32(exactly: microseconds) ?? .max)
  }
}
