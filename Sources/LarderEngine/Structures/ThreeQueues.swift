/// A small, a main and a ghost queue with a request counter for each object, shared by S3-FIFO,
/// QD-LP-FIFO and their relatives: one word per object holds its queue, position and counter.
/// Memory: 4 bytes an object, 4 more for byte capacities, and 4 for each slot of a queue. O(1),
/// amortised.
public struct ThreeQueues: ~Copyable {
  // The queue of an object, in the top two bits of its word; zero for none.
  @inlinable static var inSmall: UInt32 { 1 << 30 }
  @inlinable static var inMain: UInt32 { 2 << 30 }
  @inlinable static var inGhost: UInt32 { 3 << 30 }
  @inlinable static var placeMask: UInt32 { 3 << 30 }
  // Its request counter, up to three, in the next two.
  @inlinable static var one: UInt32 { 1 << 28 }
  @inlinable static var counterMask: UInt32 { 3 << 28 }
  // Its position in the queue, below.
  @inlinable static var positionMask: UInt32 { IDRing.positionLimit - 1 }

  @usableFromInline var words: SharedColumn
  @usableFromInline var small: IDRing
  @usableFromInline var main: IDRing
  @usableFromInline var ghost: IDRing
  @usableFromInline var ghostSizes: Column<UInt32>
  @usableFromInline let countsBytes: Bool
  /// Total weight of the small queue.
  @inlinable @inline(__always) public var smallUsed: UInt64 { smallWeight }
  @usableFromInline var smallWeight: UInt64 = 0
  /// Total weight of the main queue.
  @inlinable @inline(__always) public var mainUsed: UInt64 { mainWeight }
  @usableFromInline var mainWeight: UInt64 = 0
  @usableFromInline var ghostUsed: UInt64 = 0
  @usableFromInline var limit: GhostLimit
  /// The capacity share of the small queue.
  public let smallCapacity: UInt64
  /// The capacity share of the main queue.
  public let mainCapacity: UInt64
  @usableFromInline var ghostCapacity: UInt64
  // True if ghosts are in `places`, with their sizes by slot: see the extension for slots below.
  @usableFromInline var placesGhosts = false
  @usableFromInline var places = GhostPlaces(places: 0)

  /// Creates empty queues; the small one gets `smallShare` of the capacity, at least 1.
  public init(_ setup: PolicySetup, smallShare: Double, ghostShare: Double) throws(PolicyError) {
    try self.init(
      setup, small: max(1, UInt64(Double(setup.capacity) * smallShare)),
      ghosts: UInt64(Double(setup.capacity) * ghostShare))
  }

  /// Creates empty queues.
  public init(
    _ setup: PolicySetup, small: UInt64, ghosts: UInt64,
    ghostsPerResident: Int = GhostLimit.usualPerResident
  ) throws(PolicyError) {
    try setup.requireQueueable()
    smallCapacity = small
    mainCapacity = setup.capacity - small
    // With objects of weight 1, the number of ghosts is their weight: the queue must hold them.
    ghostCapacity = setup.unit == .bytes ? ghosts : min(ghosts, UInt64(IDRing.entriesMax))
    limit = GhostLimit(perResident: ghostsPerResident)
    words = SharedColumn(objects: setup.objects)
    countsBytes = setup.unit == .bytes
    ghostSizes = Column(objects: countsBytes ? setup.objects : 0)
    self.small = IDRing(capacity: setup.expectedResidents / 8)
    main = IDRing(capacity: setup.expectedResidents)
    ghost = IDRing(capacity: setup.expectedResidents)
  }

  /// Returns true if the object is in the small or the main queue.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool {
    let place = words[id] & ThreeQueues.placeMask
    return place == ThreeQueues.inSmall || place == ThreeQueues.inMain
  }

  /// Returns true if the object is in any of the three queues.
  @inlinable @inline(__always) public func remembers(_ id: ObjectID) -> Bool { words[id] != 0 }

  /// True if the small queue is empty.
  @inlinable @inline(__always) public var isSmallEmpty: Bool { small.count == 0 }

  /// True if the main queue is empty.
  @inlinable @inline(__always) public var isMainEmpty: Bool { main.count == 0 }

  /// The next victim if it is one of the oldest few in the small queue, or in main if that exceeds
  /// its share; otherwise the oldest object, or `.none` for a hole.
  @inlinable @inline(__always) public var candidate: ObjectID {
    mainUsed > mainCapacity
      ? main.guess { words[$0] & ThreeQueues.counterMask == 0 }
      : small.guess { words[$0] & ThreeQueues.counterMask <= ThreeQueues.one }
  }

  /// Counts a request for a resident object.
  @inlinable @inline(__always) public mutating func count(_ id: ObjectID) {
    let word = words[id]
    let isBelow = word & ThreeQueues.counterMask != ThreeQueues.counterMask
    words[id] = word &+ (isBelow ? ThreeQueues.one : 0)
  }

  /// The equivalent of `contains` and `count` for other threads.
  public var counting: HitWords {
    HitWords(
      words.base, objects: words.objects,
      residents: ThreeQueues.inSmall...ThreeQueues.inGhost - 1,
      counter: ThreeQueues.counterMask, highest: ThreeQueues.counterMask, step: ThreeQueues.one)
  }

  /// The largest number of ghosts; with different sizes it depends on the number of residents.
  public var ghostsMax: Int { countsBytes ? .max : Int(min(ghostCapacity, 1 << 40)) }

  /// Changes the size of a resident object.
  public mutating func resize(_ id: ObjectID, from old: UInt32, to new: UInt32) {
    if words[id] & ThreeQueues.placeMask == ThreeQueues.inSmall {
      smallWeight = smallUsed - UInt64(old) + UInt64(new)
    } else {
      mainWeight = mainUsed - UInt64(old) + UInt64(new)
    }
  }

  /// Removes an object that is not resident from the ghosts, and returns true if it was a ghost.
  @inlinable @inline(__always) public mutating func forgetGhost(_ id: ObjectID) -> Bool {
    let word = words[id]
    if word != 0 { forgetGhost(id, word) }
    return word != 0
  }

  /// Adds an object that is in none of the three to the small queue.
  @inlinable @inline(__always) public mutating func pushSmall(_ id: ObjectID, _ size: UInt32) {
    smallWeight += UInt64(size)
    words[id] = ThreeQueues.inSmall | small.push(id, words)
  }

  /// Adds an object that is in none of the three to the main queue.
  @inlinable @inline(__always) public mutating func pushMain(_ id: ObjectID, _ size: UInt32) {
    mainWeight += UInt64(size)
    words[id] = ThreeQueues.inMain | main.push(id, words)
  }

  /// Removes the oldest object from the small queue, which must not be empty. With more than
  /// `limit` requests, the object moves to main with its counter at 0, and `.none` is returned;
  /// otherwise the object becomes a ghost and is returned.
  @inlinable @inline(__always) public mutating func popSmall(
    movingAbove limit: UInt32, _ sizes: some ObjectSizes
  ) -> ObjectID {
    let id = small.popOldest()
    let size = sizes[id]
    smallWeight -= UInt64(size)
    if words[id] & ThreeQueues.counterMask <= limit * ThreeQueues.one {
      rememberGhost(id, size)
      return id
    }
    mainWeight += UInt64(size)
    words[id] = ThreeQueues.inMain | main.push(id, words)
    return .none
  }

  /// Removes and returns the oldest object of main without requests; main must not be empty.
  @inlinable @inline(__always) public mutating func popMain(
    _ sizes: some ObjectSizes, resets: Bool = false
  ) -> ObjectID {
    while true {
      let id = main.popOldest()
      let counter = words[id] & ThreeQueues.counterMask
      if counter == 0 {
        mainWeight -= UInt64(sizes[id])
        words[id] = 0
        return id
      }
      let left = resets ? 0 : counter - ThreeQueues.one
      words[id] = ThreeQueues.inMain | left | main.push(id, words)
    }
  }

  /// Removes the object from its queue, if any.
  @inlinable public mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    let word = words[id]
    switch word & ThreeQueues.placeMask {
    case ThreeQueues.inSmall:
      small.remove(at: word & ThreeQueues.positionMask)
      smallWeight -= UInt64(sizes[id])
    case ThreeQueues.inMain:
      main.remove(at: word & ThreeQueues.positionMask)
      mainWeight -= UInt64(sizes[id])
    case ThreeQueues.inGhost: forgetGhost(id, word)
    default: return
    }
    words[id] = 0
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) {
    words.reserve(objects: objects)
    if countsBytes, !placesGhosts { ghostSizes.reserve(objects: objects) }
  }

  /// Prefetches the object's word.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { words.prefetch(id) }

  /// Memory held, in bytes.
  public var bytes: Int {
    words.bytes + small.bytes + main.bytes + ghost.bytes + (countsBytes ? ghostSizes.bytes : 0)
      + places.bytes
  }

  @inlinable @inline(__always) mutating func rememberGhost(_ id: ObjectID, _ size: UInt32) {
    let size = UInt64(size)
    words[id] = 0
    guard size <= ghostCapacity else { return }
    if countsBytes { limit.note(residents: small.count + main.count + 1) }
    if placesGhosts {
      words[id] = ThreeQueues.inGhost | ThreeQueues.unsettled
      return
    }
    while ghostUsed + size > ghostCapacity || (countsBytes && ghost.count >= limit.ghosts) {
      let oldest = ghost.popOldest()
      ghostUsed -= countsBytes ? UInt64(ghostSizes[oldest]) : 1
      words[oldest] = 0
    }
    ghostUsed += size
    if countsBytes { ghostSizes[id] = UInt32(truncatingIfNeeded: size) }
    words[id] = ThreeQueues.inGhost | ghost.push(id, words)
  }

  @inlinable @inline(__always) mutating func forgetGhost(_ id: ObjectID, _ word: UInt32) {
    if placesGhosts {
      _ = dropGhost(at: word & ThreeQueues.positionMask)
    } else {
      ghost.remove(at: word & ThreeQueues.positionMask)
      ghostUsed -= countsBytes ? UInt64(ghostSizes[id]) : 1
    }
    words[id] = 0
  }
}

/// Access for policies that inspect the next victim and may keep it.
extension ThreeQueues {
  /// Objects in the small queue.
  @inlinable @inline(__always) public var smallCount: Int { small.count }

  /// Returns true if the object is in the small queue.
  @inlinable @inline(__always) public func isInSmall(_ id: ObjectID) -> Bool {
    words[id] & ThreeQueues.placeMask == ThreeQueues.inSmall
  }

  /// The oldest object of the small queue; `.none` for a hole.
  @inlinable @inline(__always) public var smallCandidate: ObjectID { small.oldestPlace }

  /// The oldest object of the main queue; `.none` for a hole.
  @inlinable @inline(__always) public var mainCandidate: ObjectID { main.oldestPlace }

  /// Returns the oldest object of the small queue with at most `limit` requests, without removing
  /// it; older ones move to main with their counters. Amortised O(1) if the object is then removed.
  @inlinable @inline(__always) public mutating func spareSmall(
    above limit: UInt32, _ sizes: some ObjectSizes
  ) -> ObjectID {
    while true {
      let id = small.oldestEntry
      guard id != .none else { return .none }
      let counter = words[id] & ThreeQueues.counterMask
      if counter <= limit * ThreeQueues.one { return id }
      _ = small.popOldest()
      smallWeight -= UInt64(sizes[id])
      mainWeight += UInt64(sizes[id])
      words[id] = ThreeQueues.inMain | counter | main.push(id, words)
    }
  }

  /// Returns the oldest object of main without requests, without removing it; older ones are
  /// reinserted with their counters decremented. Main must not be empty. Amortised O(1) if the
  /// object is then removed.
  @inlinable @inline(__always) public mutating func spareMain() -> ObjectID {
    while true {
      let id = main.oldestEntry
      let counter = words[id] & ThreeQueues.counterMask
      if counter == 0 { return id }
      _ = main.popOldest()
      words[id] = ThreeQueues.inMain | (counter - ThreeQueues.one) | main.push(id, words)
    }
  }

  /// Removes the oldest object from the small queue, which must not be empty, without a ghost.
  @inlinable @inline(__always) public mutating func dropSmall(_ sizes: some ObjectSizes) -> ObjectID
  {
    let id = small.popOldest()
    smallWeight -= UInt64(sizes[id])
    words[id] = 0
    return id
  }

  /// Moves the oldest object of the small or main queue, which must not be empty, to the newest end
  /// of the small queue and resets its counter.
  @inlinable @inline(__always) public mutating func renewOldest(
    inSmall: Bool, _ sizes: some ObjectSizes
  ) {
    let id = inSmall ? small.popOldest() : main.popOldest()
    if !inSmall {
      mainWeight -= UInt64(sizes[id])
      smallWeight += UInt64(sizes[id])
    }
    words[id] = ThreeQueues.inSmall | small.push(id, words)
  }
}

/// Ghosts identified by slots, for caches that keep a ghost's key at its slot; ids belong to
/// residents. An object that becomes a ghost keeps its id until the cache calls `settle`, which it
/// does for all evicted objects, in order, before any other call.
extension ThreeQueues {
  // The counter of an evicted object without a slot; other ghosts have 0.
  @inlinable static var unsettled: UInt32 { one }

  /// Switches to ghosts in slots. Must be called before anything is stored.
  public mutating func placeGhosts() {
    placesGhosts = true
    limit.highest = ThreeQueues.ghostPlacesMax / 2
    if !countsBytes { ghostCapacity = min(ghostCapacity, UInt64(limit.highest)) }
    ghost = IDRing(capacity: 0)
    ghostSizes = Column(objects: 0)
  }

  /// Keeps no ghosts from now on; those in slots have been dropped.
  package mutating func closeGhosts() { ghostCapacity = 0 }

  /// Ghosts in slots.
  public var ghostCount: Int { Int(places.count) }

  /// Finalises the eviction of an object of a size: returns if it became a ghost, in which slot,
  /// and which ghost was dropped for it. O(1).
  @inlinable @inline(__always) public mutating func settle(
    _ id: ObjectID, _ size: UInt32
  ) -> GhostMove {
    let word = words[id]
    if word == 0 { return GhostMove(.forgotten) }
    assert(word & ThreeQueues.placeMask == ThreeQueues.inGhost, "\(id) is still resident")
    if word & ThreeQueues.counterMask == 0 {
      words[id] = 0
      return GhostMove(.ghost, place: word & ThreeQueues.positionMask)
    }
    let weight = countsBytes ? UInt64(size) : 1
    var dropped = GhostMove.nowhere
    if isGhostFull(for: weight) {
      dropped = dropGhost(at: nil)
      if isGhostFull(for: weight) { return GhostMove(.unfinished, dropped: dropped) }
    }
    if places.isFull(limit: countsBytes ? .max : ghostCapacity) {
      return GhostMove(.full, dropped: dropped)
    }
    let place = places.push()
    ghostUsed += weight
    if countsBytes { ghostSizes[place] = size }
    words[id] = 0
    return GhostMove(
      places.isCrowded ? .crowded : .ghost, place: place, dropped: dropped, next: places.oldest)
  }

  @inlinable @inline(__always) func isGhostFull(for weight: UInt64) -> Bool {
    ghostUsed + weight > ghostCapacity || (countsBytes && Int(places.count) >= limit.ghosts)
  }

  /// Gives the ghost in a slot an id, that of an unknown object, because it is requested.
  @inlinable @inline(__always) public mutating func recall(_ place: UInt32, as id: ObjectID) {
    assert(words[id] == 0 && places.isTaken(place))
    words[id] = ThreeQueues.inGhost | place
  }

  /// Forgets the ghost in a slot, or the oldest one; returns its slot.
  @inlinable @inline(__always) public mutating func dropGhost(at place: UInt32?) -> UInt32 {
    let dropped = place ?? places.popOldest()
    if place != nil { places.remove(at: dropped) }
    ghostUsed -= countsBytes ? UInt64(ghostSizes[dropped]) : 1
    return dropped
  }

  /// Adds ghost slots up to `wanted`, at most `ghostPlacesMax`, or closes the holes between ghosts
  /// if there are as many: O(places) in the worst case. Without a number it goes on closing holes,
  /// for 32 slots: O(1).
  public mutating func repackGhosts(
    places wanted: Int?, moved: (_ old: UInt32, _ new: UInt32) -> Void
  ) {
    guard let wanted else {
      return places.tidy { old, new in
        if countsBytes { ghostSizes[new] = ghostSizes[old] }
        moved(old, new)
      }
    }
    precondition(wanted <= ThreeQueues.ghostPlacesMax, "\(wanted) places for ghosts")
    if countsBytes { ghostSizes.reserve(objects: wanted) }
    places.repack(places: UInt32(wanted)) { old, new in
      if countsBytes { ghostSizes[new] = ghostSizes[old] }
      moved(old, new)
    }
  }

  /// The largest number of ghost slots.
  public static var ghostPlacesMax: Int { IDRing.entriesMax }
}
