/// Objects in ascending order of a number that each has, taken out from the front: a `RadixHeap`'s
/// objects of the least key.
///
/// Filled as they come, sorted once, then read in sequence. Memory: 16 bytes for each place.
@usableFromInline
struct OrderedRun: ~Copyable {
  // The order above the id, which is 0 where an object was taken out of the middle.
  @usableFromInline var entries = Column<UInt64>(objects: 31)
  private var spare = Column<UInt64>(objects: 31)
  private var places = Column<UInt32>(objects: 255)
  /// The first place that may hold an object.
  @usableFromInline var start: UInt32 = 0
  /// The place behind the last.
  @usableFromInline var end: UInt32 = 0
  /// Objects held.
  @usableFromInline var count: UInt32 = 0

  init() {}

  /// Memory held, in bytes.
  var bytes: Int { entries.bytes + spare.bytes + places.bytes }

  /// Whether another object goes behind the last without a move of others.
  @inlinable
  @inline(__always)
  func takes(_ order: UInt32) -> Bool {
    Int(end) <= entries.objects && (end == 0 || entries[end - 1] >> 32 <= UInt64(order))
  }

  /// Adds an object at the end, which may be out of order until `sort`.
  @inlinable
  @inline(__always)
  mutating func add(_ order: UInt32, _ id: ObjectID) {
    if Int(end) > entries.objects { makeRoom() }
    entries[end] = UInt64(order) << 32 | UInt64(id)
    end += 1
    count += 1
  }

  /// Takes out the object at a place.
  @inlinable
  @inline(__always)
  mutating func remove(at place: UInt32) {
    entries[place] &= ~UInt64(UInt32.max)
    count -= 1
    if count == 0 { (start, end) = (0, 0) }
  }

  /// Takes out the first object; one must be held.
  @inlinable
  @inline(__always)
  mutating func popFirst() -> ObjectID {
    while true {
      let id = ObjectID(truncatingIfNeeded: entries[start])
      if id != .none {
        remove(at: start)
        if count != 0 { start += 1 }
        return id
      }
      start += 1
    }
  }

  /// The first object; one must be held.
  var first: ObjectID {
    var place = start
    while ObjectID(truncatingIfNeeded: entries[place]) == .none { place += 1 }
    return ObjectID(truncatingIfNeeded: entries[place])
  }

  /// The order of the first object; one must be held.
  @inline(__always)
  var firstOrder: UInt32 {
    var place = start
    while ObjectID(truncatingIfNeeded: entries[place]) == .none { place += 1 }
    return UInt32(truncatingIfNeeded: entries[place] >> 32)
  }

  /// The object at a place, or `.none`.
  @inlinable
  @inline(__always)
  func id(at place: UInt32) -> ObjectID { ObjectID(truncatingIfNeeded: entries[place]) }

  /// The order of the object at a place.
  func order(at place: UInt32) -> UInt32 { UInt32(truncatingIfNeeded: entries[place] >> 32) }

  /// Takes all out.
  mutating func clear() { (start, end, count) = (0, 0, 0) }

  /// Closes gaps and sorts. O(count).
  mutating func sort() {
    closeGaps()
    guard end > 24 else { return sortByInsertion() }
    var varying: UInt64 = 0
    for place in 1..<end { varying |= entries[place] ^ entries[0] }
    for shift: UInt64 in [32, 40, 48, 56] where varying >> shift & 255 != 0 {
      sort(by: shift)
      swap(&entries, &spare)
    }
  }

  private mutating func closeGaps() {
    var kept: UInt32 = 0
    for place in start..<end where id(at: place) != .none {
      entries[kept] = entries[place]
      kept += 1
    }
    (start, end) = (0, kept)
  }

  private mutating func sortByInsertion() {
    var place: UInt32 = 1
    while place < end {
      let entry = entries[place]
      var hole = place
      while hole > 0, entries[hole - 1] > entry {
        entries[hole] = entries[hole - 1]
        hole -= 1
      }
      entries[hole] = entry
      place += 1
    }
  }

  /// Moves the entries into `spare`, ordered by one byte and otherwise as they were.
  private mutating func sort(by shift: UInt64) {
    for value: UInt32 in 0..<256 { places[value] = 0 }
    for place in 0..<end {
      places[UInt32(truncatingIfNeeded: entries[place] >> shift & 255)] += 1
    }
    var sum: UInt32 = 0
    for value: UInt32 in 0..<256 {
      let held = places[value]
      places[value] = sum
      sum += held
    }
    for place in 0..<end {
      let entry = entries[place]
      let value = UInt32(truncatingIfNeeded: entry >> shift & 255)
      spare[places[value]] = entry
      places[value] += 1
    }
  }

  /// Called when every place is taken: closes the gaps where that gains half, or else doubles.
  @usableFromInline
  @inline(never)
  mutating func makeRoom() {
    closeGaps()
    guard Int(count) > entries.objects / 2 else { return }
    let wanted = (entries.objects + 1) * 2 - 1
    entries.reserve(objects: wanted)
    spare = Column(objects: wanted)
  }
}
