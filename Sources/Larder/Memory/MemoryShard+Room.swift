public import LarderEngine

extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  /// As many ids as are ever needed by a policy that remembers so many objects, resident or not:
  /// one more for what a set stores; and where there are ghosts a 64th of all, so that the search
  /// for those that were forgotten unnoticed is short.
  static func roomMax(residents: Int, ghosts: Int) -> Int {
    let (sum, isTooMuch) = residents.addingReportingOverflow(ghosts)
    let most = isTooMuch ? ObjectID.maximumCount / 2 : min(sum, ObjectID.maximumCount / 2)
    return most + 1 + (ghosts > 0 ? most / 64 : 0)
  }

  /// Called when every id belongs to a key: takes the id of a forgotten ghost back, or makes room
  /// for more ids where a round over all of them has found no more than one in 32 forgotten.
  /// Amortised O(1) an id.
  @inlinable
  @inline(never)
  mutating func findRoom(_ gone: inout EvictedEntries<Key, Value>) {
    while true {
      let id = tier.forgotten(sweep, ObjectID(records.room))
      if id != .none {
        release(id, &gone)
        sweep = id + 1
        swept += 1
        return
      }
      let isFew = Int(swept) <= records.room / 32
      let isNone = swept == 0
      sweep = 1
      swept = 0
      // Only a policy that remembers more than it said comes here with all the room there is.
      if isFew, records.room < roomMax || isNone {
        grow(to: Self.nextRoom(records.room, roomMax: roomMax), ghosts: records.ghosts)
        return
      }
    }
  }

  /// Twice the room while that is little, then a quarter more; not much less than all that is ever
  /// needed, and no more.
  @usableFromInline
  static func nextRoom(_ room: Int, roomMax: Int) -> Int {
    let next = room < 1 << 14 ? room * 2 : room + room / 4
    return room < roomMax && next + next / 8 >= roomMax ? roomMax : next
  }

  /// Makes room for ids up to `wanted`, and that many places for ghosts. But for `fresh`, all that
  /// is resident has a value, and nothing else has. O(ids).
  @inlinable
  mutating func grow(to wanted: Int, ghosts: Int, fresh: ObjectID = .none) {
    place.close()
    if wanted > records.room {
      tier.reserve(wanted)
      if let held = idle { idle = held.grown(to: wanted) }
      reserveWheel(wanted)
    }
    let larger = ShardRecords<Key, Value>(
      room: wanted, ghosts: ghosts, ghostsMax: tier.ghostsMax, withVersions: records.hasVersions)
    let largerDirectory = KeyDirectory(objects: larger.keysMax, in: larger.memory)
    for id in directory.ids() where !ShardRecords<Key, Value>.isGhost(id) {
      let hash = hash(id)
      larger.key(id).moveInitialize(from: records.key(id), count: 1)
      larger.hash(id).initialize(to: records.hash(id).pointee)
      larger.stamp(id).initialize(to: records.stamp(id).pointee)
      if id != fresh, tier.contains(id) {
        larger.value(id).moveInitialize(from: records.value(id), count: 1)
      }
      largerDirectory.insert(hash, id)
    }
    if placesGhosts { moveGhosts(to: larger, largerDirectory) }
    // Free ids are told apart from others only by the list that they are in.
    var id = free
    while id != .none {
      larger.stamp(id).initialize(to: records.stamp(id).pointee)
      id = records.stamp(id).pointee
    }
    records.deallocate()
    records = larger
    directory = largerDirectory
    place.open(records, directory, tier, idle)
  }

  /// Moves the keys of ghosts to other records.
  @inlinable
  mutating func moveGhosts(to larger: ShardRecords<Key, Value>, _ largerDirectory: KeyDirectory) {
    func move(_ old: UInt32, _ new: UInt32) {
      let hash = ghostHash(old)
      larger.ghostKey(new).moveInitialize(from: records.ghostKey(old), count: 1)
      if !larger.hasVersions { larger.ghostHash(new).pointee = hash }
      largerDirectory.insert(hash, ShardRecords<Key, Value>.ghostBit | new)
    }
    if larger.ghosts != records.ghosts { return tier.repackGhosts(larger.ghosts, move) }
    for id in directory.ids() where ShardRecords<Key, Value>.isGhost(id) {
      let place = ShardRecords<Key, Value>.ghostPlace(id)
      move(place, place)
    }
  }

  @usableFromInline
  mutating func reserveWheel(_ room: Int) { wheel?.reserve(room: room) }

  /// Makes the tier ready for entries that expire.
  @usableFromInline
  @inline(never)
  mutating func beginExpiries() {
    place.close()
    tier.beginExpiries()
    expires = true
    place.open(records, directory, tier, idle)
  }
}
