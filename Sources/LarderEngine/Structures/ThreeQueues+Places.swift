/// Ghosts that are known by their places, for caches that keep keys: of a ghost such a cache has
/// the key alone, at the ghost's place, and ids are those of resident objects. The order in which
/// ghosts come and go is the same.
///
/// An object that leaves a ghost keeps its id until the cache asks what became of it (`settle`).
/// Before anything else is asked of the policy the cache does so for all that have left, in the
/// order in which they left.
extension ThreeQueues {
  // The counter of an object that has left and has no place yet; others in the ghost have 0.
  @inlinable
  static var unsettled: UInt32 { one }

  /// Ghosts are known by their places from now on. Nothing must have been stored.
  public mutating func placeGhosts() {
    placesGhosts = true
    ghost = IDRing(capacity: 0)
    ghostSizes = Column(objects: 0)
  }

  /// Ghosts that have a place.
  public var ghostCount: Int { Int(places.count) }

  /// Says what became of an object of a size that is no longer resident: whether it is a ghost,
  /// where, and which one had to go for it. The id is free afterwards. A ghost that came back and
  /// was not stored is where it was. O(1).
  @inlinable
  @inline(__always)
  public mutating func settle(_ id: ObjectID, _ size: UInt32) -> GhostMove {
    let word = words[id]
    if word == 0 { return GhostMove(.forgotten) }
    assert(word & ThreeQueues.placeMask == ThreeQueues.inGhost, "\(id) is still resident")
    if word & ThreeQueues.counterMask == 0 {
      words[id] = 0
      return GhostMove(.ghost, place: word & ThreeQueues.positionMask)
    }
    let weight = countsBytes ? UInt64(size) : 1
    var dropped = GhostMove.nowhere
    if isGhostFull(for: weight) {
      dropped = places.popOldest()
      ghostUsed -= countsBytes ? UInt64(ghostSizes[dropped]) : 1
      if isGhostFull(for: weight) { return GhostMove(.unfinished, dropped: dropped) }
    }
    if places.isFull { return GhostMove(.full, dropped: dropped) }
    let place = places.push()
    ghostUsed += weight
    if countsBytes { ghostSizes[place] = size }
    words[id] = 0
    return GhostMove(.ghost, place: place, dropped: dropped, next: places.oldest)
  }

  @inlinable
  @inline(__always)
  func isGhostFull(for weight: UInt64) -> Bool {
    ghostUsed + weight > ghostCapacity || (countsBytes && Int(places.count) >= limit.ghosts)
  }

  /// The ghost at a place has an id again, that of an object of which nothing is known, because it
  /// is requested.
  @inlinable
  @inline(__always)
  public mutating func recall(_ place: UInt32, as id: ObjectID) {
    assert(words[id] == 0 && places.isTaken(place))
    words[id] = ThreeQueues.inGhost | place
  }

  /// Forgets the ghost at a place.
  @inlinable
  @inline(__always)
  public mutating func dropGhost(at place: UInt32) {
    places.remove(at: place)
    ghostUsed -= countsBytes ? UInt64(ghostSizes[place]) : 1
  }

  /// Has so many places for ghosts from now on, at most `ghostPlacesMax` and no fewer than there
  /// are ghosts, without holes between them. Tells of every ghost whose place is another one, from
  /// the oldest to the newest; with as many places as before the new one is free by then.
  /// O(places).
  public mutating func repackGhosts(
    places wanted: Int, moved: (_ old: UInt32, _ new: UInt32) -> Void
  ) {
    precondition(wanted <= ThreeQueues.ghostPlacesMax, "\(wanted) places for ghosts")
    guard countsBytes else { return places.repack(places: UInt32(wanted), moved: moved) }
    let sizes = Column<UInt32>(objects: wanted)
    if wanted == Int(places.places) {
      for place in 0..<places.places where places.isTaken(place) {
        sizes[place] = ghostSizes[place]
      }
    }
    places.repack(places: UInt32(wanted)) { old, new in
      sizes[new] = ghostSizes[old]
      moved(old, new)
    }
    ghostSizes = sizes
  }

  /// At most so many places for ghosts.
  public static var ghostPlacesMax: Int { IDRing.entriesMax }
}
