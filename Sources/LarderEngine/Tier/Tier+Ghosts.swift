/// Ghosts by their places, for policies that allow it: see `ThreeQueues.settle`. Without such
/// queues nothing is remembered.
extension Tier where Policy: ~Copyable {
  /// Ghosts are known by their places from now on; false where the policy does not allow it.
  @usableFromInline
  @discardableResult
  mutating func placeGhosts() -> Bool {
    placesGhosts = policy.withGhostQueues { $0.placeGhosts() } != nil
    return placesGhosts
  }

  /// Says what became of an object that is no longer resident.
  @inlinable
  @inline(__always)
  mutating func settle(_ id: ObjectID) -> GhostMove {
    let size = Shape.weighs ? sizes[id] : 1
    return policy.withGhostQueues { $0.settle(id, size) } ?? GhostMove(.forgotten)
  }

  /// The ghost at a place is requested, and has an id again.
  @inlinable
  @inline(__always)
  mutating func recall(_ place: UInt32, as id: ObjectID) {
    _ = policy.withGhostQueues { $0.recall(place, as: id) }
  }

  /// Forgets the ghost at a place.
  @inlinable
  mutating func dropGhost(at place: UInt32) {
    _ = policy.withGhostQueues { $0.dropGhost(at: place) }
  }

  /// Has so many places for ghosts.
  @inlinable
  mutating func repackGhosts(places: Int, moved: (_ old: UInt32, _ new: UInt32) -> Void) {
    _ = policy.withGhostQueues { $0.repackGhosts(places: places, moved: moved) }
  }

  /// Ghosts that have a place.
  @inlinable
  var ghostCount: Int {
    mutating get { policy.withGhostQueues { $0.ghostCount } ?? 0 }
  }
}
