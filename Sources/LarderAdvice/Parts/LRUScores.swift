/// Hit ratios of LRU by capacity, on the scored part.
struct LRUScores: Sendable {
  /// Points of its curve, ascending.
  var points: [CurvePoint]
  /// Hit ratios at all capacities from 0 on, where those are known.
  var all: [Double]?

  /// The smallest capacity with at least this hit ratio; between two points of a curve it is read
  /// off a straight line. nil where none has it.
  func capacity(reaching ratio: Double) -> UInt64? {
    // Ratios of the same hits may differ in their last bits.
    let wanted = ratio - 1e-12
    if let all { return all.firstIndex { $0 >= wanted }.map { UInt64($0) } }
    guard let place = points.firstIndex(where: { $0.hitRatio >= wanted }) else { return nil }
    let high = points[place]
    guard place > 0 else { return high.capacity }
    let low = points[place - 1]
    let share = (wanted - low.hitRatio) / max(high.hitRatio - low.hitRatio, 1e-12)
    let gap = Double(high.capacity - low.capacity)
    return low.capacity + UInt64((gap * min(1, max(0, share))).rounded(.up))
  }
}
