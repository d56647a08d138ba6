public import LarderEngine

extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  /// Called when every id belongs to a key: takes the ids of forgotten ghosts back, and where those
  /// are fewer than an eighth makes room for twice as many. O(ids), and so amortised O(1) an id.
  @inlinable
  @inline(never)
  mutating func makeRoom(_ gone: inout Departures<Key, Value>) {
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
    let places = Int(highest) + 1
    hashes = moved(hashes, places, to: wanted)
    stamps = moved(stamps, places, to: wanted)
    let ids = directory.ids()
    let largerKeys = UnsafeMutablePointer<Key>.allocate(capacity: wanted + 1)
    let largerValues = UnsafeMutablePointer<Value>.allocate(capacity: wanted + 1)
    var larger = KeyDirectory(objects: wanted)
    for id in ids {
      (largerKeys + Int(id)).moveInitialize(from: keys + Int(id), count: 1)
      if tier.contains(id) {
        (largerValues + Int(id)).moveInitialize(from: values + Int(id), count: 1)
      }
      larger.insert(hashes[Int(id)], id)
    }
    keys.deallocate()
    values.deallocate()
    keys = largerKeys
    values = largerValues
    directory = larger
    room = wanted
  }

  @inlinable
  func moved<Element: BitwiseCopyable>(
    _ old: UnsafeMutablePointer<Element>, _ count: Int, to wanted: Int
  ) -> UnsafeMutablePointer<Element> {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: wanted + 1)
    larger.update(from: old, count: count)
    old.deallocate()
    return larger
  }
}
