import LarderEngine

extension RegisteredPolicy {
  package static let slru = RegisteredPolicy(SLRU.self)
}

/// Segmented LRU: each further request moves an object one segment up.
struct SLRU: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "slru", family: .recency, traits: [.namesVictim, .evictsOnHit],
    summary: "Equal LRU segments: a hit moves an object up one segment, overflow moves down one "
      + "segment, and the lowest segment evicts.",
    parameters: [
      PolicyParameter(
        "segments", default: "4", searched: ["2", "4", "8"], "number of segments, 2 to 64"),
      PolicyParameter(
        "fill", default: "false",
        "true: a new object enters the lowest segment with room instead of always the lowest, "
          + "and overflow into a full lowest segment evicts at once"),
    ],
    paper: "Karedla, Love and Wherry, Caching strategies to improve disk system performance, "
      + "Computer 1994; in several segments: Huang et al., An analysis of Facebook photo caching, "
      + "SOSP 2013")

  // Most recently requested at the front of each list; list 0 is the lowest segment.
  private var lists: LinkedLists
  private var segmentOf: Column<UInt8>
  // Weight of the objects in each segment.
  private var used: Column<UInt64>
  private let segments: UInt32
  private let segmentCapacity: UInt64
  private let fills: Bool
  // True if an object cooled into the lowest segment during this hit.
  private var cooledToLowest = false
  // The object being replaced; the cache still counts its old size.
  private var resized = Request.none

  init(_ setup: PolicySetup) throws(PolicyError) {
    let segments = try setup.spec.integer("segments", default: 4, in: 2...64)
    fills = try setup.spec.flag("fill", default: false)
    lists = LinkedLists(lists: segments, objects: setup.objects)
    segmentOf = Column(objects: setup.objects)
    used = Column(objects: segments)
    self.segments = UInt32(segments)
    segmentCapacity = max(1, setup.capacity / UInt64(segments))
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { lists.contains(id) }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    let segment = UInt32(segmentOf[request.id])
    if segment + 1 == segments {
      cooledToLowest = false
      lists.moveToFront(request.id, list: segment)
    } else {
      rise(request.id, from: segment, newSize: UInt64(sizes[request.id]), sizes)
    }
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    resized = request
    rise(request.id, from: UInt32(segmentOf[request.id]), newSize: UInt64(request.size), sizes)
    resized = .none
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    var segment: UInt32 = 0
    while lists.back(list: segment) == .none { segment += 1 }
    let victim = lists.back(list: segment)
    lists.remove(victim)
    used[segment] -= UInt64(sizes[victim])
    return victim
  }

  @inline(__always) var overflows: Bool { fills && cooledToLowest && used[0] > segmentCapacity }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    let size = UInt64(request.size)
    var segment: UInt32 = 0
    if fills {
      while segment < segments, used[segment] + size > segmentCapacity { segment += 1 }
      if segment == segments { segment = 0 }
    }
    enter(request.id, segment, size, sizes)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    guard contains(id) else { return }
    used[UInt32(segmentOf[id])] -= UInt64(sizes[id])
    lists.remove(id)
  }

  var victim: ObjectID {
    for segment in 0..<segments where lists.back(list: segment) != .none {
      return lists.back(list: segment)
    }
    return .none
  }

  mutating func reserve(objects: Int) {
    lists.reserve(objects: objects)
    segmentOf.reserve(objects: objects)
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    lists.prefetch(id)
    segmentOf.prefetch(id)
  }

  @inline(__always) func prefetchNeighbours(_ id: ObjectID) { lists.prefetchNeighbours(id) }
  var stateBytes: Int { lists.bytes + segmentOf.bytes }

  private mutating func rise(
    _ id: ObjectID, from segment: UInt32, newSize: UInt64, _ sizes: some ObjectSizes
  ) {
    cooledToLowest = false
    used[segment] -= UInt64(sizes[id])
    let rises = segment + 1 < segments && newSize <= segmentCapacity
    let target = rises ? segment + 1 : segment
    lists.moveToFront(id, list: target)
    place(id, target, newSize, sizes)
  }

  @inline(__always) private mutating func enter(
    _ id: ObjectID, _ segment: UInt32, _ size: UInt64, _ sizes: some ObjectSizes
  ) {
    lists.pushFront(id, list: segment)
    place(id, segment, size, sizes)
  }

  @inline(__always) private mutating func place(
    _ id: ObjectID, _ segment: UInt32, _ size: UInt64, _ sizes: some ObjectSizes
  ) {
    segmentOf[id] = UInt8(truncatingIfNeeded: segment)
    used[segment] += size
    var segment = segment
    // If nothing is cooled, the segments below do not change.
    while segment > 0, used[segment] > segmentCapacity {
      repeat {
        let cooled = lists.back(list: segment)
        let cooledSize = UInt64(cooled == resized.id ? resized.size : sizes[cooled])
        used[segment] -= cooledSize
        used[segment - 1] += cooledSize
        segmentOf[cooled] = UInt8(truncatingIfNeeded: segment - 1)
        lists.moveToFront(cooled, list: segment - 1)
      } while used[segment] > segmentCapacity
      segment -= 1
      if segment == 0 { cooledToLowest = true }
    }
  }
}
