/// How many objects of which size: buckets of at most an eighth of an octave, each with the exact
/// sum of what fell into it.
///
/// Sizes below 16 have a bucket each, so does every eighth of an octave above. 240 buckets cover
/// all of `UInt32`, in under 4 KiB.
public struct SizeHistogram: Sendable, Hashable {
  /// Sizes that fell into each bucket.
  public private(set) var counts: [UInt64]
  /// Their sum, bytes.
  public private(set) var sums: [UInt64]

  /// Number of buckets.
  public static var buckets: Int { 240 }

  /// Nothing has been added yet.
  public init() {
    counts = Array(repeating: 0, count: SizeHistogram.buckets)
    sums = counts
  }

  /// The bucket that `bytes` falls into: the position of the first bit and the three after it.
  @inline(__always)
  public static func bucket(of bytes: UInt32) -> Int {
    if bytes < 8 { return Int(bytes) }
    let shift = 28 &- bytes.leadingZeroBitCount
    return shift &* 8 &+ Int(truncatingIfNeeded: bytes &>> UInt32(truncatingIfNeeded: shift))
  }

  /// Counts one size.
  @inline(__always)
  public mutating func add(bytes: UInt32) {
    let bucket = SizeHistogram.bucket(of: bytes)
    counts[bucket] &+= 1
    sums[bucket] &+= UInt64(bytes)
  }

  /// Adds all that `other` counted.
  public mutating func merge(_ other: SizeHistogram) {
    for bucket in counts.indices {
      counts[bucket] &+= other.counts[bucket]
      sums[bucket] &+= other.sums[bucket]
    }
  }

  /// Sizes counted. Adds up all buckets.
  public var count: UInt64 { counts.reduce(0, &+) }

  /// Their sum, bytes. Adds up all buckets.
  public var bytes: UInt64 { sums.reduce(0, &+) }
}
