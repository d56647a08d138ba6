/// Finds the knees of a rising curve: where what comes after is worth less than what came before.
///
/// Kneedle (Satopaa, Albrecht, Irwin and Raghavan, Finding a "Kneedle" in a haystack, ICDCS
/// Workshops 2011), offline, with sensitivity 1 and without smoothing: the curve is scaled to the
/// unit square; a local maximum of its height above the diagonal is a knee when the height then
/// falls by the mean distance of the points before it rises again. Both axes are linear, since a
/// byte of capacity costs what every other one does.
enum Knees {
  /// The places of the knees in `points`, which ascend by x. O(points).
  static func of(_ points: [(x: Double, y: Double)]) -> [Int] {
    guard let first = points.first, let last = points.last, points.count > 2 else { return [] }
    let (low, high) = (points.map(\.y).min() ?? 0, points.map(\.y).max() ?? 0)
    guard last.x > first.x, high > low else { return [] }
    let heights = points.map { point in
      (point.y - low) / (high - low) - (point.x - first.x) / (last.x - first.x)
    }
    let step = 1 / Double(points.count - 1)
    var knees: [Int] = []
    var candidate: Int?
    for place in 1..<points.count {
      let height = heights[place]
      let isRising = height > heights[place - 1]
      let falls = place + 1 == points.count || heights[place + 1] <= height
      if isRising, falls {
        // The best of what has not fallen in between.
        if candidate.map({ height > heights[$0] }) ?? true { candidate = place }
      } else if let found = candidate, height < heights[found] - step {
        knees.append(found)
        candidate = nil
      }
    }
    return knees
  }
}
