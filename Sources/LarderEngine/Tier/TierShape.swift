/// The features of a tier beyond its policy. Chosen once for each cell, so that a simulation of
/// objects of equal size pays for nothing else.
@usableFromInline protocol TierShape {
  /// The view of the sizes that policies get.
  associatedtype Sizes: ObjectSizes
  /// True if objects have different sizes.
  static var weighs: Bool { get }
  /// True if the tier supports a limit on the number of objects, an admission filter, and costs.
  static var limits: Bool { get }
  /// Storage of expiries.
  static var expiry: TierExpiry { get }
  /// True if entries can be marked as older than the origin's.
  static var marksStale: Bool { get }
  /// The view of the column, which is empty unless `weighs`.
  static func sizes(_ column: borrowing Column<UInt32>) -> Sizes
}

/// Storage of the entries' expiries.
@usableFromInline enum TierExpiry {
  /// Entries do not expire.
  case none
  /// Expiries are stored from the first entry that has one: until then they cost neither memory nor
  /// time.
  case lazy
  /// Every entry has an expiry from the start.
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

/// All features that can be simulated.
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
