/// What a tier has to keep for each object beside the policy's state. Chosen once for each cell, so
/// that a simulation of objects of one size pays for nothing else.
protocol TierShape {
  /// The view of the sizes that policies get.
  associatedtype Sizes: ObjectSizes
  /// Whether objects have sizes of their own.
  static var weighs: Bool { get }
  /// Whether entries can expire, become stale, be set or deleted.
  static var isFull: Bool { get }
  /// Whether there may be an admission filter.
  static var filters: Bool { get }
  /// The view of the column, which is empty unless `weighs`.
  static func sizes(_ column: borrowing Column<UInt32>) -> Sizes
}

/// Objects of size 1, gets only, no times.
enum UnitShape: TierShape {
  static var weighs: Bool { false }
  static var isFull: Bool { false }
  static var filters: Bool { false }
  @inline(__always)
  static func sizes(_ column: borrowing Column<UInt32>) -> UnitSizes { UnitSizes() }
}

/// Objects with sizes, gets only, no times.
enum SizedShape: TierShape {
  static var weighs: Bool { true }
  static var isFull: Bool { false }
  static var filters: Bool { false }
  @inline(__always)
  static func sizes(_ column: borrowing Column<UInt32>) -> ColumnSizes { ColumnSizes(column) }
}

/// Everything.
enum FullShape: TierShape {
  static var weighs: Bool { true }
  static var isFull: Bool { true }
  static var filters: Bool { true }
  @inline(__always)
  static func sizes(_ column: borrowing Column<UInt32>) -> ColumnSizes { ColumnSizes(column) }
}

/// A real cache that counts objects; it keeps times by itself.
enum CacheUnitShape: TierShape {
  static var weighs: Bool { false }
  static var isFull: Bool { false }
  static var filters: Bool { true }
  @inline(__always)
  static func sizes(_ column: borrowing Column<UInt32>) -> UnitSizes { UnitSizes() }
}

/// A real cache that counts bytes; it keeps times by itself.
enum CacheSizedShape: TierShape {
  static var weighs: Bool { true }
  static var isFull: Bool { false }
  static var filters: Bool { true }
  @inline(__always)
  static func sizes(_ column: borrowing Column<UInt32>) -> ColumnSizes { ColumnSizes(column) }
}
