/// The order of the latest requests: positions 0, 1, 2 ... of which those are live, with a weight,
/// that hold the latest request of an object. The order-statistic structure under a stack distance.
protocol RecencyOrder: ~Copyable {
  /// No position is live; there is room for `room` of them at least.
  init(room: Int)

  /// Whether positions have weights of their own.
  static var weighs: Bool { get }

  /// Whether `renumber` must come before the next `append`.
  var isFull: Bool { get }

  /// What all live positions weigh.
  var total: UInt64 { get }

  /// Makes the next position live and returns it.
  mutating func append(_ weight: UInt32) -> UInt32

  /// What a live position weighs.
  func weight(_ position: UInt32) -> UInt32

  /// What the live positions before `position` weigh.
  func before(_ position: UInt32) -> UInt64

  /// Takes a live position out.
  mutating func remove(_ position: UInt32)

  /// Makes a live position weigh less, which leaves it something.
  mutating func lighten(_ position: UInt32, by weight: UInt32)

  /// Prepares for `rank` of many positions.
  mutating func makeRanks()

  /// How many live positions stand before `position`; asked after `makeRanks`, and before anything
  /// is changed.
  func rank(_ position: UInt32) -> UInt32

  /// Gives the live positions the numbers from 0 on, which are their ranks before the call, and
  /// makes room for `room` positions. O(`room`); called after `makeRanks`.
  mutating func renumber(room: Int)

  /// Brings what `remove(position)` reads near.
  func prefetch(_ position: UInt32)

  /// Memory held, in bytes.
  var bytes: Int { get }
}
