/// Numbers in a row of which a range can be raised at once, and the largest of a range be found.
///
/// A segment tree whose nodes keep what was added to all of them and is not passed down. Both
/// operations are O(log n). Memory: 32 bytes a number at most.
struct RangeMaximum: ~Copyable {
  struct Node: BitwiseCopyable {
    /// Added to everything below.
    var added: UInt64
    /// The largest below, what was added here included.
    var maximum: UInt64
  }

  private var nodes: Column<Node>
  private let leaves: Int

  /// `count` zeroes.
  init(count: Int) {
    var leaves = 1
    while leaves < count { leaves *= 2 }
    self.leaves = leaves
    nodes = Column(objects: 2 * leaves - 1)
  }

  /// Adds an amount to every number of a range.
  mutating func add(_ amount: UInt64, to range: Range<Int>) {
    add(amount, to: range, node: 1, covering: 0..<leaves)
  }

  /// The largest number of a range; 0 where it is empty.
  func maximum(in range: Range<Int>) -> UInt64 {
    maximum(in: range, node: 1, covering: 0..<leaves)
  }

  private mutating func add(
    _ amount: UInt64, to range: Range<Int>, node: UInt32, covering span: Range<Int>
  ) {
    if range.lowerBound <= span.lowerBound, span.upperBound <= range.upperBound {
      nodes[node].added += amount
      nodes[node].maximum += amount
      return
    }
    guard range.overlaps(span) else { return }
    let middle = (span.lowerBound + span.upperBound) / 2
    add(amount, to: range, node: node * 2, covering: span.lowerBound..<middle)
    add(amount, to: range, node: node * 2 + 1, covering: middle..<span.upperBound)
    nodes[node].maximum =
      nodes[node].added + max(nodes[node * 2].maximum, nodes[node * 2 + 1].maximum)
  }

  private func maximum(
    in range: Range<Int>, node: UInt32, covering span: Range<Int>
  ) -> UInt64 {
    if range.lowerBound <= span.lowerBound, span.upperBound <= range.upperBound {
      return nodes[node].maximum
    }
    guard range.overlaps(span) else { return 0 }
    let middle = (span.lowerBound + span.upperBound) / 2
    let left = maximum(in: range, node: node * 2, covering: span.lowerBound..<middle)
    let right = maximum(in: range, node: node * 2 + 1, covering: middle..<span.upperBound)
    return nodes[node].added + max(left, right)
  }
}
