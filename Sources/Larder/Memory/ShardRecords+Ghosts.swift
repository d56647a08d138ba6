public import LarderEngine

/// The keys of ghosts by their places. In a directory a ghost has an id of its own, which is above
/// those of records, so who looks for an entry passes over it without looking at its key.
extension ShardRecords {
  /// Set in the id that a ghost has in the directory; the rest is its place. Ids of records are
  /// below: see `MemoryShard.roomMax`.
  @inlinable
  static var ghostBit: ObjectID { 1 << 31 }

  /// The place of a ghost by its id in the directory.
  @inlinable
  @inline(__always)
  static func ghostPlace(_ id: ObjectID) -> UInt32 { id & ~ghostBit }

  /// Whether an id in the directory is a ghost's.
  @inlinable
  @inline(__always)
  static func isGhost(_ id: ObjectID) -> Bool { id & ghostBit != 0 }

  /// Where the key of the ghost at a place is.
  @inlinable
  @inline(__always)
  func ghostKey(_ place: UInt32) -> UnsafeMutablePointer<Key> {
    assert(Int(place) < ghosts)
    return ghostKeys + Int(place)
  }

  /// Where the hash of that key is, unless records have versions.
  @inlinable
  @inline(__always)
  func ghostHash(_ place: UInt32) -> UnsafeMutablePointer<UInt32> {
    assert(Int(place) < ghosts && !hasVersions)
    return UnsafeMutableRawPointer(ghostKeys + ghosts).assumingMemoryBound(to: UInt32.self)
      + Int(place)
  }

  // The stride of a record is a multiple of a key's alignment and of 4, and there are so many
  // places that the bytes of their keys are a multiple of 4, too.
  @inlinable
  @inline(__always)
  var ghostKeys: UnsafeMutablePointer<Key> {
    (base + (room &+ 1) &* Self.stride).assumingMemoryBound(to: Key.self)
  }

  /// Whether an id in the directory is that of a key's ghost.
  @inlinable
  @inline(__always)
  func isGhost(_ id: ObjectID, of key: Key, _ hash: UInt32) -> Bool where Key: Equatable {
    guard Self.isGhost(id) else { return false }
    let place = Self.ghostPlace(id)
    return (_isPOD(Key.self) || ghostHash(place).pointee == hash) && ghostKey(place).pointee == key
  }
}
