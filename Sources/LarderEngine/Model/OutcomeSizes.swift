/// The sizes of the gets counted, by where they were answered: what an access time is modelled on.
public struct OutcomeSizes: Sendable, Hashable {
  /// Stored sizes of hits in memory.
  public var memoryHits = SizeHistogram()
  /// Stored sizes of hits on disk.
  public var diskHits = SizeHistogram()
  /// Sizes fetched from the origin.
  public var misses = SizeHistogram()

  /// Nothing has happened yet.
  public init() {}

  /// Adds all that `other` counted.
  public mutating func merge(_ other: OutcomeSizes) {
    memoryHits.merge(other.memoryHits)
    diskHits.merge(other.diskHits)
    misses.merge(other.misses)
  }
}
