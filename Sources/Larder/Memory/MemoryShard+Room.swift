public import LarderEngine

extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  /// Called when every id belongs to a key: takes the ids of forgotten ghosts back, and where those
  /// are fewer than an eighth makes room for twice as many. O(ids), and so amortised O(1) an id.
  @inlinable
  @inline(never)
  mutating func makeRoom(_ gone: inout Departures<Key, Value>) {
    let room = records.room
    var residents = 0
    var released = 0
    for id in 1...ObjectID(room) {
      if tier.contains(id) {
        residents += 1
      } else if !tier.remembers(id) {
        release(id, &gone)
        released += 1
      }
    }
    if released > room / 8 { return }
    // Without ghosts one id more than what fits is all that is ever needed.
    let hasGhosts = residents + released < room
    let wanted = hasGhosts ? room * 2 : min(room * 2, max(residentsMax, room) + 1)
    grow(to: wanted)
  }

  @inlinable
  mutating func grow(to wanted: Int) {
    tier.reserve(wanted)
    let larger = ShardRecords<Key, Value>(room: wanted)
    var largerDirectory = KeyDirectory(objects: wanted)
    for id in directory.ids() {
      larger.key(id).moveInitialize(from: records.key(id), count: 1)
      larger.hash(id).initialize(to: records.hash(id).pointee)
      larger.stamp(id).initialize(to: records.stamp(id).pointee)
      if tier.contains(id) {
        larger.value(id).moveInitialize(from: records.value(id), count: 1)
      }
      largerDirectory.insert(records.hash(id).pointee, id)
    }
    // Free ids are told apart from others only by the list that they are in.
    var id = free
    while id != .none {
      larger.hash(id).initialize(to: records.hash(id).pointee)
      id = records.hash(id).pointee
    }
    records.deallocate()
    records = larger
    directory = largerDirectory
  }
}
