/// What becomes of an object that left a cache which keeps ghosts by their places: see
/// `ThreeQueues.settle`.
@frozen
public struct GhostMove: Sendable {
  /// What comes next.
  @frozen
  public enum Outcome: UInt8, Sendable {
    /// Nothing is remembered of the object.
    case forgotten
    /// The object is a ghost.
    case ghost
    /// A ghost had to go, and another one has to: ask again.
    case unfinished
    /// Every place is taken: see `ThreeQueues.repackGhosts`, and ask again.
    case full
  }

  /// No place.
  @inlinable
  public static var nowhere: UInt32 { .max }

  /// What became of the object.
  public let outcome: Outcome
  /// Where it is as a ghost.
  public let place: UInt32
  /// The place of a ghost that had to go for it, or `nowhere`. It is free by now, and the object
  /// may be there.
  public let dropped: UInt32
  /// The place of what is likely to have to go next, or `nowhere`: a hint.
  public let next: UInt32

  @inlinable
  @inline(__always)
  init(
    _ outcome: Outcome, place: UInt32 = nowhere, dropped: UInt32 = nowhere, next: UInt32 = nowhere
  ) {
    self.outcome = outcome
    self.place = place
    self.dropped = dropped
    self.next = next
  }
}
