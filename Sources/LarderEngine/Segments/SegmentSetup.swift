/// How a disk cache appends large values to segment files.
public struct SegmentSetup: Sendable, Hashable {
  /// Bytes of a segment. A larger value has a file of its own.
  public var bytes: UInt64
  /// Values of up to so many bytes are in the rows of a database instead.
  public var inlineBytesMax: UInt64
  /// Sets and removals per commit: dead values are given up after it.
  public var groupWrites: Int
  /// Bytes of values per commit, whatever their number.
  public var groupBytes: UInt64

  /// A setup; by default each set or removal is a commit.
  public init(
    bytes: UInt64, inlineBytesMax: UInt64 = 20 << 10, groupWrites: Int = 1,
    groupBytes: UInt64 = .max
  ) {
    self.bytes = bytes
    self.inlineBytesMax = inlineBytesMax
    self.groupWrites = groupWrites
    self.groupBytes = groupBytes
  }
}
