/// Objects that have left, in the order in which they left, up to a total weight.
///
/// Memory: 4 bytes an object, 4 for each place in the queue, and 4 more an object where sizes
/// differ, since the cache has forgotten the sizes of ghosts. All operations are O(1), amortised.
public struct GhostQueue: ~Copyable {
  @inlinable static var queued: UInt32 { 1 << 31 }
  @inlinable static var positionMask: UInt32 { IDRing.positionLimit - 1 }

  // Whether the object is queued in the top bit, its position in the lowest 28.
  @usableFromInline var words: Column<UInt32>
  @usableFromInline var ring: IDRing
  @usableFromInline var sizes: Column<UInt32>
  @usableFromInline let weighs: Bool
  @usableFromInline let capacity: UInt64
  @usableFromInline var used: UInt64 = 0
  @usableFromInline var limit = GhostLimit()

  /// An empty queue for ids up to `objects` whose members weigh at most `capacity` together; unless
  /// `weighs`, every object weighs 1.
  public init(objects: Int, capacity: UInt64, weighs: Bool) {
    words = Column(objects: objects)
    ring = IDRing(capacity: min(objects, weighs ? 0 : Int(min(capacity, 1 << 20))))
    sizes = Column(objects: weighs ? objects : 0)
    self.weighs = weighs
    self.capacity = weighs ? capacity : min(capacity, UInt64(IDRing.entriesMax))
  }

  /// Whether the object is queued.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool { words[id] != 0 }

  /// Queues an object that is not queued as the newest; the oldest go until everything fits, and
  /// where sizes differ are not too many beside the `residents`.
  @inlinable @inline(__always) public mutating func push(
    _ id: ObjectID, _ size: UInt32, residents: Int
  ) {
    let weight = weighs ? UInt64(size) : 1
    guard weight <= capacity else { return }
    limit.note(residents: residents)
    while isFull(for: weight) { _ = popOldest() }
    used += weight
    if weighs { sizes[id] = size }
    words[id] = GhostQueue.queued | ring.push(id, words)
  }

  /// Forgets and returns the oldest where the next `push` of `size` would, otherwise returns
  /// `.none`: for those who keep more of a ghost than its place.
  @inline(__always) mutating func makeRoom(for size: UInt32, residents: Int) -> ObjectID {
    let weight = weighs ? UInt64(size) : 1
    guard weight <= capacity else { return .none }
    limit.note(residents: residents)
    return isFull(for: weight) ? popOldest() : .none
  }

  @inlinable @inline(__always) func isFull(for weight: UInt64) -> Bool {
    used + weight > capacity || (weighs && ring.count >= limit.ghosts)
  }

  @inlinable @inline(__always) mutating func popOldest() -> ObjectID {
    let oldest = ring.popOldest()
    used -= weighs ? UInt64(sizes[oldest]) : 1
    words[oldest] = 0
    return oldest
  }

  /// Takes an object that is queued out.
  @inlinable @inline(__always) public mutating func remove(_ id: ObjectID) {
    assert(contains(id))
    ring.remove(at: words[id] & GhostQueue.positionMask)
    used -= weighs ? UInt64(sizes[id]) : 1
    words[id] = 0
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) {
    words.reserve(objects: objects)
    if weighs { sizes.reserve(objects: objects) }
  }

  /// Brings the object's word near.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { words.prefetch(id) }

  /// Memory held, in bytes.
  public var bytes: Int { words.bytes + ring.bytes + (weighs ? sizes.bytes : 0) }
}

/// How many objects that have left may be remembered where the capacity is in bytes.
///
/// What they weigh has a limit by the policy's rule, but objects may weigh nothing, or little
/// beside what else the cache holds, and each takes memory all the same. The limit is meant never
/// to be reached by objects whose sizes are what they cost: eight for each resident object unless a
/// policy asks for more, of which the most so far count.
public struct GhostLimit {
  /// Ghosts for each resident object, where a policy asks for no other number.
  @inlinable public static var usualPerResident: Int { 8 }
  @inlinable static var least: Int { 1024 }

  /// At most so many; never more than a queue holds.
  @inlinable @inline(__always) public var ghosts: Int { most }
  @usableFromInline var most = GhostLimit.least
  @usableFromInline let perResident: Int

  /// No object was resident yet. There may be `perResident` ghosts for each one that will be.
  public init(perResident: Int = GhostLimit.usualPerResident) { self.perResident = perResident }

  /// So many objects are resident.
  @inlinable @inline(__always) public mutating func note(residents: Int) {
    most = max(most, min(residents &* perResident, IDRing.entriesMax))
  }
}

/// A queue of ghosts that knows nothing of them but their places, for caches that keep what stands
/// for a ghost by its place.
///
/// Places are numbers from 0 to below `places`, given out in a ring. A ghost that is taken out of
/// the middle leaves a hole, which `popOldest` skips. Memory: a bit for each place. All operations
/// are O(1), amortised, but for `repack`.
@usableFromInline struct GhostPlaces: ~Copyable {
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
  @usableFromInline init(places: UInt32) {
    self.places = places
    bits = Column(objects: Int(places) / 64)
  }

  @inlinable @inline(__always) func isTaken(_ place: UInt32) -> Bool {
    bits[place >> 6] >> UInt64(place & 63) & 1 != 0
  }

  @inlinable @inline(__always) mutating func flip(_ place: UInt32) {
    bits[place >> 6] ^= 1 << UInt64(place & 63)
  }

  @inlinable @inline(__always) func next(_ place: UInt32) -> UInt32 {
    place &+ 1 == places ? 0 : place &+ 1
  }

  /// Whether no place is free; holes at the oldest end are given back first.
  @inlinable @inline(__always) var isFull: Bool {
    mutating get {
      if span < places { return false }
      skipHoles()
      return span == places
    }
  }

  /// Queues a ghost as the newest and returns its place, of which one must be free.
  @inlinable @inline(__always) mutating func push() -> UInt32 {
    assert(span < places)
    let place = newest
    flip(place)
    newest = next(place)
    span &+= 1
    count &+= 1
    return place
  }

  /// Takes the oldest ghost out, of which there must be one, and returns its place.
  @inlinable @inline(__always) mutating func popOldest() -> UInt32 {
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
  @inlinable @inline(__always) mutating func remove(at place: UInt32) {
    assert(isTaken(place))
    flip(place)
    count &-= 1
  }

  @inlinable @inline(__always) mutating func skipHoles() {
    while span > 0, !isTaken(oldest) {
      oldest = next(oldest)
      span &-= 1
    }
  }

  /// Has `wanted` places from now on, no fewer than there are ghosts, and no holes. Tells of every
  /// ghost whose place is another one, from the oldest to the newest; with as many places as before
  /// the new one is free by then. O(places).
  @usableFromInline mutating func repack(
    places wanted: UInt32, moved: (_ old: UInt32, _ new: UInt32) -> Void
  ) {
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

/// What becomes of an object that left a cache which keeps ghosts by their places: see
/// `ThreeQueues.settle`.
@frozen public struct GhostMove: Sendable {
  /// What comes next.
  @frozen public enum Outcome: UInt8, Sendable {
    /// Nothing is remembered of the object.
    case forgotten
    /// The object is a ghost.
    case ghost
    /// A ghost had to go, and another one has to: ask again.
    case unfinished
    /// Every place is taken: see `ThreeQueues.repackGhosts`, and ask again.
    case full
  }

  /// No place.
  @inlinable public static var nowhere: UInt32 { .max }

  /// What became of the object.
  public let outcome: Outcome
  /// Where it is as a ghost.
  public let place: UInt32
  /// The place of a ghost that had to go for it, or `nowhere`. It is free by now, and the object
  /// may be there.
  public let dropped: UInt32
  /// The place of what is likely to have to go next, or `nowhere`: a hint.
  public let next: UInt32

  @inlinable @inline(__always) init(
    _ outcome: Outcome, place: UInt32 = nowhere, dropped: UInt32 = nowhere, next: UInt32 = nowhere
  ) {
    self.outcome = outcome
    self.place = place
    self.dropped = dropped
    self.next = next
  }
}
