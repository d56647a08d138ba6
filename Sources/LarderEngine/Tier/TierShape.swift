/// Features of a tier that are known at compile time.
@usableFromInline protocol TierShape {
  associatedtype Sizes: ObjectSizes
  /// True if objects have different sizes; nil if the tier's setup decides.
  static var weighs: Bool? { get }
  static var limits: Bool { get }
  static func sizes(_ column: borrowing Column<UInt32>, weighs: Bool) -> Sizes
}

/// Simulated objects of size 1, gets only, no times.
@usableFromInline enum UnitShape: TierShape {
  @inlinable static var weighs: Bool? { false }
  @inlinable static var limits: Bool { false }
  @inlinable @inline(__always) static func sizes(
    _ column: borrowing Column<UInt32>, weighs: Bool
  ) -> UnitSizes { UnitSizes() }
}

/// Simulated objects with sizes, gets only, no times.
@usableFromInline enum SizedShape: TierShape {
  @inlinable static var weighs: Bool? { true }
  @inlinable static var limits: Bool { false }
  @inlinable @inline(__always) static func sizes(
    _ column: borrowing Column<UInt32>, weighs: Bool
  ) -> ColumnSizes { ColumnSizes(column) }
}

/// All features, for real caches and full simulations.
@usableFromInline enum FullShape: TierShape {
  @inlinable static var weighs: Bool? { nil }
  @inlinable static var limits: Bool { true }
  @inlinable @inline(__always) static func sizes(
    _ column: borrowing Column<UInt32>, weighs: Bool
  ) -> TierSizes { TierSizes(column: ColumnSizes(column), weighs: weighs) }
}

/// The stored sizes in a column, or 1 for every object of a tier whose objects have none.
@usableFromInline struct TierSizes: ObjectSizes {
  @usableFromInline let column: ColumnSizes
  @usableFromInline let weighs: Bool

  @inlinable @inline(__always) init(column: ColumnSizes, weighs: Bool) {
    self.column = column
    self.weighs = weighs
  }

  @inlinable @inline(__always) subscript(id: ObjectID) -> UInt32 { weighs ? column[id] : 1 }
}
