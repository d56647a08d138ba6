/// LRU in segments: each further request takes an object one segment up.
struct SLRU: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "slru", family: .recency,
    summary: "Equal LRU segments: a hit moves an object to the next segment up, what overflows there "
      + "cools to the one below, and the lowest evicts.",
    parameters: [
      PolicyParameter("segments", default: "4", "number of segments, 2 to 64"),
      PolicyParameter(
        "fill", default: "false",
        "true: a new object enters the lowest segment that still has room, not always the lowest, "
          + "and what cools into a full lowest segment evicts at once"),
    ],
    paper: "Karedla, Love and Wherry, Caching strategies to improve disk system performance, "
      + "Computer 1994; in several segments: Huang et al., An analysis of Facebook photo caching, "
      + "SOSP 2013")

  // Most recently requested at the front of each list; list 0 is the lowest segment.
  private var lists: LinkedLists
  private var segmentOf: Column<UInt8>
  private var used: [UInt64]
  private let segmentCapacity: UInt64
  private let fills: Bool
  // An object cooled into the lowest segment during this hit.
  private var cooledToLowest = false

  init(_ setup: PolicySetup) throws(PolicyError) {
    let segments = try setup.spec.integer("segments", default: 4, in: 2...64)
    fills = try setup.spec.flag("fill", default: false)
    lists = LinkedLists(lists: segments, objects: setup.objects)
    segmentOf = Column(objects: setup.objects)
    used = Array(repeating: 0, count: segments)
    segmentCapacity = max(1, setup.capacity / UInt64(segments))
  }

  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { lists.contains(id) }

  @inline(__always)
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    let id = request.id
    cooledToLowest = false
    let segment = Int(segmentOf[id])
    guard segment + 1 < used.count else {
      lists.moveToFront(id, list: UInt32(segment))
      return
    }
    let size = UInt64(sizes[id])
    // Larger than a whole segment: it could only displace everything above and still not fit.
    guard size <= segmentCapacity else {
      lists.moveToFront(id, list: UInt32(segment))
      return
    }
    used[segment] -= size
    makeRoom(for: size, in: segment + 1, sizes)
    lists.moveToFront(id, list: UInt32(segment + 1))
    enter(id, segment + 1, size)
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    hit(request, sizes)
    let segment = Int(segmentOf[request.id])
    used[segment] = used[segment] - UInt64(sizes[request.id]) + UInt64(request.size)
  }

  @inline(__always)
  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    var segment = 0
    while lists.back(list: UInt32(segment)) == .none { segment += 1 }
    let victim = lists.back(list: UInt32(segment))
    lists.remove(victim)
    used[segment] -= UInt64(sizes[victim])
    return victim
  }

  @inline(__always)
  var overflows: Bool { fills && cooledToLowest && used[0] > segmentCapacity }

  @inline(__always)
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    let size = UInt64(request.size)
    var segment = 0
    if fills, let roomy = used.firstIndex(where: { $0 + size <= segmentCapacity }) {
      segment = roomy
    }
    lists.pushFront(request.id, list: UInt32(segment))
    enter(request.id, segment, size)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    guard contains(id) else { return }
    used[Int(segmentOf[id])] -= UInt64(sizes[id])
    lists.remove(id)
  }

  mutating func reserve(objects: Int) {
    lists.reserve(objects: objects)
    segmentOf.reserve(objects: objects)
  }

  @inline(__always)
  func prefetch(_ id: ObjectID) {
    lists.prefetch(id)
    segmentOf.prefetch(id)
  }

  var stateBytes: Int { lists.bytes + segmentOf.bytes }

  @inline(__always)
  private mutating func enter(_ id: ObjectID, _ segment: Int, _ size: UInt64) {
    segmentOf[id] = UInt8(truncatingIfNeeded: segment)
    used[segment] += size
  }

  /// Cools the least recent objects of `segment`, and of those below it in turn, until `size` fits.
  /// The lowest segment takes what comes: only `evict` makes room there.
  private mutating func makeRoom(for size: UInt64, in segment: Int, _ sizes: some ObjectSizes) {
    guard segment > 0 else { return }
    while used[segment] + size > segmentCapacity {
      let cooled = lists.back(list: UInt32(segment))
      let cooledSize = UInt64(sizes[cooled])
      used[segment] -= cooledSize
      makeRoom(for: cooledSize, in: segment - 1, sizes)
      lists.moveToFront(cooled, list: UInt32(segment - 1))
      enter(cooled, segment - 1, cooledSize)
      if segment == 1 { cooledToLowest = true }
    }
  }
}
