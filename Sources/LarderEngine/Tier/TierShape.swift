/// What of a tier is known when it is compiled, so that a simulation of gets pays for nothing else.
@usableFromInline protocol TierShape {
  /// The view of the sizes that policies get.
  associatedtype Sizes: ObjectSizes
  /// Whether objects have sizes of their own; nil where the tier's setup says so.
  static var weighs: Bool? { get }
  /// Whether there may be limits on objects and lifetimes, an admission filter, costs, and copies
  /// older than the origin's.
  static var limits: Bool { get }
  /// The view of the column, which is empty unless the objects of the tier have sizes.
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

/// Real caches, and everything that can be simulated. What a tier has no use for takes neither
/// memory nor more time than asking.
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
