/// A sample of the objects of a trace: all requests of an object are in it, or none.
///
/// Spatial sampling by a hash of the object, as SHARDS does it (Waldspurger, Park, Garthwaite and
/// Ahmad, Efficient MRC construction with SHARDS, FAST 2015): an object is in the sample when its
/// hash is below a threshold, so that a sample is part of every larger one.
///
/// The hash is multiplicative (Knuth, The Art of Computer Programming 3, section 6.4): ids, which
/// are dense and in order of first appearance, times the golden ratio, modulo 1. Such points are
/// spread more evenly than random ones (Weyl 1916), so of the objects that appear early, which are
/// the popular ones, the sample holds its share and not by luck twice as much: measured, a third to
/// a fifth of the error of a mixing hash at the same rate. It also costs one multiplication.
public struct SpatialSample: Sendable, Hashable {
  /// Objects whose hash is below are in the sample; 2^32 for all of them.
  public var threshold: UInt64
  /// Which of the possible samples.
  public var seed: UInt64
  /// Among how many parts of equal size the sample is divided: 1 or a power of two.
  public var parts: UInt32
  /// Which of the parts.
  public var part: UInt32

  private static var all: UInt64 { 1 << 32 }

  /// A sample of a share of the objects, above 0 and at most 1.
  public init(rate: Double, seed: UInt64 = 0) {
    threshold = UInt64(min(1, max(rate, 0x1p-32)) * Double(Self.all))
    self.seed = seed
    (parts, part) = (1, 0)
  }

  /// A part of the sample; the parts 0 to `parts` - 1, of which there are a power of two, have no
  /// object in common and are the sample together.
  public func part(_ part: UInt32, of parts: UInt32) -> SpatialSample {
    var sample = self
    (sample.parts, sample.part) = (parts, part)
    return sample
  }

  /// The share of the objects that are in the sample.
  public var rate: Double { Double(threshold) / Double(Self.all) / Double(parts) }

  /// Where the sample begins on the circle of hashes.
  var offset: UInt32 {
    var generator = SeededGenerator(seed: seed)
    return UInt32(truncatingIfNeeded: generator.next() >> 32)
  }

  /// The hash of an object for `offset`. The upper bits choose; the lower ones are those of `id`.
  @inline(__always)
  static func hash(_ id: ObjectID, _ offset: UInt32) -> UInt32 { id &* 0x9E37_79B1 &+ offset }

  /// The hash of an object.
  @inline(__always)
  func hash(_ id: ObjectID) -> UInt32 { Self.hash(id, offset) }

  /// Adds the positions of the requests in `range` whose objects are in the sample to `positions`,
  /// ascending. O(requests), at the speed of reading the ids.
  public func select(
    in range: Range<Int>, of columns: RequestColumns, into positions: inout [Int]
  ) {
    if threshold == Self.all {
      positions += range.lazy.filter { isInPart(columns.ids[$0]) }
      return
    }
    let (limit, offset) = (UInt32(truncatingIfNeeded: threshold), offset)
    let block = 32
    var start = range.lowerBound
    while start + block <= range.upperBound {
      let ids = columns.ids + start
      // A loop of fixed length without a branch becomes vector operations.
      var found: UInt32 = 0
      for lane in 0..<block { found |= Self.hash(ids[lane], offset) < limit ? 1 : 0 }
      if found != 0 {
        for lane in 0..<block where Self.hash(ids[lane], offset) < limit {
          if isInPart(ids[lane]) { positions.append(start + lane) }
        }
      }
      start += block
    }
    for place in start..<range.upperBound
    where Self.hash(columns.ids[place], offset) < limit && isInPart(columns.ids[place]) {
      positions.append(place)
    }
  }

  /// Whether an object of the sample is in this part of it.
  @inline(__always)
  public func isInPart(_ id: ObjectID) -> Bool { id & (parts &- 1) == part }
}
