/// What several values of one quantity come to: over seeds, or over repetitions.
struct Spread: Hashable {
  /// The arithmetic mean.
  let mean: Double
  /// The middle value; of an even number of values the mean of the middle two.
  let median: Double
  /// The smallest value.
  let smallest: Double
  /// The largest value.
  let largest: Double
  /// How many values there were.
  let count: Int

  /// The spread of `values`, or nil when there are none or one is not finite. O(n log n).
  init?(_ values: [Double]) {
    guard let smallest = values.min(), let largest = values.max(),
      values.allSatisfy(\.isFinite)
    else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    // In sorted order, so that the order of the records does not reach the last digit.
    mean = smallest == largest ? smallest : sorted.reduce(0, +) / Double(sorted.count)
    median =
      sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    self.smallest = smallest
    self.largest = largest
    count = sorted.count
  }

  /// True when the values differ.
  var varies: Bool { smallest != largest }
}
