/// Rows of features with labels, collected for one training.
///
/// Features are `Float`: counts above 2^24 lose their last bits, here and when a model is asked.
public struct TrainingRows: ~Copyable {
  /// Features in a row.
  public let features: Int
  /// What a model is to predict, one for each row.
  public private(set) var labels: [Float] = []
  /// The features of all rows, row by row.
  public private(set) var values: [Float] = []

  /// No rows, with room for `capacity`: memory that is not touched before it is used.
  public init(features: Int, capacity: Int) {
    self.features = features
    labels.reserveCapacity(capacity)
    values.reserveCapacity(capacity * features)
  }

  /// Rows collected.
  @inlinable
  public var count: Int { labels.count }

  /// Adds a row of `features` values. Amortised O(`features`).
  mutating func append(_ row: UnsafeBufferPointer<Float>, label: Float) {
    assert(row.count == features)
    values.append(contentsOf: row)
    labels.append(label)
  }

  /// Adds a row of `features` values.
  public mutating func append(_ row: [Float], label: Float) {
    precondition(row.count == features, "a row of \(row.count) features for \(features)")
    row.withUnsafeBufferPointer { append($0, label: label) }
  }

  /// Removes all rows and keeps their memory.
  mutating func removeAll() {
    labels.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
  }

  /// Memory held, in bytes.
  var bytes: Int { (labels.capacity + values.capacity) * MemoryLayout<Float>.stride }
}
