/// The objects that are being fetched or read, by id: a hash table with linear probing whose size
/// follows the largest number in flight. O(1).
@usableFromInline
struct FlightTable: ~Copyable {
  /// What is known of an object in flight.
  @usableFromInline
  struct Entry: BitwiseCopyable {
    /// The object; `.none` where a place is empty.
    @usableFromInline var id: ObjectID
    /// Its fetches in flight.
    @usableFromInline var flights: UInt32
    /// The next get of the object that the fetch's copy could answer.
    @usableFromInline var nextUse: UInt32
    /// The number of the fetch that requests wait for; `noOrder` for none.
    @usableFromInline var order: UInt64
    /// When that one ends.
    @usableFromInline var completion: UInt64
    /// Fetches with lower numbers began before the object was set or deleted: what they bring is
    /// not stored.
    @usableFromInline var current: UInt64

    @inlinable
    init(id: ObjectID, nextUse: UInt32) {
      self.id = id
      flights = 0
      self.nextUse = nextUse
      order = FlightTable.noOrder
      completion = 0
      current = 0
    }
  }

  @inlinable
  static var noOrder: UInt64 { .max }

  @usableFromInline var places = Column<Entry>(objects: 63)
  @usableFromInline private(set) var count = 0

  @inlinable
  init() {}

  /// Memory held, in bytes.
  @usableFromInline var bytes: Int { places.bytes }

  @inlinable
  @inline(__always)
  var mask: UInt32 { UInt32(truncatingIfNeeded: places.objects) }

  /// The place of an object, or the empty one where it would stand.
  @inlinable
  @inline(__always)
  func place(of id: ObjectID) -> UInt32 {
    var place = home(of: id)
    while places[place].id != id, places[place].id != .none { place = (place &+ 1) & mask }
    return place
  }

  @inlinable
  @inline(__always)
  func home(of id: ObjectID) -> UInt32 {
    UInt32(truncatingIfNeeded: (UInt64(id) &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
  }

  /// Whether the object at a place is in flight.
  @inlinable
  @inline(__always)
  func isTaken(_ place: UInt32) -> Bool { places[place].id != .none }

  /// Adds an object at the place that `place(of:)` named, and returns its place.
  @inlinable
  @inline(__always)
  mutating func add(_ entry: Entry, at place: UInt32) -> UInt32 {
    var place = place
    if count * 2 > places.objects {
      grow()
      place = self.place(of: entry.id)
    }
    places[place] = entry
    count += 1
    return place
  }

  /// Removes the object at a place; those that probed past it move up.
  @inlinable
  @inline(__always)
  mutating func remove(at place: UInt32) {
    var hole = place
    var next = (hole &+ 1) & mask
    while places[next].id != .none {
      // How far it stands behind its home, against how far the hole is behind it.
      if (next &- home(of: places[next].id)) & mask >= (next &- hole) & mask {
        places[hole] = places[next]
        hole = next
      }
      next = (next &+ 1) & mask
    }
    places[hole] = Entry(id: .none, nextUse: 0)
    count -= 1
  }

  @usableFromInline
  @inline(never)
  mutating func grow() {
    var old = Column<Entry>(objects: (places.objects + 1) * 2 - 1)
    swap(&places, &old)
    for number in 0...UInt32(truncatingIfNeeded: old.objects) where old[number].id != .none {
      places[place(of: old[number].id)] = old[number]
    }
  }
}
