/// Objects that were evicted, oldest first, of which any place can be looked up by number.
///
/// An object that comes back leaves a gap, which counts until it is the oldest. All operations are
/// O(1), amortised. Memory: 4 bytes a place.
struct EvictedQueue: ~Copyable {
  private var ids: [ObjectID] = []
  private var head = 0
  // The number of the place at `head`; numbers wrap around.
  private var first: UInt32 = 0

  /// Places, gaps included.
  var count: Int { ids.count - head }

  /// What stands in a place, from 0 for the oldest; `.none` for a gap.
  subscript(place: Int) -> ObjectID { ids[head + place] }

  /// Adds an object as the newest, and returns the number by which it is removed.
  mutating func append(_ id: ObjectID) -> UInt32 {
    ids.append(id)
    return first &+ UInt32(truncatingIfNeeded: count - 1)
  }

  /// Leaves a gap in the place with a number.
  mutating func remove(_ number: UInt32) { ids[head + Int(number &- first)] = .none }

  /// Takes the oldest place out of a queue that has one, and returns its object; `.none` for a gap.
  mutating func popOldest() -> ObjectID {
    let id = ids[head]
    head += 1
    first &+= 1
    if head >= 1024, head * 2 > ids.count {
      ids.removeFirst(head)
      head = 0
    }
    return id
  }

  /// Memory held, in bytes.
  var bytes: Int { ids.capacity * MemoryLayout<ObjectID>.stride }
}
