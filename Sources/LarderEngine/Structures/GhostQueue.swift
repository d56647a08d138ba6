/// Ghosts in order of eviction, up to a total weight.
///
/// Memory: 4 bytes an object, 4 for each slot of the queue, and 4 more an object with different
/// sizes, because the cache does not keep the sizes of ghosts. All operations are O(1), amortised.
public struct GhostQueue: ~Copyable {
  @inlinable static var queued: UInt32 { 1 << 31 }
  @inlinable static var positionMask: UInt32 { IDRing.positionLimit - 1 }

  // The top bit is set for a queued object; its position is in the lowest 28.
  @usableFromInline var words: Column<UInt32>
  @usableFromInline var ring: IDRing
  @usableFromInline var sizes: Column<UInt32>
  @usableFromInline let weighs: Bool
  @usableFromInline let capacity: UInt64
  @usableFromInline var used: UInt64 = 0
  @usableFromInline var limit = GhostLimit()

  /// Creates an empty queue for ids up to `objects`, with a total weight of at most `capacity`;
  /// unless `weighs`, every object weighs 1.
  public init(objects: Int, capacity: UInt64, weighs: Bool) {
    words = Column(objects: objects)
    ring = IDRing(capacity: min(objects, weighs ? 0 : Int(min(capacity, 1 << 20))))
    sizes = Column(objects: weighs ? objects : 0)
    self.weighs = weighs
    self.capacity = weighs ? capacity : min(capacity, UInt64(IDRing.entriesMax))
  }

  /// Returns true if the object is queued.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool { words[id] != 0 }

  /// Appends an object that is not queued as the newest. Removes the oldest until everything fits
  /// and, with different sizes, the number of ghosts is within the limit for `residents`.
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

  /// Removes and returns the oldest ghost if the next `push` of `size` would remove it, otherwise
  /// returns `.none`; for callers that keep more state for each ghost.
  @inlinable @inline(__always) public mutating func makeRoom(for size: UInt32, residents: Int)
    -> ObjectID
  {
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

  /// Removes a queued object.
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

  /// Memory held, in bytes.
  public var bytes: Int { words.bytes + ring.bytes + (weighs ? sizes.bytes : 0) }
}

/// The largest number of ghosts with a capacity in bytes, because objects may have no size: eight
/// for each resident object, by the maximum number of residents so far, unless a policy asks for
/// more. Realistic sizes never reach it.
public struct GhostLimit {
  /// Ghosts for each resident object, unless a policy asks for another number.
  @inlinable public static var usualPerResident: Int { 8 }
  @inlinable static var least: Int { 1024 }

  /// The limit; never above the capacity of a queue.
  @inlinable @inline(__always) public var ghosts: Int { most }
  @usableFromInline var most = GhostLimit.least
  // A cache with ghosts in slots has more slots than ghosts.
  @usableFromInline var highest = IDRing.entriesMax
  @usableFromInline let perResident: Int

  /// Creates a limit of `perResident` ghosts for each resident object.
  public init(perResident: Int = GhostLimit.usualPerResident) { self.perResident = perResident }

  /// Records the number of resident objects.
  @inlinable @inline(__always) public mutating func note(residents: Int) {
    most = max(most, min(residents &* perResident, highest))
  }
}

/// A queue of ghosts identified only by their slots, from 0 to below `places`, assigned in a ring,
/// for caches that store a ghost's key by its slot.
@usableFromInline struct GhostPlaces: ~Copyable {
  // A bit for each slot that holds a ghost.
  @usableFromInline var bits: Column<UInt64>
  @usableFromInline private(set) var places: UInt32
  // The slot of the oldest ghost, or of a hole before it.
  @usableFromInline var oldest: UInt32 = 0
  // The next slot to assign, unless all are taken: `places` behind the last one, where the ring may
  // grow.
  @usableFromInline var newest: UInt32 = 0
  // Slots from the oldest to the newest ghost, including holes.
  @usableFromInline var span: UInt32 = 0
  @usableFromInline var count: UInt32 = 0
  /// The closing of holes in small steps, until the ring turns: ghosts before slot `end` move
  /// towards it. The `seen` slots before it have been looked at, of which the first is `from`, and
  /// ghosts among them begin at `to`.
  private var closing: (from: UInt32, to: UInt32, end: UInt32, seen: UInt32)?
  /// While a ring that has turned grows: the slots from `rest` to `newest` follow slot `seam` - 1,
  /// and move there in small steps.
  @usableFromInline var seam = UInt32.max
  @usableFromInline var rest: UInt32 = 0
  // Slots before this one can be assigned; those behind only when there is no seam.
  @usableFromInline var end: UInt32

  @usableFromInline init(places: UInt32) {
    self.places = places
    end = places
    bits = Column(objects: Int(places) / 64)
  }

  @inlinable @inline(__always) func isTaken(_ place: UInt32) -> Bool {
    bits[place >> 6] >> UInt64(place & 63) & 1 != 0
  }

  @inlinable @inline(__always) mutating func flip(_ place: UInt32) {
    bits[place >> 6] ^= 1 << UInt64(place & 63)
  }

  @inlinable @inline(__always) func next(_ place: UInt32) -> UInt32 {
    if place &+ 1 == seam { return rest }
    return place &+ 1 == places ? 0 : place &+ 1
  }

  /// True if no slot can be assigned, or if the ring should grow: to at least `limit` slots when
  /// all were assigned, or without a limit when most are taken.
  @inlinable @inline(__always) mutating func isFull(limit: UInt64) -> Bool {
    if newest == end, isAtEnd(limit) { return true }
    return span > end &- end >> 3 && isNearlyFull(limit)
  }

  @usableFromInline mutating func isNearlyFull(_ limit: UInt64) -> Bool {
    skipHoles()
    let grows = limit == .max && seam == .max && newest <= oldest && places <= 1 << 26
    return span == end || grows && isMostlyTaken
  }

  private var isMostlyTaken: Bool { count > places - places / 8 }

  @usableFromInline mutating func isAtEnd(_ limit: UInt64) -> Bool {
    if seam != .max { return true }
    skipHoles()
    if span == 0 {
      (oldest, newest, closing) = (0, 0, nil)
      return places == 0
    }
    // An eighth more than the limit: holes can always be closed before slots run out.
    let grows = limit == .max ? isMostlyTaken : UInt64(places) < limit &+ limit / 8
    if grows || span == places { return true }
    (newest, closing) = (0, nil)
    return false
  }

  /// True if there are few slots left but many holes, or slots behind a seam: see `tidy`.
  @inlinable @inline(__always) var isCrowded: Bool {
    seam != .max || span > places &- places >> 4 && span &- count > places >> 5
  }

  /// Appends a ghost as the newest and returns its slot; one must be free.
  @inlinable @inline(__always) mutating func push() -> UInt32 {
    assert(span < places)
    let place = newest
    flip(place)
    newest = place &+ 1
    span &+= 1
    count &+= 1
    return place
  }

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

  /// Adds slots up to `wanted`, or closes all holes if there are as many.
  @usableFromInline mutating func repack(
    places wanted: UInt32, moved: (_ old: UInt32, _ new: UInt32) -> Void
  ) {
    while seam != .max { unwind(moved) }
    closing = nil
    if wanted > places { return grow(to: wanted) }
    DebugWork.add(Int(span))
    var (place, target) = (oldest, oldest)
    for _ in 0..<span {
      if isTaken(place) {
        move(place, to: target, moved)
        target = next(target)
      }
      place = next(place)
    }
    (newest, span) = (target, count)
  }

  private mutating func grow(to wanted: UInt32) {
    bits.reserve(objects: Int(wanted) / 64)
    if span > 0, newest <= oldest { (seam, rest) = (places, 0) } else { end = wanted }
    places = wanted
  }

  /// Moves slots before `newest` to the seam, 64 of them.
  private mutating func unwind(_ moved: (_ old: UInt32, _ new: UInt32) -> Void) {
    for _ in 0..<64 where rest < newest && seam < places {
      if isTaken(rest) { move(rest, to: seam, moved) }
      if oldest == rest { oldest = seam }
      (rest, seam) = (rest + 1, seam + 1)
    }
    guard rest == newest else { return }
    (newest, seam, end) = (seam, .max, places)
    if span == 0 { oldest = newest }
  }

  private mutating func move(
    _ place: UInt32, to target: UInt32, _ moved: (_ old: UInt32, _ new: UInt32) -> Void
  ) {
    if place == target { return }
    flip(place)
    flip(target)
    moved(place, target)
  }

  /// Goes on closing holes, for 32 slots, or moving slots behind a seam.
  @usableFromInline mutating func tidy(_ moved: (_ old: UInt32, _ new: UInt32) -> Void) {
    DebugWork.add(1)
    if seam != .max { return unwind(moved) }
    var step = closing ?? (newest, newest, newest, 0)
    // Slots before `end`, unless the oldest ghost is behind it by now.
    let all = span - min(span, newest - step.end)
    for _ in 0..<32 where step.seen < all {
      step.seen += 1
      step.from = previous(step.from)
      if isTaken(step.from) {
        step.to = previous(step.to)
        move(step.from, to: step.to, moved)
      }
    }
    closing = step
    guard step.seen >= all else { return }
    closing = nil
    // Only holes are left before the ghosts that have moved.
    let holes = all - min(all, distance(from: step.to, to: step.end))
    oldest = holes > 0 ? step.to % places : oldest
    span -= holes
  }

  private func previous(_ place: UInt32) -> UInt32 { (place == 0 ? places : place) - 1 }

  private func distance(from first: UInt32, to last: UInt32) -> UInt32 {
    last >= first ? last - first : last + places - first
  }

  @usableFromInline var bytes: Int { bits.bytes }
}

/// The fate of an object that left a cache with ghosts in slots: see `ThreeQueues.settle`.
@frozen public struct GhostMove: Sendable {
  /// Possible outcomes.
  @frozen public enum Outcome: UInt8, Sendable {
    /// The object is forgotten.
    case forgotten
    /// The object is a ghost.
    case ghost
    /// A ghost was dropped, and another one must be: call again.
    case unfinished
    /// The object is a ghost, and slots run out because of holes: see `ThreeQueues.repackGhosts`.
    case crowded
    /// Every slot is taken: see `ThreeQueues.repackGhosts`, and call again.
    case full
  }

  /// The value for no slot.
  @inlinable public static var nowhere: UInt32 { .max }

  /// The outcome for the object.
  public let outcome: Outcome
  /// The slot of the object's ghost.
  public let place: UInt32
  /// The slot of a ghost that was dropped for it, which may be its own, or `nowhere`.
  public let dropped: UInt32
  /// The slot that is likely to be dropped next, or `nowhere`: a hint.
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
