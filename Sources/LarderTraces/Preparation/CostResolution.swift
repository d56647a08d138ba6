import LarderEngine

/// Fills the costs of requests that have none: logs tell what a fetch cost only where the origin
/// was asked. An object without a cost gets the one it last had, or else the next one it has; an
/// object that never has one gets the mean of all that are known.
enum CostResolution {
  /// Fills the costs of `count` requests in place; how many were filled, or nil when no cost is
  /// known at all, and the column says nothing.
  ///
  /// - Complexity: O(requests), 4 bytes an object.
  static func resolve(
    _ costs: UnsafeMutablePointer<Float>, count: Int, ids: UnsafePointer<ObjectID>, objects: Int
  ) throws(TraceError) -> Int? {
    let column = try GrowableColumn<Float>(capacity: objects + 1)
    let last = column.base
    last.update(repeating: TraceRecord.unknownCost, count: objects + 1)
    var (sum, known) = (0.0, 0)
    var index = count - 1
    while index >= 0 {
      if costs[index] >= 0 {
        last[Int(ids[index])] = costs[index]
        sum += Double(costs[index])
        known += 1
      }
      index -= 1
    }
    if known == count { return 0 }
    guard known > 0 else { return nil }
    let mean = Float(sum / Double(known))
    for index in 0..<count {
      let id = Int(ids[index])
      if costs[index] >= 0 {
        last[id] = costs[index]
      } else {
        costs[index] = last[id] >= 0 ? last[id] : mean
      }
    }
    return count - known
  }
}
