/// How many objects that have left may be remembered where the capacity is in bytes.
///
/// What they weigh has a limit by the policy's rule, but objects may weigh nothing, or little
/// beside what else the cache holds, and each takes memory all the same. The limit is meant never
/// to be reached by objects whose sizes are what they cost: eight for each resident object, of
/// which the most so far count.
public struct GhostLimit {
  @inlinable
  static var perResident: Int { 8 }
  @inlinable
  static var least: Int { 1024 }

  /// At most so many; never more than a queue holds.
  @inlinable
  @inline(__always)
  public var ghosts: Int { most }
  @usableFromInline var most = GhostLimit.least

  /// No object was resident yet.
  public init() {}

  /// So many objects are resident.
  @inlinable
  @inline(__always)
  public mutating func note(residents: Int) {
    most = max(most, min(residents &* GhostLimit.perResident, IDRing.entriesMax))
  }
}
