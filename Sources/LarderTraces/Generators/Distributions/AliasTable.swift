/// Draws an index with given weights in constant time.
///
/// Walker, An Efficient Method for Generating Discrete Random Variables with General Distributions,
/// ACM TOMS 3 (1977); built as in Vose, A Linear Algorithm for Generating Random Numbers with a
/// Given Distribution, IEEE TSE 17 (1991). Probabilities are exact to 2^-52 of a column.
struct AliasTable: Sendable {
  /// A column: its own index below the threshold, the other above.
  private struct Column {
    var threshold: UInt64
    var other: UInt32
  }

  private let columns: [Column]
  /// Number of indexes.
  var count: Int { columns.count }

  /// A table over weights that are finite, not negative and not all zero. Complexity: O(weights).
  init(weights: [Double]) {
    let total = weights.reduce(0, +)
    let scale = Double(weights.count) / total
    var heights = weights.map { $0 * scale }
    var columns = heights.indices.map { Column(threshold: .max, other: UInt32($0)) }
    var small = heights.indices.filter { heights[$0] < 1 }
    var large = heights.indices.filter { heights[$0] >= 1 }
    while let low = small.popLast(), let high = large.popLast() {
      columns[low] = Column(
        threshold: RandomStream.threshold(heights[low]), other: UInt32(high))
      heights[high] -= 1 - heights[low]
      if heights[high] < 1 { small.append(high) } else { large.append(high) }
    }
    // What is left is full but for rounding, and keeps its whole column.
    self.columns = columns
  }

  /// The index that 64 random bits stand for.
  @inline(__always)
  func index(_ bits: UInt64) -> Int {
    let (column, fraction) = bits.multipliedFullWidth(by: UInt64(truncatingIfNeeded: columns.count))
    let index = Int(truncatingIfNeeded: column)
    return fraction < columns[index].threshold ? index : Int(columns[index].other)
  }
}
