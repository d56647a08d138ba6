public import LarderEngine

/// From the hash of a key to its object id: open addressing with linear probing.
///
/// A slot holds an id and 32 bits of the hash, of which the upper ones say where the search begins,
/// so that neither growing nor removing looks at a key. There are 8 slots for 5 ids at least, which
/// makes 13 bytes an object when full.
@usableFromInline
struct KeyDirectory: ~Copyable {
  // Hash in the upper half, id in the lower; 0 is an empty slot.
  @usableFromInline var slots: UnsafeMutablePointer<UInt64>
  @usableFromInline var count: Int

  /// An empty directory for up to `objects` ids.
  @inlinable
  init(objects: Int) {
    count = max(8, objects * 8 / 5 + 1)
    slots = LargeMemory.allocate(bytes: count * 8, alignment: 64)
      .bindMemory(to: UInt64.self, capacity: count)
    slots.initialize(repeating: 0, count: count)
  }

  @inlinable
  deinit { LargeMemory.deallocate(slots) }

  /// Memory held, in bytes.
  var bytes: Int { count * MemoryLayout<UInt64>.stride }

  /// Where the search for a hash begins.
  @inlinable
  @inline(__always)
  func home(_ hash: UInt32) -> Int { Int((UInt64(hash) &* UInt64(count)) >> 32) }

  /// The id with this hash that `matches`, or `.none`. O(1) on average.
  @inlinable
  @inline(__always)
  func find(_ hash: UInt32, _ matches: (ObjectID) -> Bool) -> ObjectID {
    var place = home(hash)
    while true {
      let slot = slots[place]
      if slot == 0 { return .none }
      if UInt32(truncatingIfNeeded: slot >> 32) == hash {
        let id = ObjectID(truncatingIfNeeded: slot)
        if matches(id) { return id }
      }
      place += 1
      if place == count { place = 0 }
    }
  }

  /// Adds an id that is not there. There must be an empty slot. O(1) on average.
  @inlinable
  @inline(__always)
  mutating func insert(_ hash: UInt32, _ id: ObjectID) {
    var place = home(hash)
    while slots[place] != 0 {
      place += 1
      if place == count { place = 0 }
    }
    slots[place] = UInt64(hash) << 32 | UInt64(id)
  }

  /// Takes out an id that is there, and closes the gap. O(1) on average.
  @inlinable
  @inline(__always)
  mutating func remove(_ hash: UInt32, _ id: ObjectID) {
    let wanted = UInt64(hash) << 32 | UInt64(id)
    var gap = home(hash)
    while slots[gap] != wanted {
      gap += 1
      if gap == count { gap = 0 }
    }
    var place = gap
    while true {
      place += 1
      if place == count { place = 0 }
      let slot = slots[place]
      if slot == 0 { break }
      // What was searched for from a place beyond the gap stays where it is.
      let start = home(UInt32(truncatingIfNeeded: slot >> 32))
      let stays = gap <= place ? gap < start && start <= place : gap < start || start <= place
      if stays { continue }
      slots[gap] = slot
      gap = place
    }
    slots[gap] = 0
  }

  /// Every id that is there, in no order. O(slots).
  @usableFromInline
  func ids() -> [ObjectID] {
    (0..<count).compactMap { slots[$0] == 0 ? nil : ObjectID(truncatingIfNeeded: slots[$0]) }
  }
}
