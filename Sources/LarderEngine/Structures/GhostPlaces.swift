/// A queue of ghosts that knows nothing of them but their places, for caches that keep what stands
/// for a ghost by its place.
///
/// Places are numbers from 0 to below `places`, given out in a ring. A ghost that is taken out of
/// the middle leaves a hole, which `popOldest` skips. Memory: a bit for each place. All operations
/// are O(1), amortised, but for `repack`.
@usableFromInline
struct GhostPlaces: ~Copyable {
  // A bit for each place in which there is a ghost.
  @usableFromInline var bits: Column<UInt64>
  @usableFromInline private(set) var places: UInt32
  // The place of the oldest ghost, or of a hole before it.
  @usableFromInline var oldest: UInt32 = 0
  // The place that is given out next, unless all are taken.
  @usableFromInline var newest: UInt32 = 0
  // Places from the oldest to the newest ghost, holes among them.
  @usableFromInline var span: UInt32 = 0
  /// Ghosts queued.
  @usableFromInline var count: UInt32 = 0

  /// An empty queue.
  @usableFromInline
  init(places: UInt32) {
    self.places = places
    bits = Column(objects: Int(places) / 64)
  }

  @inlinable
  @inline(__always)
  func isTaken(_ place: UInt32) -> Bool { bits[place >> 6] >> UInt64(place & 63) & 1 != 0 }

  @inlinable
  @inline(__always)
  mutating func flip(_ place: UInt32) { bits[place >> 6] ^= 1 << UInt64(place & 63) }

  @inlinable
  @inline(__always)
  func next(_ place: UInt32) -> UInt32 { place &+ 1 == places ? 0 : place &+ 1 }

  /// Whether no place is free; holes at the oldest end are given back first.
  @inlinable
  @inline(__always)
  var isFull: Bool {
    mutating get {
      if span < places { return false }
      skipHoles()
      return span == places
    }
  }

  /// Queues a ghost as the newest and returns its place, of which one must be free.
  @inlinable
  @inline(__always)
  mutating func push() -> UInt32 {
    assert(span < places)
    let place = newest
    flip(place)
    newest = next(place)
    span &+= 1
    count &+= 1
    return place
  }

  /// Takes the oldest ghost out, of which there must be one, and returns its place.
  @inlinable
  @inline(__always)
  mutating func popOldest() -> UInt32 {
    assert(count > 0)
    skipHoles()
    let place = oldest
    flip(place)
    oldest = next(place)
    span &-= 1
    count &-= 1
    return place
  }

  /// Takes the ghost at a place out.
  @inlinable
  @inline(__always)
  mutating func remove(at place: UInt32) {
    assert(isTaken(place))
    flip(place)
    count &-= 1
  }

  @inlinable
  @inline(__always)
  mutating func skipHoles() {
    while span > 0, !isTaken(oldest) {
      oldest = next(oldest)
      span &-= 1
    }
  }

  /// Has `wanted` places from now on, no fewer than there are ghosts, and no holes. Tells of every
  /// ghost whose place is another one, from the oldest to the newest; with as many places as before
  /// the new one is free by then. O(places).
  @usableFromInline
  mutating func repack(places wanted: UInt32, moved: (_ old: UInt32, _ new: UInt32) -> Void) {
    precondition(wanted >= count, "\(wanted) places for \(count) ghosts")
    let isSame = wanted == places
    let fresh = Column<UInt64>(objects: Int(wanted) / 64)
    let first = isSame ? oldest : 0
    var (place, target) = (oldest, first)
    for _ in 0..<span {
      if isTaken(place) {
        if !isSame || place != target { moved(place, target) }
        fresh[target >> 6] |= 1 << UInt64(target & 63)
        target = target &+ 1 == wanted ? 0 : target &+ 1
      }
      place = next(place)
    }
    bits = fresh
    places = wanted
    (oldest, newest, span) = (first, target, count)
  }

  /// Memory held, in bytes.
  @usableFromInline var bytes: Int { bits.bytes }
}
