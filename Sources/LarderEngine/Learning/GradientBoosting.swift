/// A library that trains regression trees by gradient boosting, for the policies that learn a
/// model. `LarderLearning` loads LightGBM.
package struct GradientBoosting: Sendable {
  /// Equal rows and parameters must produce equal models; several threads may train at once.
  package typealias Trainer =
    @Sendable (borrowing TrainingRows, Parameters) throws(BoostingError) -> BoostedTrees

  /// Training parameters for least squares.
  package struct Parameters: Sendable, Hashable {
    /// Trees in the model, 1 or more.
    package var trees: Int
    /// Leaves of a tree, 2 or more.
    package var leaves = 32
    /// The seed of draws of rows and features, from 0 to 2^31 - 1.
    package var seed: Int32

    package init(trees: Int, seed: UInt64) {
      self.trees = trees
      self.seed = Int32(truncatingIfNeeded: seed & 0x7FFF_FFFF)
    }

    package var modelBytes: Int { BoostedTrees.bytes(trees: trees, leaves: leaves) }
  }

  package let name: String
  package let train: Trainer

  package init(name: String, train: @escaping Trainer) {
    self.name = name
    self.train = train
  }

  @TaskLocal package static var substitute: GradientBoosting?

  /// Receives the first error of a training of policies that are created within `watching`.
  @TaskLocal package static var failure: Locked<BoostingError?>?

  /// Runs `body`, and throws the first error of a training in it.
  package static func watching<Value>(_ body: () throws -> Value) throws -> Value {
    let failure = Locked<BoostingError?>(nil)
    let value = try $failure.withValue(failure, operation: body)
    if let error = failure.withLock({ $0 }) { throw error }
    return value
  }

  private static let provided = Locked<Provider>(.none)

  /// Sets the source of the library: called at most once, when a learned policy is created.
  package static func provide(
    _ make: @escaping @Sendable () throws(BoostingError) -> GradientBoosting
  ) {
    provided.withLock { $0 = .unused(make) }
  }

  package static func current() throws(BoostingError) -> GradientBoosting {
    if let substitute { return substitute }
    return try provided.withLock { (provider) throws(BoostingError) in
      if case .unused(let make) = provider {
        do throws(BoostingError) {
          provider = .made(.success(try make()))
        } catch {
          provider = .made(.failure(error))
        }
      }
      guard case .made(let result) = provider else {
        throw .unavailable("a gradient boosting library, which this program does not include")
      }
      return try result.get()
    }
  }

  private enum Provider {
    case none
    case unused(@Sendable () throws(BoostingError) -> GradientBoosting)
    case made(Result<GradientBoosting, BoostingError>)
  }
}

/// Reasons for a missing library or model.
public enum BoostingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The library is missing; the text completes "needs" with the library and how to install it.
  case unavailable(String)
  /// Training failed, with the library's message.
  case failed(String)
  /// The model does not consist of binary trees over the features it was trained on.
  case badModel(String)

  /// A one-line message for users.
  public var description: String {
    switch self {
    case .unavailable(let need): "needs \(need)"
    case .failed(let message): "training failed: \(message)"
    case .badModel(let problem): "unexpected model: \(problem)"
    }
  }
}

/// Labelled rows of features, collected for one training.
/// Counts above 2^24 lose their low bits.
package struct TrainingRows: ~Copyable {
  package let features: Int
  /// The value to predict for each row.
  package private(set) var labels: [Float] = []
  /// The features of all rows, row by row.
  package private(set) var values: [Float] = []

  /// Creates an empty collection with room for `capacity` rows.
  package init(features: Int, capacity: Int) {
    self.features = features
    labels.reserveCapacity(capacity)
    values.reserveCapacity(capacity * features)
  }

  package var count: Int { labels.count }

  package mutating func append(_ row: some Collection<Float>, label: Float) {
    assert(row.count == features)
    values.append(contentsOf: row)
    labels.append(label)
  }

  package mutating func removeAll() {
    labels.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
  }

  package var bytes: Int { (labels.capacity + values.capacity) * MemoryLayout<Float>.stride }
}

/// A trained model: regression trees whose outputs are added. A leaf points to itself, so that a
/// row passes without data-dependent branches.
package struct BoostedTrees: Sendable {
  /// An inner node of a tree: rows whose `feature` is at most `threshold` go to `low`.
  package struct Split: Sendable, Hashable {
    package var feature: Int
    package var threshold: Double
    /// The next node: the number of a split, larger than this one's, or ~leaf.
    package var low: Int
    package var high: Int

    package init(feature: Int, threshold: Double, low: Int, high: Int) {
      self.feature = feature
      self.threshold = threshold
      self.low = low
      self.high = high
    }
  }

  package struct Tree: Sendable, Hashable {
    /// Its inner nodes, the root first; empty if the tree is a single leaf.
    package var splits: [Split]
    package var leaves: [Double]

    package init(splits: [Split], leaves: [Double]) {
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

  package let features: Int
  private var nodes: [Node] = []
  // The output of a leaf; 0 for inner nodes.
  private var outputs: [Double] = []
  private var spans: [Span] = []

  package init(_ trees: [Tree], features: Int) throws(BoostingError) {
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
      // Children have larger numbers, so every path ends at a leaf.
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

  private static func roundedDown(_ x: Double) -> Float {
    let nearest = Float(x)
    return Double(nearest) > x ? nearest.nextDown : nearest
  }

  package func predict(
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

  package func predictions(for rows: [[Float]]) -> [Double] {
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

  @inline(__always) private static func next(
    _ nodes: UnsafeBufferPointer<Node>, _ place: Int32, _ row: UnsafePointer<Float>
  ) -> Int32 {
    let node = nodes[Int(place)]
    return row[Int(node.feature)] <= node.threshold ? node.low : node.high
  }

  @inline(__always) private static func addOne(
    _ nodes: UnsafeBufferPointer<Node>, _ outputs: UnsafeBufferPointer<Double>, _ span: Span,
    _ row: UnsafePointer<Float>, _ score: UnsafeMutablePointer<Double>
  ) {
    var place = span.root
    while place < span.firstLeaf { place = next(nodes, place, row) }
    score[0] += outputs[Int(place)]
  }

  @inline(__always) private static func addFour(
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

  package static func bytes(trees: Int, leaves: Int) -> Int {
    let nodes = trees * (2 * leaves - 1)
    return nodes * (MemoryLayout<Node>.stride + MemoryLayout<Double>.stride)
      + trees * MemoryLayout<Span>.stride
  }
}
