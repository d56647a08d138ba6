import CLarderShims
public import LarderEngine

/// Ghosts that the policy knows by their places: see `ThreeQueues.settle`. The shard keeps the key
/// of a ghost, in the place that the policy names, and nothing else.
extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  @usableFromInline typealias Records = ShardRecords<Key, Value>

  /// The id of a key or of its ghost, or `.none`. O(1) on average.
  @inlinable
  @inline(__always)
  func findAny(_ key: Key, _ hash: UInt32) -> ObjectID {
    directory.find(hash) { records.isOf(key, hash, $0) || records.isGhost($0, of: key, hash) }
  }

  /// Makes an object that is not resident a ghost, if it is one, and frees its id; but for `fresh`,
  /// all that is resident has a value. Amortised O(1).
  ///
  /// - Parameter first: What the tier said became of it.
  @inlinable
  @inline(__always)
  mutating func settle(
    _ id: ObjectID, _ first: GhostMove, fresh: ObjectID, _ gone: inout EvictedEntries<Key, Value>
  ) {
    var move = first
    while true {
      if move.dropped != GhostMove.nowhere { releaseGhost(move.dropped, &gone) }
      switch move.outcome {
      case .forgotten: return release(id, &gone)
      case .ghost:
        keepGhost(of: id, at: move.place)
        if move.next != GhostMove.nowhere, hasher.isFast || !records.hasVersions {
          // Keys of ghosts are next to each other in the order in which they go.
          larder_prefetch(directory.home(ghostHash(move.next)))
        }
        return
      case .unfinished: break
      case .full: makeGhostRoom(fresh: fresh)
      }
      move = tier.settle(id)
    }
  }

  /// Moves the key of an id to the place of its ghost.
  @inlinable
  @inline(__always)
  mutating func keepGhost(of id: ObjectID, at place: UInt32) {
    let hash = hash(id)
    records.ghostKey(place).moveInitialize(from: records.key(id), count: 1)
    if !records.hasVersions { records.ghostHash(place).pointee = hash }
    directory.replace(hash, id, by: Records.ghostBit | place)
    free(id)
  }

  /// The ghost that has an id in the directory is requested: that is the id of its key now, which
  /// the record has already.
  @inlinable
  @inline(__always)
  mutating func recall(
    _ ghost: ObjectID, _ hash: UInt32, as id: ObjectID,
    _ gone: inout EvictedEntries<Key, Value>
  ) {
    let place = Records.ghostPlace(ghost)
    if !_isPOD(Key.self) { gone.take(key: records.ghostKey(place).move()) }
    directory.replace(hash, ghost, by: id)
    tier.recall(place, id)
  }

  /// The hash of the key of the ghost at a place.
  @inlinable
  @inline(__always)
  func ghostHash(_ place: UInt32) -> UInt32 {
    if !records.hasVersions { return records.ghostHash(place).pointee }
    return UInt32(truncatingIfNeeded: hasher.hash(records.ghostKey(place).pointee) >> 32)
  }

  /// Takes out the key of a ghost that the policy has forgotten. O(1) on average.
  @inlinable
  @inline(__always)
  mutating func releaseGhost(_ place: UInt32, _ gone: inout EvictedEntries<Key, Value>) {
    directory.remove(ghostHash(place), Records.ghostBit | place)
    if !_isPOD(Key.self) { gone.take(key: records.ghostKey(place).move()) }
  }

  /// Forgets the ghost that has an id in the directory.
  @usableFromInline
  mutating func forgetGhost(_ ghost: ObjectID, _ gone: inout EvictedEntries<Key, Value>) {
    tier.dropGhost(Records.ghostPlace(ghost))
    releaseGhost(Records.ghostPlace(ghost), &gone)
  }

  /// Called when every place for a ghost is taken: closes the holes if they are an eighth of the
  /// places at least, and otherwise makes more. Amortised O(1).
  @inlinable
  @inline(never)
  mutating func makeGhostRoom(fresh: ObjectID) {
    let (held, places) = (tier.ghostCount, records.ghosts)
    if places > 0, held <= places - (places + 7) / 8 {
      tier.repackGhosts(places) { [records, directory] old, new in
        directory.replace(ghostHash(old), Records.ghostBit | old, by: Records.ghostBit | new)
        records.ghostKey(new).moveInitialize(from: records.ghostKey(old), count: 1)
        if !records.hasVersions {
          records.ghostHash(new).pointee = records.ghostHash(old).pointee
        }
      }
    } else {
      grow(to: records.room, ghosts: nextGhosts, fresh: fresh)
    }
  }

  /// Twice as many places for ghosts as there are, or as many as there will be once the shard is
  /// full, by how full it is now: a quarter more than there are ghosts, so that holes are closed
  /// seldom.
  @usableFromInline
  var nextGhosts: Int {
    let ghostsMax = tier.ghostsMax
    let most = min(ghostsMax, ThreeQueues.ghostPlacesMax / 2)
    let wanted = most + most / 4 + 16
    let share = Double(records.room) / Double(roomMax)
    let next =
      ghostsMax == .max ? records.room / 4 : Int(Double(wanted) * share)
    return min(max(next, records.ghosts * 2, 64), wanted) / 4 * 4
  }
}
