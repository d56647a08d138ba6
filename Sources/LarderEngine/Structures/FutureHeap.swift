/// Objects by the time of their next use, furthest first.
///
/// Every use of an object makes its entry invalid and adds another, so entries are never moved
/// about: invalid ones are recognised by the object's current time, and swept out when the heap is
/// full. Adding is O(1) on average, because a next use is mostly near, and so low in a heap with
/// the furthest on top. Objects that are never used again wait in a queue and go first.
/// Memory: 4 bytes an object and 8 for each entry, of which at most half are invalid after a sweep.
struct FutureHeap: ~Copyable {
  // Next use of each object held; 0 means that it is not held.
  private var nextUses: Column<UInt32>
  // Next use in the upper half, id in the lower: one comparison orders both.
  private var entries: UnsafeMutablePointer<UInt64>
  private var count = 0
  private var room: Int
  private var unused = IDRing(capacity: 16)

  /// An empty heap for ids up to `objects`, with room for `capacity` objects before it grows.
  init(objects: Int, capacity: Int) {
    nextUses = Column(objects: objects)
    room = max(capacity * 2, 16)
    entries = .allocate(capacity: room)
  }

  deinit { entries.deallocate() }

  /// Whether the object is held.
  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { nextUses[id] != 0 }

  /// Holds the object, or changes its next use. Amortised O(1) on average, O(log n) at worst.
  @inline(__always)
  mutating func set(_ id: ObjectID, nextUse: UInt32) {
    let nextUse = max(nextUse, 1)
    if nextUses[id] == nextUse { return }
    nextUses[id] = nextUse
    if nextUse == Request.never {
      _ = unused.push(id)
      return
    }
    if count == room { makeRoom() }
    siftUp(UInt64(nextUse) << 32 | UInt64(id), from: count)
    count += 1
  }

  /// Takes out the object whose next use is furthest away; one must be held. O(log n).
  @inline(__always)
  mutating func popFurthest() -> ObjectID {
    while unused.count > 0 {
      let id = unused.popOldest()
      if nextUses[id] == Request.never {
        nextUses[id] = 0
        return id
      }
    }
    while true {
      let entry = entries[0]
      count -= 1
      if count > 0 { siftDown(entries[count], from: 0) }
      let id = ObjectID(truncatingIfNeeded: entry)
      if nextUses[id] == UInt32(truncatingIfNeeded: entry >> 32) {
        nextUses[id] = 0
        return id
      }
    }
  }

  /// Lets go of the object. O(1).
  mutating func remove(_ id: ObjectID) { nextUses[id] = 0 }

  /// Makes ids up to `objects` valid.
  mutating func reserve(objects: Int) { nextUses.reserve(objects: objects) }

  /// Brings the object's next use near.
  @inline(__always)
  func prefetch(_ id: ObjectID) { nextUses.prefetch(id) }

  /// Memory held, in bytes.
  var bytes: Int { nextUses.bytes + room * 8 + unused.bytes }

  @inline(__always)
  private func siftUp(_ entry: UInt64, from start: Int) {
    var position = start
    while position > 0 {
      let parent = (position - 1) / 4
      guard entry > entries[parent] else { break }
      entries[position] = entries[parent]
      position = parent
    }
    entries[position] = entry
  }

  @inline(__always)
  private func siftDown(_ entry: UInt64, from start: Int) {
    var position = start
    while true {
      let first = position * 4 + 1
      guard first < count else { break }
      var largest = first
      for child in (first + 1)..<max(first + 1, min(first + 4, count))
      where entries[child] > entries[largest] {
        largest = child
      }
      guard entries[largest] > entry else { break }
      entries[position] = entries[largest]
      position = largest
    }
    entries[position] = entry
  }

  /// Sweeps invalid entries out; doubles when that frees less than half. Amortised O(1).
  @inline(never)
  private mutating func makeRoom() {
    var valid = 0
    for position in 0..<count {
      let entry = entries[position]
      let id = ObjectID(truncatingIfNeeded: entry)
      if nextUses[id] == UInt32(truncatingIfNeeded: entry >> 32) {
        entries[valid] = entry
        valid += 1
      }
    }
    count = valid
    if valid > room / 2 {
      let larger = UnsafeMutablePointer<UInt64>.allocate(capacity: room * 2)
      larger.initialize(from: entries, count: count)
      entries.deallocate()
      entries = larger
      room *= 2
    }
    var position = (count - 2) / 4
    while position >= 0 {
      if count > 1 { siftDown(entries[position], from: position) }
      position -= 1
    }
  }
}
