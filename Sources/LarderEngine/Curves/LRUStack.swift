/// The LRU stack of a trace: all objects in the order of their latest requests. A cache of capacity
/// C holds the objects down to depth C (Mattson, Gecsei, Slutz and Traiger, IBM Systems Journal
/// 1970). A deletion or a use leaves a hole with the object's weight, and objects pushed on top
/// fill the topmost holes first (Thompson and Smith, ACM TOCS 1989). Exact for capacities of at
/// least the largest object.
struct LRUStack<Order: RecencyOrder & ~Copyable>: ~Copyable {
  private var order: Order
  // The position of each object's latest request plus one; 0 for an object that is not in the
  // stack.
  private var places: Column<UInt32>
  // The positions of holes: the topmost, which has the largest position, is filled first.
  private var holes = MaxHeap<UInt32>()
  // Positions for each live one after a renumbering. (With 1 M objects, 2 is half as fast.)
  private static var slack: Int { 4 }
  private static var positionsMax: Int { 1 << 32 - 1 << 16 }
  static var objectsMax: Int { positionsMax / 2 }

  init(objects: Int) {
    order = Order(room: 1 << 10)
    places = Column(objects: objects)
  }

  static func check(objects: Int) throws(PolicyError) {
    if objects > objectsMax {
      throw .badSetup(
        "stack distances: objects", "\(objects)",
        expected: "at most \(objectsMax); take a sample of the trace")
    }
  }

  static func room(live: Int) -> Int {
    precondition(live <= objectsMax, "\(live) positions of an LRU stack")
    return min(max(1 << 16, live * slack), positionsMax)
  }

  /// Moves or adds an object to the top. Returns its previous weight and the depth that a cache
  /// must reach for a hit; nil for an object that was not in the stack.
  @inline(__always) mutating func use(_ id: ObjectID, weight: UInt32) -> (
    depth: UInt64, weight: UInt32
  )? {
    if order.isFull { renumber() }
    let place = places[id]
    guard place != 0 else {
      places[id] = order.append(weight) &+ 1
      if !holes.isEmpty { fillHoles(weight) }
      return nil
    }
    let position = place &- 1
    let depth = order.total &- order.before(position)
    let old = order.weight(position)
    if holes.isEmpty, old == weight {
      order.remove(position)
      places[id] = order.append(weight) &+ 1
    } else {
      holes.insert(position)
      places[id] = order.append(weight) &+ 1
      fillHoles(weight)
    }
    return (depth, old)
  }

  mutating func delete(_ id: ObjectID) {
    guard places[id] != 0 else { return }
    holes.insert(places[id] - 1)
    places[id] = 0
  }

  mutating func forget(_ id: ObjectID) {
    guard places[id] != 0 else { return }
    order.remove(places[id] - 1)
    places[id] = 0
  }

  @inline(__always) func prefetch(_ id: ObjectID) { places.prefetch(id) }

  @inline(__always) func prefetchPosition(_ id: ObjectID) {
    let place = places[id]
    order.prefetch(place == 0 ? 0 : place &- 1)
  }

  private mutating func fillHoles(_ weight: UInt32) {
    var weight = weight
    while !holes.isEmpty {
      let hole = holes.largest
      let room = order.weight(hole)
      if room > weight {
        if weight > 0 { order.lighten(hole, by: weight) }
        return
      }
      order.remove(hole)
      holes.removeLargest()
      weight -= room
    }
  }

  private mutating func renumber() {
    order.makeRanks()
    var live = 0
    var id: ObjectID = 1
    while Int(id) <= places.objects {
      let place = places[id]
      if place != 0 {
        places[id] = order.rank(place - 1) + 1
        live += 1
      }
      id += 1
    }
    for place in holes.elements.indices {
      holes.elements[place] = order.rank(holes.elements[place])
    }
    order.renumber(room: Self.room(live: live + holes.count))
  }
}

/// The order of the latest requests: positions 0, 1, 2 ... A position is live, with a weight, while
/// it holds the latest request of an object. The order-statistic structure of a stack distance.
protocol RecencyOrder: ~Copyable {
  init(room: Int)

  static var weighs: Bool { get }

  /// True if `renumber` must be called before the next `append`.
  var isFull: Bool { get }

  var total: UInt64 { get }

  mutating func append(_ weight: UInt32) -> UInt32

  func weight(_ position: UInt32) -> UInt32

  func before(_ position: UInt32) -> UInt64

  mutating func remove(_ position: UInt32)

  /// Reduces the weight of a live position, which stays positive.
  mutating func lighten(_ position: UInt32, by weight: UInt32)

  mutating func makeRanks()

  func rank(_ position: UInt32) -> UInt32

  /// Renumbers the live positions from 0 on, in order of their ranks before the call, and makes
  /// room for `room` positions. O(`room`); called after `makeRanks`.
  mutating func renumber(room: Int)

  func prefetch(_ position: UInt32)
}

/// A bit for each position of a stream, set for the latest request of an object, with sums of the
/// bits before each part of 64 positions, 32 of these, 32 of those and so on (Bennett and Kruskal,
/// LRU Stack Processing, 1975). When positions run out, the live ones are renumbered.
struct RecencyBits: RecencyOrder, ~Copyable {
  private var words: Column<UInt64>
  private var wordSums: Column<UInt16>
  private var groupSums: Column<UInt16>
  private var blockSums: Column<UInt32>
  private var sectionSums: Column<UInt32>
  private var sections: UInt32
  private var live = 0
  private var end = 0
  private let room: Int

  private static var blockSize: Int { 1 << 16 }

  init(room wanted: Int) {
    let blockCount = max(1, (wanted + Self.blockSize - 1) / Self.blockSize)
    let sectionCount = (blockCount + 31) / 32
    room = blockCount * Self.blockSize
    sections = UInt32(sectionCount)
    words = Column(objects: blockCount << 10)
    wordSums = Column(objects: blockCount << 10)
    groupSums = Column(objects: blockCount << 5)
    blockSums = Column(objects: sectionCount << 5)
    sectionSums = Column(objects: sectionCount)
  }

  @inline(__always) var isFull: Bool { end == room }

  @inline(__always) var total: UInt64 { UInt64(truncatingIfNeeded: live) }

  static var weighs: Bool { false }

  @inline(__always) func weight(_ position: UInt32) -> UInt32 { 1 }

  @inline(__always) func before(_ position: UInt32) -> UInt64 { UInt64(rank(position)) }

  // All weights are 1.
  mutating func lighten(_ position: UInt32, by weight: UInt32) {}

  mutating func makeRanks() {}

  @inline(__always) mutating func append(_ weight: UInt32) -> UInt32 {
    let position = UInt32(truncatingIfNeeded: end)
    if position & 63 == 0 { beginWord(position) }
    words[position >> 6] |= 1 << UInt64(position & 63)
    live &+= 1
    end &+= 1
    return position
  }

  @inline(__always) func rank(_ position: UInt32) -> UInt32 {
    let below = words[position >> 6] & ((1 << UInt64(position & 63)) &- 1)
    return sectionSums[position >> 21] &+ blockSums[position >> 16]
      &+ UInt32(groupSums[position >> 11]) &+ UInt32(wordSums[position >> 6])
      &+ UInt32(truncatingIfNeeded: below.nonzeroBitCount)
  }

  @inline(__always) mutating func remove(_ position: UInt32) {
    words[position >> 6] ^= 1 << UInt64(position & 63)
    Self.lower(wordSums, after: position >> 6)
    Self.lower(groupSums, after: position >> 11)
    Self.lower(blockSums, after: position >> 16)
    var later = (position >> 21) &+ 1
    while later < sections {
      sectionSums[later] &-= 1
      later &+= 1
    }
    live &-= 1
  }

  @inline(__always) func prefetch(_ position: UInt32) {
    words.prefetch(position >> 6)
    wordSums.prefetch((position >> 6) & ~31)
  }

  mutating func renumber(room wanted: Int) {
    let count = live
    self = RecencyBits(room: wanted)
    for _ in 0..<count { _ = append(1) }
  }

  private mutating func beginWord(_ position: UInt32) {
    var before = UInt32(truncatingIfNeeded: live)
    if position & (1 << 21 - 1) == 0 { sectionSums[position >> 21] = before }
    before &-= sectionSums[position >> 21]
    if position & (1 << 16 - 1) == 0 { blockSums[position >> 16] = before }
    before &-= blockSums[position >> 16]
    if position & (1 << 11 - 1) == 0 {
      groupSums[position >> 11] = UInt16(truncatingIfNeeded: before)
    }
    before &-= UInt32(groupSums[position >> 11])
    wordSums[position >> 6] = UInt16(truncatingIfNeeded: before)
  }

  @inline(__always) private static func lower<Sum: FixedWidthInteger & BitwiseCopyable>(
    _ sums: borrowing Column<Sum>, after part: UInt32
  ) {
    // A loop of fixed length over contiguous memory, which compiles to vector instructions.
    let family = sums.row(from: part & ~31, count: 32)
    let place = Sum(truncatingIfNeeded: part & 31)
    for lane in 0..<32 {
      family[lane] &-= Sum(truncatingIfNeeded: lane) > place ? 1 : 0
    }
  }
}

/// `RecencyBits` for objects of different sizes: sums of the weights before each part, 32 parts to
/// one. About 4.5 bytes a position.
struct RecencyWeights: RecencyOrder, ~Copyable {
  private var weights: Column<UInt32>
  // A bit for each position, because a weight may be 0.
  private var isLive: Column<UInt32>
  private var ranks: Column<UInt32>
  private var leafSums: Column<UInt64>
  private var blockSums: Column<UInt64>
  private var areaSums: Column<UInt64>
  private var sectionSums: Column<UInt64>
  private let sections: UInt32
  private var live = 0
  private var end = 0
  private let room: Int
  private(set) var total: UInt64 = 0

  private static var blockSize: Int { 1 << 10 }

  init(room wanted: Int) {
    let blockCount = max(1, (wanted + Self.blockSize - 1) / Self.blockSize)
    let areaCount = (blockCount + 31) / 32
    let sectionCount = (areaCount + 31) / 32
    room = blockCount * Self.blockSize
    sections = UInt32(sectionCount)
    weights = Column(objects: room)
    isLive = Column(objects: room >> 5)
    ranks = Column(objects: 0)
    leafSums = Column(objects: blockCount << 5)
    blockSums = Column(objects: areaCount << 5)
    areaSums = Column(objects: sectionCount << 5)
    sectionSums = Column(objects: sectionCount)
  }

  static var weighs: Bool { true }

  @inline(__always) var isFull: Bool { end == room }

  @inline(__always) mutating func append(_ weight: UInt32) -> UInt32 {
    let position = UInt32(truncatingIfNeeded: end)
    if position & 31 == 0 { beginLeaf(position) }
    weights[position] = weight
    isLive[position >> 5] |= 1 << (position & 31)
    total &+= UInt64(weight)
    live &+= 1
    end &+= 1
    return position
  }

  @inline(__always) func weight(_ position: UInt32) -> UInt32 { weights[position] }

  @inline(__always) func before(_ position: UInt32) -> UInt64 {
    let leaf = weights.row(from: position & ~31, count: 32)
    let place = position & 31
    var sum: UInt64 = 0
    for lane in UInt32(0)..<32 { sum &+= lane < place ? UInt64(leaf[Int(lane)]) : 0 }
    return sum &+ leafSums[position >> 5] &+ blockSums[position >> 10]
      &+ areaSums[position >> 15] &+ sectionSums[position >> 20]
  }

  @inline(__always) mutating func remove(_ position: UInt32) {
    let weight = weights[position]
    isLive[position >> 5] ^= 1 << (position & 31)
    live &-= 1
    weights[position] = 0
    lower(position, by: weight)
  }

  mutating func lighten(_ position: UInt32, by weight: UInt32) {
    weights[position] -= weight
    lower(position, by: weight)
  }

  mutating func makeRanks() {
    ranks = Column(objects: room >> 5)
    var count: UInt32 = 0
    for word in 0..<UInt32(room >> 5) {
      ranks[word] = count
      count += UInt32(isLive[word].nonzeroBitCount)
    }
  }

  func rank(_ position: UInt32) -> UInt32 {
    let below = isLive[position >> 5] & ((1 << (position & 31)) &- 1)
    return ranks[position >> 5] + UInt32(below.nonzeroBitCount)
  }

  mutating func renumber(room wanted: Int) {
    var packed = RecencyWeights(room: wanted)
    for position in 0..<UInt32(truncatingIfNeeded: end)
    where isLive[position >> 5] >> (position & 31) & 1 == 1 {
      _ = packed.append(weights[position])
    }
    self = packed
  }

  @inline(__always) func prefetch(_ position: UInt32) {
    weights.prefetch(position & ~31)
    leafSums.prefetch(position >> 5)
  }

  private mutating func beginLeaf(_ position: UInt32) {
    var before = total
    if position & (1 << 20 - 1) == 0 { sectionSums[position >> 20] = before }
    before &-= sectionSums[position >> 20]
    if position & (1 << 15 - 1) == 0 { areaSums[position >> 15] = before }
    before &-= areaSums[position >> 15]
    if position & (1 << 10 - 1) == 0 { blockSums[position >> 10] = before }
    before &-= blockSums[position >> 10]
    leafSums[position >> 5] = before
  }

  @inline(__always) private mutating func lower(_ position: UInt32, by weight: UInt32) {
    let weight = UInt64(weight)
    total &-= weight
    Self.lower(leafSums, after: position >> 5, by: weight)
    Self.lower(blockSums, after: position >> 10, by: weight)
    Self.lower(areaSums, after: position >> 15, by: weight)
    var later = (position >> 20) &+ 1
    while later < sections {
      sectionSums[later] &-= weight
      later &+= 1
    }
  }

  @inline(__always) private static func lower(
    _ sums: borrowing Column<UInt64>, after part: UInt32, by weight: UInt64
  ) {
    let family = sums.row(from: part & ~31, count: 32)
    var lane = Int(part & 31) + 1
    while lane < 32 {
      family[lane] &-= weight
      lane += 1
    }
  }
}
