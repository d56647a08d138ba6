/// A trained model: regression trees whose outputs are added.
///
/// All nodes lie in one array, the inner nodes of a tree before its leaves. A row goes through all
/// trees without a branch that depends on it: a leaf is a node that leads to itself. Four rows are
/// taken at a time, so that they wait for memory together.
public struct BoostedTrees: Sendable {
  /// An inner node of a tree: rows whose `feature` is at most `threshold` go to `low`.
  public struct Split: Sendable, Hashable {
    /// The feature that is compared.
    public var feature: Int
    /// The largest value that goes to `low`.
    public var threshold: Double
    /// Where rows go: the number of a split, which is larger than this one's, or ~leaf.
    public var low: Int
    /// The same for the other rows.
    public var high: Int

    /// A split from its parts.
    public init(feature: Int, threshold: Double, low: Int, high: Int) {
      self.feature = feature
      self.threshold = threshold
      self.low = low
      self.high = high
    }
  }

  /// One tree.
  public struct Tree: Sendable, Hashable {
    /// Its inner nodes, the root first; none where the tree is a single leaf.
    public var splits: [Split]
    /// What each leaf adds.
    public var leaves: [Double]

    /// A tree from its parts.
    public init(splits: [Split], leaves: [Double]) {
      self.splits = splits
      self.leaves = leaves
    }
  }

  private struct Node: BitwiseCopyable {
    var threshold: Float
    var feature: Int32
    var low: Int32
    var high: Int32
  }

  private struct Span: BitwiseCopyable {
    var root: Int32
    var firstLeaf: Int32
  }

  /// Features in a row.
  public let features: Int
  private var nodes: [Node] = []
  // What a leaf adds; 0 for inner nodes.
  private var outputs: [Double] = []
  private var spans: [Span] = []

  /// A model of trees over rows of `features` values.
  ///
  /// - Throws: `badModel` when a tree is not one.
  public init(_ trees: [Tree], features: Int) throws(BoostingError) {
    self.features = features
    for tree in trees { try append(tree) }
  }

  private mutating func append(_ tree: Tree) throws(BoostingError) {
    let (splits, leaves) = (tree.splits.count, tree.leaves.count)
    guard leaves == splits + 1, leaves < 1 << 16, nodes.count < 1 << 30 else {
      throw .badModel("\(splits) splits with \(leaves) leaves")
    }
    let root = nodes.count
    func place(_ child: Int, of split: Int) throws(BoostingError) -> Int32 {
      // Larger numbers alone: whoever follows them arrives at a leaf.
      guard child < 0 ? ~child < leaves : child > split && child < splits else {
        throw .badModel("split \(split) leads to node \(child)")
      }
      return Int32(child < 0 ? root + splits + ~child : root + child)
    }
    for (number, split) in tree.splits.enumerated() {
      guard 0..<features ~= split.feature, !split.threshold.isNaN else {
        throw .badModel("split \(number) compares feature \(split.feature)")
      }
      nodes.append(
        Node(
          threshold: Self.roundedDown(split.threshold), feature: Int32(split.feature),
          low: try place(split.low, of: number), high: try place(split.high, of: number)))
      outputs.append(0)
    }
    for output in tree.leaves {
      let itself = Int32(nodes.count)
      nodes.append(Node(threshold: 0, feature: 0, low: itself, high: itself))
      outputs.append(output)
    }
    spans.append(Span(root: Int32(root), firstLeaf: Int32(root + splits)))
  }

  /// The largest `Float` that is not above `x`: what is compared with it is a `Float`, too.
  private static func roundedDown(_ x: Double) -> Float {
    let nearest = Float(x)
    return Double(nearest) > x ? nearest.nextDown : nearest
  }

  /// Writes the predictions for `count` rows, one every `stride` values.
  func predict(
    _ rows: UnsafePointer<Float>, stride: Int, count: Int,
    into scores: UnsafeMutablePointer<Double>
  ) {
    for row in 0..<count { scores[row] = 0 }
    nodes.withUnsafeBufferPointer { nodes in
      outputs.withUnsafeBufferPointer { outputs in
        for span in spans {
          var row = 0
          while row + 4 <= count {
            Self.addFour(nodes, outputs, span, rows + row * stride, stride, scores + row)
            row += 4
          }
          while row < count {
            Self.addOne(nodes, outputs, span, rows + row * stride, scores + row)
            row += 1
          }
        }
      }
    }
  }

  /// The predictions for rows of `features` values each.
  public func predictions(for rows: [[Float]]) -> [Double] {
    let values = rows.flatMap { $0 }
    precondition(values.count == rows.count * features, "rows of \(features) features")
    return values.withUnsafeBufferPointer { values in
      [Double](unsafeUninitializedCapacity: rows.count) { scores, count in
        if let values = values.baseAddress, let scores = scores.baseAddress {
          predict(values, stride: features, count: rows.count, into: scores)
        }
        count = rows.count
      }
    }
  }

  @inline(__always)
  private static func next(
    _ nodes: UnsafeBufferPointer<Node>, _ place: Int32, _ row: UnsafePointer<Float>
  ) -> Int32 {
    let node = nodes[Int(place)]
    return row[Int(node.feature)] <= node.threshold ? node.low : node.high
  }

  @inline(__always)
  private static func addOne(
    _ nodes: UnsafeBufferPointer<Node>, _ outputs: UnsafeBufferPointer<Double>, _ span: Span,
    _ row: UnsafePointer<Float>, _ score: UnsafeMutablePointer<Double>
  ) {
    var place = span.root
    while place < span.firstLeaf { place = next(nodes, place, row) }
    score[0] += outputs[Int(place)]
  }

  @inline(__always)
  private static func addFour(
    _ nodes: UnsafeBufferPointer<Node>, _ outputs: UnsafeBufferPointer<Double>, _ span: Span,
    _ rows: UnsafePointer<Float>, _ stride: Int, _ scores: UnsafeMutablePointer<Double>
  ) {
    var (a, b, c, d) = (span.root, span.root, span.root, span.root)
    while min(min(a, b), min(c, d)) < span.firstLeaf {
      a = next(nodes, a, rows)
      b = next(nodes, b, rows + stride)
      c = next(nodes, c, rows + 2 * stride)
      d = next(nodes, d, rows + 3 * stride)
    }
    scores[0] += outputs[Int(a)]
    scores[1] += outputs[Int(b)]
    scores[2] += outputs[Int(c)]
    scores[3] += outputs[Int(d)]
  }

  /// The memory of so many trees with so many leaves, in bytes.
  static func bytes(trees: Int, leaves: Int) -> Int {
    let nodes = trees * (2 * leaves - 1)
    return nodes * (MemoryLayout<Node>.stride + MemoryLayout<Double>.stride)
      + trees * MemoryLayout<Span>.stride
  }
}
