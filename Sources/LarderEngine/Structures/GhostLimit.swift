/// How many objects that have left may be remembered where the capacity is in bytes.
///
/// What they weigh has a limit by the policy's rule, but objects may weigh nothing, or little
/// beside what else the cache holds, and each takes memory all the same. The limit is meant never
/// to be reached by objects whose sizes are what they cost: eight for each resident object unless a
/// policy asks for more, of which the most so far count.
public struct GhostLimit {
  /// Ghosts for each resident object, where a policy asks for no other number.
  @inlinable
  public static var usualPerResident: Int { 8 }
  @inlinable
  static var least: Int { 1024 }

  /// At most so many; never more than a queue holds.
  @inlinable
  @inline(__always)
  public var ghosts: Int { most }
  @usableFromInline var most = GhostLimit.least
  @usableFromInline let perResident: Int

  /// No object was resident yet. There may be `perResident` ghosts for each one that will be.
  public init(perResident: Int = GhostLimit.usualPerResident) { self.perResident = perResident }

  /// So many objects are resident.
  @inlinable
  @inline(__always)
  public mutating func note(residents: Int) {
    most = max(most, min(residents &* perResident, IDRing.entriesMax))
  }
}
