/// What a tier has to keep for each object beside the policy's state. Chosen once for each cell, so
/// that a simulation of objects of one size pays for nothing else.
@usableFromInline protocol TierShape {
  /// The view of the sizes that policies get.
  associatedtype Sizes: ObjectSizes
  /// Whether objects have sizes of their own.
  static var weighs: Bool { get }
  /// Whether there may be a limit on the number of objects, an admission filter, and costs.
  static var limits: Bool { get }
  /// How entries expire.
  static var expiry: TierExpiry { get }
  /// Whether entries can be marked as older than the origin's.
  static var marksStale: Bool { get }
  /// The view of the column, which is empty unless `weighs`.
  static func sizes(_ column: borrowing Column<UInt32>) -> Sizes
}

/// How the entries of a tier expire.
@usableFromInline enum TierExpiry {
  /// They do not.
  case none
  /// Expiries are kept from the first entry on that has one: until then they take neither memory
  /// nor time.
  case lazy
  /// Every entry has one from the start.
  case column
}

/// Simulated objects of size 1, gets only, no times.
@usableFromInline enum UnitShape: TierShape {
  @inlinable static var weighs: Bool { false }
  @inlinable static var limits: Bool { false }
  @inlinable static var expiry: TierExpiry { .none }
  @inlinable static var marksStale: Bool { false }
  @inlinable @inline(__always) static func sizes(_ column: borrowing Column<UInt32>) -> UnitSizes {
    UnitSizes()
  }
}

/// Simulated objects with sizes, gets only, no times.
@usableFromInline enum SizedShape: TierShape {
  @inlinable static var weighs: Bool { true }
  @inlinable static var limits: Bool { false }
  @inlinable static var expiry: TierExpiry { .none }
  @inlinable static var marksStale: Bool { false }
  @inlinable @inline(__always) static func sizes(_ column: borrowing Column<UInt32>) -> ColumnSizes
  { ColumnSizes(column) }
}

/// Everything that can be simulated.
@usableFromInline enum FullShape: TierShape {
  @inlinable static var weighs: Bool { true }
  @inlinable static var limits: Bool { true }
  @inlinable static var expiry: TierExpiry { .column }
  @inlinable static var marksStale: Bool { true }
  @inlinable @inline(__always) static func sizes(_ column: borrowing Column<UInt32>) -> ColumnSizes
  { ColumnSizes(column) }
}

/// A real cache that counts objects. Versions are in its values.
@usableFromInline enum CacheUnitShape: TierShape {
  @inlinable static var weighs: Bool { false }
  @inlinable static var limits: Bool { true }
  @inlinable static var expiry: TierExpiry { .lazy }
  @inlinable static var marksStale: Bool { false }
  @inlinable @inline(__always) static func sizes(_ column: borrowing Column<UInt32>) -> UnitSizes {
    UnitSizes()
  }
}

/// A real cache that counts bytes. Versions are in its values.
@usableFromInline enum CacheSizedShape: TierShape {
  @inlinable static var weighs: Bool { true }
  @inlinable static var limits: Bool { true }
  @inlinable static var expiry: TierExpiry { .lazy }
  @inlinable static var marksStale: Bool { false }
  @inlinable @inline(__always) static func sizes(_ column: borrowing Column<UInt32>) -> ColumnSizes
  { ColumnSizes(column) }
}
