/// Counts depths by the smallest of some capacities that reaches as deep.
struct DistanceGrid: DistanceCounter, ~Copyable {
  // At place 1 and on.
  private let capacities: Column<UInt64>
  private let counts: Column<UInt64>

  /// Nothing is counted. `capacities` ascend.
  init(_ capacities: [UInt64]) {
    self.capacities = Column(objects: capacities.count)
    counts = Column(objects: capacities.count + 1)
    for (place, capacity) in capacities.enumerated() {
      self.capacities[UInt32(place + 1)] = capacity
    }
  }

  @inline(__always)
  mutating func count(_ depth: UInt64) {
    // Halving without a branch that depends on the depth.
    let view = capacities.view + 1
    var below = 0
    var length = capacities.objects
    guard length > 0 else { return }
    while length > 1 {
      let half = length / 2
      below = view[below + half - 1] < depth ? below + half : below
      length -= half
    }
    if view[below] < depth { below += 1 }
    counts[UInt32(truncatingIfNeeded: below + 1)] &+= 1
  }

  /// Hits at each capacity. O(capacities).
  func cumulative() -> [UInt64] {
    var sum: UInt64 = 0
    return (0..<capacities.objects).map { place in
      sum += counts[UInt32(place + 1)]
      return sum
    }
  }
}
