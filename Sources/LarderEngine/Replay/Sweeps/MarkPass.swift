/// Caches of up to eight capacities in which a hit does nothing but mark an object, in one pass.
///
/// Two bits of state for each object and capacity are next to each other: a request marks the
/// object in all caches at once, and only those without it are visited. Memory: 2 bytes an object,
/// and 4 for each place of a queue.
struct MarkPass<Lane: MarkLane>: CapacityPass, ~Copyable {
  private let memory: MarkLanes
  private var lanes: Column<Lane>
  private var misses: Column<UInt64>
  private let count: Int

  private static var lookahead: Int { 16 }

  /// Empty caches; nil where they would need more places than there are numbers. A capacity beyond
  /// `objects` is as good as that.
  init?(capacities: [UInt64], objects: Int) {
    guard capacities.count <= MarkLanes.countMax, objects < IDRing.entriesMax else { return nil }
    let limits = capacities.map { UInt32(min($0, UInt64(max(objects, 1)))) }
    let places = limits.reduce(0) { $0 + Int(Lane.places(for: $1)) }
    guard places <= Int(ObjectID.max) else { return nil }
    count = limits.count
    lanes = Column(objects: limits.count)
    misses = Column(objects: limits.count)
    memory = MarkLanes(objects: objects, places: places)
    var start: UInt32 = 0
    for (lane, limit) in limits.enumerated() {
      lanes[UInt32(lane)] = Lane(capacity: limit, start: start)
      start += Lane.places(for: limit)
    }
  }

  mutating func replay(_ columns: RequestColumns, from start: Int, to end: Int) {
    let (ids, last) = (columns.ids, columns.count - 1)
    let all = UInt16((1 << count) - 1)
    for index in start..<end {
      memory.prefetch(ids[min(index + Self.lookahead, last)])
      let id = ids[index]
      var missing = ~memory.mark(id) & all
      while missing != 0 {
        let lane = UInt16(truncatingIfNeeded: missing.trailingZeroBitCount)
        missing &= missing &- 1
        misses[UInt32(lane)] += 1
        lanes[UInt32(lane)].store(id, in: memory, lane: lane)
      }
    }
  }

  var tallies: [CapacityTally] {
    (0..<UInt32(count)).map { lane in
      CapacityTally(misses: misses[lane], residents: UInt64(lanes[lane].count))
    }
  }

  var bytes: Int { memory.bytes + lanes.bytes }
}

/// One cache of a `MarkPass`: a queue of objects of which a hit marks one, and which gives up the
/// first that it comes to without a mark.
///
/// Whether an object is resident and marked is in a word of the object's, a bit for each lane; the
/// objects in order are in a part of memory that all lanes share.
protocol MarkLane: BitwiseCopyable {
  /// The resident objects.
  var count: UInt32 { get }

  /// An empty cache whose places begin at `start`.
  init(capacity: UInt32, start: UInt32)

  /// How many places a cache needs.
  static func places(for capacity: UInt32) -> UInt32

  /// Stores an object that is not resident, for which another is given up if there is no room.
  mutating func store(_ id: ObjectID, in memory: borrowing MarkLanes, lane: UInt16)
}

/// What the caches of a `MarkPass` share.
struct MarkLanes: ~Copyable {
  /// At most so many caches.
  static var countMax: Int { 8 }

  // Of each object, a bit for each lane in which it is resident, and above them one for each in
  // which it is marked.
  private var words: Column<UInt16>
  private var places: Column<ObjectID>

  /// Nothing resident.
  init(objects: Int, places: Int) {
    words = Column(objects: objects)
    self.places = Column(objects: places)
  }

  /// Memory held, in bytes.
  var bytes: Int { words.bytes + places.bytes }

  /// Brings an object's word near.
  @inline(__always) func prefetch(_ id: ObjectID) { words.prefetch(id) }

  /// Marks the object in all lanes in which it is resident. Returns a bit for each of them.
  @inline(__always) func mark(_ id: ObjectID) -> UInt16 {
    let word = words[id]
    let residents = word & 255
    words[id] = word | residents &<< 8
    return residents
  }

  /// The object at a place.
  @inline(__always) subscript(place: UInt32) -> ObjectID {
    get { places[place] }
    nonmutating set { places[place] = newValue }
  }

  /// The object is now resident, without a mark.
  @inline(__always) func enter(_ id: ObjectID, lane: UInt16) { words[id] |= 1 &<< lane }

  /// Takes a resident object's mark, and says whether there was one; otherwise it is no longer
  /// resident.
  @inline(__always) func spare(_ id: ObjectID, lane: UInt16) -> Bool {
    let word = words[id]
    let isMarked = word & 256 &<< lane != 0
    words[id] = word & ~((isMarked ? 256 : 1) &<< lane)
    return isMarked
  }
}

/// A CLOCK cache: objects in a circle, and a hand. The new object takes the place of the old.
struct ClockLane: MarkLane {
  private let start: UInt32
  private let capacity: UInt32
  private(set) var count: UInt32 = 0
  private var hand: UInt32 = 0

  init(capacity: UInt32, start: UInt32) {
    self.capacity = capacity
    self.start = start
  }

  static func places(for capacity: UInt32) -> UInt32 { capacity }

  @inline(__always) mutating func store(
    _ id: ObjectID, in memory: borrowing MarkLanes, lane: UInt16
  ) {
    memory.enter(id, lane: lane)
    if count < capacity {
      memory[start + count] = id
      count += 1
      return
    }
    while memory.spare(memory[start + hand], lane: lane) { advance() }
    memory[start + hand] = id
    advance()
    // It is asked for its mark before long.
    memory.prefetch(memory[start + (hand + 4 < capacity ? hand + 4 : 0)])
  }

  @inline(__always) private mutating func advance() {
    hand += 1
    if hand == capacity { hand = 0 }
  }
}

/// A SIEVE cache: a queue with a hand, as `SweepQueue` has it, from which nothing is taken out but
/// by the hand.
///
///     | survivors ... | gap ... | hand -> not yet passed ... newest |
struct SieveLane: MarkLane {
  private let start: UInt32
  private let mask: UInt32
  private let capacity: UInt32
  private(set) var count: UInt32 = 0
  // Positions count up without end; a place is a position modulo the ring's size.
  private var survivors: UInt32 = 0
  private var survivorsEnd: UInt32 = 0
  private var hand: UInt32 = 0
  private var newest: UInt32 = 0

  init(capacity: UInt32, start: UInt32) {
    self.capacity = capacity
    self.start = start
    mask = Self.places(for: capacity) - 1
  }

  /// Half as many again, so that the gap is seldom closed early.
  static func places(for capacity: UInt32) -> UInt32 {
    var places: UInt32 = 16
    while places < capacity + capacity / 2 { places *= 2 }
    return places
  }

  @inline(__always) mutating func store(
    _ id: ObjectID, in memory: borrowing MarkLanes, lane: UInt16
  ) {
    memory.enter(id, lane: lane)
    if count < capacity { count += 1 } else { giveUp(memory, lane) }
    if newest &- survivors > mask { closeGap(memory) }
    memory[place(newest)] = id
    newest = newest &+ 1
  }

  @inline(__always) private func place(_ position: UInt32) -> UInt32 { start + position & mask }

  @inline(__always) private mutating func giveUp(_ memory: borrowing MarkLanes, _ lane: UInt16) {
    while true {
      let id = memory[place(hand)]
      memory.prefetch(memory[place(hand &+ 4)])
      let isSpared = memory.spare(id, lane: lane)
      if isSpared {
        memory[place(survivorsEnd)] = id
        survivorsEnd = survivorsEnd &+ 1
      }
      hand = hand &+ 1
      if hand == newest { startOver() }
      if !isSpared { return }
    }
  }

  private mutating func startOver() {
    hand = survivors
    newest = survivorsEnd
    survivorsEnd = survivors
  }

  /// Moves the survivors up to the hand.
  @inline(never) private mutating func closeGap(_ memory: borrowing MarkLanes) {
    var target = hand
    var position = survivorsEnd
    while position != survivors {
      position = position &- 1
      target = target &- 1
      memory[place(target)] = memory[place(position)]
    }
    survivors = target
    survivorsEnd = hand
  }
}
