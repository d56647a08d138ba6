/// A small queue, a main one and a ghost, with a request counter for each object: what S3-FIFO,
/// QD-LP-FIFO and their relatives have in common. The policies say what moves between the queues,
/// and when.
///
/// One word an object answers where it is, at which position, and how often it was requested. The
/// sizes of ghosts are kept where sizes differ: the cache has forgotten them. Memory: 4 bytes an
/// object, 4 more for byte capacities, and 4 for each place in a queue. All operations are O(1),
/// amortised.
public struct ThreeQueues: ~Copyable {
  // Where an object is, in the top two bits of its word; zero is nowhere.
  @inlinable static var inSmall: UInt32 { 1 << 30 }
  @inlinable static var inMain: UInt32 { 2 << 30 }
  @inlinable static var inGhost: UInt32 { 3 << 30 }
  @inlinable static var placeMask: UInt32 { 3 << 30 }
  // How often it was requested, up to three, in the next two.
  @inlinable static var one: UInt32 { 1 << 28 }
  @inlinable static var counterMask: UInt32 { 3 << 28 }
  // The position in its queue below.
  @inlinable static var positionMask: UInt32 { IDRing.positionLimit - 1 }

  @usableFromInline var words: SharedColumn
  @usableFromInline var small: IDRing
  @usableFromInline var main: IDRing
  @usableFromInline var ghost: IDRing
  @usableFromInline var ghostSizes: Column<UInt32>
  @usableFromInline let countsBytes: Bool
  /// What the objects in the small queue weigh.
  @inlinable @inline(__always) public var smallUsed: UInt64 { smallWeight }
  @usableFromInline var smallWeight: UInt64 = 0
  /// What the objects in the main queue weigh.
  @inlinable @inline(__always) public var mainUsed: UInt64 { mainWeight }
  @usableFromInline var mainWeight: UInt64 = 0
  @usableFromInline var ghostUsed: UInt64 = 0
  @usableFromInline var limit: GhostLimit
  /// The share of the small queue.
  public let smallCapacity: UInt64
  /// The share of the main queue.
  public let mainCapacity: UInt64
  @usableFromInline let ghostCapacity: UInt64
  @usableFromInline var forgotten = ObjectID.none
  // Whether ghosts are in `places`, and then the sizes by place: see ThreeQueues+Places.
  @usableFromInline var placesGhosts = false
  @usableFromInline var places = GhostPlaces(places: 0)

  /// Empty queues, of which small gets `smallShare` of the capacity, at least 1, and main the rest.
  ///
  /// - Throws: `capacity` for more objects than a queue has positions.
  public init(_ setup: PolicySetup, smallShare: Double, ghostShare: Double) throws(PolicyError) {
    try self.init(
      setup, small: max(1, UInt64(Double(setup.capacity) * smallShare)),
      ghosts: UInt64(Double(setup.capacity) * ghostShare))
  }

  /// Empty queues, of which small gets `small` of the capacity and main the rest; ghosts weigh at
  /// most `ghosts`, and where sizes differ are at most `ghostsPerResident` for each resident
  /// object.
  ///
  /// - Throws: `capacity` for more objects than a queue has positions.
  public init(
    _ setup: PolicySetup, small: UInt64, ghosts: UInt64,
    ghostsPerResident: Int = GhostLimit.usualPerResident
  ) throws(PolicyError) {
    try setup.requireQueueable()
    smallCapacity = small
    mainCapacity = setup.capacity - small
    // The ghosts of objects that all weigh 1 are as many as they weigh: the queue has to hold them.
    ghostCapacity = setup.unit == .bytes ? ghosts : min(ghosts, UInt64(IDRing.entriesMax))
    limit = GhostLimit(perResident: ghostsPerResident)
    words = SharedColumn(objects: setup.objects)
    countsBytes = setup.unit == .bytes
    ghostSizes = Column(objects: countsBytes ? setup.objects : 0)
    self.small = IDRing(capacity: setup.expectedResidents / 8)
    main = IDRing(capacity: setup.expectedResidents)
    ghost = IDRing(capacity: setup.expectedResidents)
  }

  /// Whether the object is in small or in main.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool {
    let place = words[id] & ThreeQueues.placeMask
    return place == ThreeQueues.inSmall || place == ThreeQueues.inMain
  }

  /// Whether the object is in any of the three.
  @inlinable @inline(__always) public func remembers(_ id: ObjectID) -> Bool { words[id] != 0 }

  /// Whether small holds nothing.
  @inlinable @inline(__always) public var isSmallEmpty: Bool { small.count == 0 }

  /// Whether main holds nothing.
  @inlinable @inline(__always) public var isMainEmpty: Bool { main.count == 0 }

  /// What will be evicted next if it is one of the oldest few in small, or in main where that holds
  /// more than its share; otherwise what is oldest, or `.none` where a hole is in its place.
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

  /// How other threads do what `contains` and `count` do.
  public var counting: HitWords {
    HitWords(
      words.base, objects: words.objects,
      residents: ThreeQueues.inSmall...ThreeQueues.inGhost - 1,
      counter: ThreeQueues.counterMask, highest: ThreeQueues.counterMask, step: ThreeQueues.one)
  }

  /// At most how many ghosts there are; where sizes differ that depends on how many objects will be
  /// resident.
  public var ghostsMax: Int { countsBytes ? .max : Int(min(ghostCapacity, 1 << 40)) }

  /// The ghost that was forgotten last, once; `.none` where none was.
  @inlinable @inline(__always) public mutating func takeForgotten() -> ObjectID {
    defer { forgotten = .none }
    return forgotten
  }

  /// Gives a resident object another size.
  public mutating func resize(_ id: ObjectID, from old: UInt32, to new: UInt32) {
    if words[id] & ThreeQueues.placeMask == ThreeQueues.inSmall {
      smallWeight = smallUsed - UInt64(old) + UInt64(new)
    } else {
      mainWeight = mainUsed - UInt64(old) + UInt64(new)
    }
  }

  /// Takes an object that is not resident out of the ghosts, if it is there, and says whether it
  /// was.
  @inlinable @inline(__always) public mutating func forgetGhost(_ id: ObjectID) -> Bool {
    let word = words[id]
    if word != 0 { forgetGhost(id, word) }
    return word != 0
  }

  /// Puts an object that is in none of the three into small.
  @inlinable @inline(__always) public mutating func pushSmall(_ id: ObjectID, _ size: UInt32) {
    smallWeight += UInt64(size)
    words[id] = ThreeQueues.inSmall | small.push(id, words)
  }

  /// Puts an object that is in none of the three into main.
  @inlinable @inline(__always) public mutating func pushMain(_ id: ObjectID, _ size: UInt32) {
    mainWeight += UInt64(size)
    words[id] = ThreeQueues.inMain | main.push(id, words)
  }

  /// Takes the oldest out of small, which must not be empty. With more than `limit` requests it
  /// goes on to main, its counter at 0, and the answer is `.none`; otherwise it leaves a ghost, and
  /// is the answer.
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

  /// Takes the oldest object without requests out of main, which must not be empty; older ones go
  /// round again, their counters lowered by 1, or to 0.
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

  /// Takes the object out of whichever queue it is in, if any.
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

  /// Brings the object's word near.
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
      forgotten = oldest
    }
    ghostUsed += size
    if countsBytes { ghostSizes[id] = UInt32(truncatingIfNeeded: size) }
    words[id] = ThreeQueues.inGhost | ghost.push(id, words)
  }

  @inlinable @inline(__always) mutating func forgetGhost(_ id: ObjectID, _ word: UInt32) {
    if placesGhosts {
      dropGhost(at: word & ThreeQueues.positionMask)
    } else {
      ghost.remove(at: word & ThreeQueues.positionMask)
      ghostUsed -= countsBytes ? UInt64(ghostSizes[id]) : 1
    }
    words[id] = 0
  }
}

/// For policies that look at what they would evict before they do, and may keep it after all.
extension ThreeQueues {
  /// Objects in small.
  @inlinable @inline(__always) public var smallCount: Int { small.count }

  /// Whether the object is in small.
  @inlinable @inline(__always) public func isInSmall(_ id: ObjectID) -> Bool {
    words[id] & ThreeQueues.placeMask == ThreeQueues.inSmall
  }

  /// What is oldest in small; `.none` where a hole is in its place.
  @inlinable @inline(__always) public var smallCandidate: ObjectID { small.oldestPlace }

  /// What is oldest in main; `.none` where a hole is in its place.
  @inlinable @inline(__always) public var mainCandidate: ObjectID { main.oldestPlace }

  /// The oldest object in small with at most `limit` requests, which stays there; older ones go on
  /// to main with their counters. `.none` where small is empty then. Amortised O(1), if what is
  /// found is then taken out.
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

  /// The oldest object in main without requests, which stays there; older ones go round again,
  /// their counters lowered by 1. Main must not be empty. Amortised O(1), as above.
  @inlinable @inline(__always) public mutating func spareMain() -> ObjectID {
    while true {
      let id = main.oldestEntry
      let counter = words[id] & ThreeQueues.counterMask
      if counter == 0 { return id }
      _ = main.popOldest()
      words[id] = ThreeQueues.inMain | (counter - ThreeQueues.one) | main.push(id, words)
    }
  }

  /// Takes the oldest out of small, which must not be empty, and leaves no ghost of it.
  @inlinable @inline(__always) public mutating func dropSmall(_ sizes: some ObjectSizes) -> ObjectID
  {
    let id = small.popOldest()
    smallWeight -= UInt64(sizes[id])
    words[id] = 0
    return id
  }

  /// Makes the oldest of small or of main, which must not be empty, the newest of small, as if it
  /// had never been requested. It is resident all the while, also to other threads.
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

/// Ghosts that are known by their places, for caches that keep keys: of a ghost such a cache has
/// the key alone, at the ghost's place, and ids are those of resident objects. The order in which
/// ghosts come and go is the same.
///
/// An object that leaves a ghost keeps its id until the cache asks what became of it (`settle`).
/// Before anything else is asked of the policy the cache does so for all that have left, in the
/// order in which they left.
extension ThreeQueues {
  // The counter of an object that has left and has no place yet; others in the ghost have 0.
  @inlinable static var unsettled: UInt32 { one }

  /// Ghosts are known by their places from now on. Nothing must have been stored.
  public mutating func placeGhosts() {
    placesGhosts = true
    ghost = IDRing(capacity: 0)
    ghostSizes = Column(objects: 0)
  }

  /// Ghosts that have a place.
  public var ghostCount: Int { Int(places.count) }

  /// Says what became of an object of a size that is no longer resident: whether it is a ghost,
  /// where, and which one had to go for it. The id is free afterwards. A ghost that came back and
  /// was not stored is where it was. O(1).
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
      dropped = places.popOldest()
      ghostUsed -= countsBytes ? UInt64(ghostSizes[dropped]) : 1
      if isGhostFull(for: weight) { return GhostMove(.unfinished, dropped: dropped) }
    }
    if places.isFull { return GhostMove(.full, dropped: dropped) }
    let place = places.push()
    ghostUsed += weight
    if countsBytes { ghostSizes[place] = size }
    words[id] = 0
    return GhostMove(.ghost, place: place, dropped: dropped, next: places.oldest)
  }

  @inlinable @inline(__always) func isGhostFull(for weight: UInt64) -> Bool {
    ghostUsed + weight > ghostCapacity || (countsBytes && Int(places.count) >= limit.ghosts)
  }

  /// The ghost at a place has an id again, that of an object of which nothing is known, because it
  /// is requested.
  @inlinable @inline(__always) public mutating func recall(_ place: UInt32, as id: ObjectID) {
    assert(words[id] == 0 && places.isTaken(place))
    words[id] = ThreeQueues.inGhost | place
  }

  /// Forgets the ghost at a place.
  @inlinable @inline(__always) public mutating func dropGhost(at place: UInt32) {
    places.remove(at: place)
    ghostUsed -= countsBytes ? UInt64(ghostSizes[place]) : 1
  }

  /// Has so many places for ghosts from now on, at most `ghostPlacesMax` and no fewer than there
  /// are ghosts, without holes between them. Tells of every ghost whose place is another one, from
  /// the oldest to the newest; with as many places as before the new one is free by then.
  /// O(places).
  public mutating func repackGhosts(
    places wanted: Int, moved: (_ old: UInt32, _ new: UInt32) -> Void
  ) {
    precondition(wanted <= ThreeQueues.ghostPlacesMax, "\(wanted) places for ghosts")
    guard countsBytes else { return places.repack(places: UInt32(wanted), moved: moved) }
    let sizes = Column<UInt32>(objects: wanted)
    if wanted == Int(places.places) {
      for place in 0..<places.places where places.isTaken(place) {
        sizes[place] = ghostSizes[place]
      }
    }
    places.repack(places: UInt32(wanted)) { old, new in
      sizes[new] = ghostSizes[old]
      moved(old, new)
    }
    ghostSizes = sizes
  }

  /// At most so many places for ghosts.
  public static var ghostPlacesMax: Int { IDRing.entriesMax }
}
