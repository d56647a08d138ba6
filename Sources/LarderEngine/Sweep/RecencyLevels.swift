/// A list of objects by their last request, divided at several depths: what LRU caches of these
/// capacities hold, each what is in the divisions down to its own.
///
/// LRU caches of all capacities hold prefixes of one list (Mattson, Gecsei, Slutz and Traiger,
/// Evaluation techniques for storage hierarchies, IBM Systems Journal 1970). For a few capacities
/// it is enough to know the object at each border: when something comes in above a border, that
/// object moves to the next division. O(divisions passed) a request. Memory: 9 bytes an object.
struct RecencyLevels: ~Copyable {
  private var list: LinkedLists
  // The division of each object, from 1; 0 means that it is beyond the last border.
  private var levels: Column<UInt8>
  // For each division its depth and the object at that depth, `.none` while there is none.
  private var depths: Column<UInt32>
  private var borders: Column<ObjectID>
  private let count: Int
  /// Objects above the last border.
  private(set) var length: UInt32 = 0

  /// At most so many divisions.
  static var countMax: Int { 255 }

  /// An empty list for ids up to `objects`; depths ascend, and each is at least 1.
  init(depths: [UInt32], objects: Int) {
    precondition(1...Self.countMax ~= depths.count && depths == Set(depths).sorted())
    list = LinkedLists(objects: objects)
    levels = Column(objects: objects)
    self.depths = Column(objects: depths.count)
    borders = Column(objects: depths.count)
    count = depths.count
    for (place, depth) in depths.enumerated() { self.depths[UInt32(place + 1)] = depth }
  }

  /// Moves an object to the front. Returns the division in which it was, from 1, or 0.
  @inline(__always)
  mutating func use(_ id: ObjectID) -> Int {
    let level = levels[id]
    if level == 0 {
      enter(id)
    } else if list.front() != id {
      // The object ahead of one at a border is at the border when that has gone to the front.
      let border = UInt32(level)
      if borders[border] == id { borders[border] = list.ahead(of: id) }
      list.moveToFront(id)
      lowerBorders(above: border)
      levels[id] = 1
    }
    return Int(level)
  }

  /// Brings the object's state near.
  @inline(__always)
  func prefetch(_ id: ObjectID) {
    levels.prefetch(id)
    list.prefetch(id)
  }

  /// Brings what the object's state points to near.
  @inline(__always)
  func prefetchNeighbours(_ id: ObjectID) { list.prefetchNeighbours(id) }

  /// Memory held, in bytes.
  var bytes: Int { list.bytes + levels.bytes }

  /// Something came in above these borders: the object at each is now below it.
  @inline(__always)
  private mutating func lowerBorders(above end: UInt32) {
    var border: UInt32 = 1
    while border < end {
      let id = borders[border]
      border += 1
      levels[id] = UInt8(truncatingIfNeeded: border)
      let next = list.ahead(of: id)
      borders[border - 1] = next
      // It comes to be the one below the border before long.
      prefetch(next)
    }
  }

  @inline(__always)
  private mutating func enter(_ id: ObjectID) {
    list.pushFront(id)
    levels[id] = 1
    if length == depths[UInt32(count)] {
      let last = borders[UInt32(count)]
      lowerBorders(above: UInt32(count))
      borders[UInt32(count)] = list.ahead(of: last)
      list.remove(last)
      levels[last] = 0
      prefetch(borders[UInt32(count)])
    } else {
      fill()
    }
  }

  /// Something came in while not all divisions are full.
  private mutating func fill() {
    length += 1
    var border: UInt32 = 1
    while depths[border] < length { border += 1 }
    lowerBorders(above: border)
    if depths[border] == length { borders[border] = list.back() }
  }
}
