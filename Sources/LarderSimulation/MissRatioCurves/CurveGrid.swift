import LarderEngine

/// Capacities at which a curve is looked at.
enum CurveGrid {
  /// `count` capacities from `low` to `high`, each larger by the same factor, rounded to whole ones
  /// and distinct: so there may be fewer.
  static func logarithmic(from low: UInt64, to high: UInt64, count: Int) -> [UInt64] {
    let low = max(1, min(low, high))
    guard count > 1, high > low else { return [max(1, high)] }
    let span = DeterministicMath.log(Double(high) / Double(low))
    var grid: [UInt64] = []
    for place in 0..<count {
      let factor = DeterministicMath.exp(span * Double(place) / Double(count - 1))
      let capacity = place == count - 1 ? high : UInt64((Double(low) * factor).rounded())
      if grid.last.map({ capacity > $0 }) ?? true { grid.append(min(capacity, high)) }
    }
    return grid
  }
}
