/// Counts every depth apart: hits at all capacities. 8 bytes a depth.
struct DistanceHistogram: DistanceCounter, ~Copyable {
  private let counts: Column<UInt64>

  /// Nothing is counted; depths go from 1 to `depths`.
  init(depths: Int) { counts = Column(objects: depths) }

  @inline(__always)
  mutating func count(_ depth: UInt64) {
    counts[UInt32(truncatingIfNeeded: depth)] &+= 1
  }

  /// Hits at capacities 0, 1, 2 ... O(depths).
  func cumulative() -> [UInt64] {
    var sum: UInt64 = 0
    return (0...counts.objects).map { depth in
      sum += counts[UInt32(depth)]
      return sum
    }
  }
}
