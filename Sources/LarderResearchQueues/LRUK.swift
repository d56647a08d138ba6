import LarderEngine

extension RegisteredPolicy {
  package static let lruK = RegisteredPolicy(LRUK.self)
}

/// Keeps the objects whose last k requests came within the shortest time, in requests. Objects with
/// fewer than k requests are evicted first, the least recently requested among them first. The
/// history of evicted objects is a share of the capacity, by default 0; there is no correlated
/// reference period.
struct LRUK: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "lru-k", family: .recency,
    summary: "Evicts the object whose k-th last request is longest ago; those with fewer than k "
      + "requests first, the least recently requested before the others. O(log n).",
    parameters: [
      PolicyParameter(
        "k", default: "2", searched: ["2", "3"], "number of requests considered, 1 to 8; 1 is LRU"),
      PolicyParameter(
        "history", default: "0", searched: ["0", "1"],
        "evicted objects whose requests are remembered, share of the capacity"),
    ],
    paper: "O'Neil, O'Neil and Weikum, The LRU-K page replacement algorithm for database disk "
      + "buffering, SIGMOD 1993")

  // A key consists of this bit if there was a k-th last request, the time of that request (of the
  // last one otherwise), and the high bits of the time of the last request, whose low bits are the
  // order: times are unique. So k up to 2 needs nothing but the heap. Times are below 2^47.
  private static var isComplete: UInt64 { 1 << 63 }
  private static var kthShift: UInt64 { 16 }

  private var heap: IndexedHeap
  // Times of the requests between the last and the k-th last, latest first, 0 for none.
  private var times: Column<UInt64>
  private let depth: UInt32
  private let k: UInt32
  // The last request of each ghost.
  private var lasts: Column<UInt64>
  private var ghosts: GhostQueue
  let ghostsMax: Int
  private let keepsHistory: Bool
  private var clock = RequestClock()
  private var missedGhost = false

  init(_ setup: PolicySetup) throws(PolicyError) {
    let k = try setup.spec.integer("k", default: 2, in: 1...8)
    let history = try setup.spec.number("history", default: 0, in: 0...100)
    let depth = UInt32(max(0, k - 2))
    guard setup.objects <= LRUK.objectsMax(depth) else {
      throw .capacity(
        policy: setup.spec.name, capacity: setup.capacity,
        expected: "at most \(LRUK.objectsMax(depth)) distinct objects with this k")
    }
    self.k = UInt32(k)
    self.depth = depth
    let ghostCapacity = UInt64(Double(setup.capacity) * history)
    // A local, because `||` with a property of a value that is not fully initialised is
    // miscompiled.
    let remembers = ghostCapacity > 0
    keepsHistory = remembers
    ghostsMax = setup.ghostsMax(share: history)
    heap = IndexedHeap(objects: setup.objects, capacity: setup.expectedResidents)
    times = Column(objects: LRUK.slots(setup.objects, depth))
    lasts = Column(objects: remembers ? setup.objects : 0)
    ghosts = GhostQueue(
      objects: remembers ? setup.objects : 0, capacity: ghostCapacity,
      weighs: remembers && setup.unit == .bytes)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { heap.contains(id) }

  @inline(__always) func remembers(_ id: ObjectID) -> Bool {
    contains(id) || (keepsHistory && ghosts.contains(id))
  }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    let id = request.id
    clock.tick(id)
    let (key, order) = entry(kthLast: refer(id, lastBefore: last(of: id)), last: clock.now)
    heap.update(id, key: key, order: order)
  }

  @inline(__always) mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    clock.tick(request.id)
    missedGhost = keepsHistory && ghosts.contains(request.id)
    if missedGhost { ghosts.remove(request.id) }
    return true
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    let victim = heap.minimum()
    if keepsHistory { lasts[victim] = last(of: victim) }
    _ = heap.popMinimum()
    if keepsHistory { ghosts.push(victim, sizes[victim], residents: heap.count + 1) }
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    let id = request.id
    if !missedGhost {
      for place in 0..<depth { times[id * depth + place] = 0 }
    }
    let kthLast = refer(id, lastBefore: missedGhost ? lasts[id] : 0)
    let (key, order) = entry(kthLast: kthLast, last: clock.now)
    heap.insert(id, key: key, order: order)
    missedGhost = false
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    clock.retract(id)
    if heap.contains(id) {
      heap.remove(id)
    } else if keepsHistory, ghosts.contains(id) {
      ghosts.remove(id)
    }
  }

  mutating func reserve(objects: Int) {
    precondition(objects <= LRUK.objectsMax(depth), "too many objects for this k")
    heap.reserve(objects: objects)
    times.reserve(objects: LRUK.slots(objects, depth))
    if keepsHistory {
      ghosts.reserve(objects: objects)
      lasts.reserve(objects: objects)
    }
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    heap.prefetch(id)
    if depth > 0 { times.prefetch(id * depth) }
  }

  @inline(__always) func prefetchNeighbours(_ id: ObjectID) { heap.prefetchEntry(id) }

  var stateBytes: Int {
    heap.bytes + (depth > 0 ? times.bytes : 0) + (keepsHistory ? ghosts.bytes + lasts.bytes : 0)
  }

  private static func objectsMax(_ depth: UInt32) -> Int { Int(UInt32.max / max(depth, 1)) - 1 }

  private static func slots(_ objects: Int, _ depth: UInt32) -> Int {
    depth > 0 ? (objects + 1) * Int(depth) - 1 : 0
  }

  /// Records a request after one at `lastBefore`, or 0 for none. Returns the time of the k-th last
  /// request, or 0.
  @inline(__always) private func refer(_ id: ObjectID, lastBefore: UInt64) -> UInt64 {
    if k == 1 { return clock.now }
    guard depth > 0 else { return lastBefore }
    let first = id * depth
    let oldest = times[first + depth - 1]
    var place = depth - 1
    while place > 0 {
      times[first + place] = times[first + place - 1]
      place -= 1
    }
    times[first] = lastBefore
    return oldest
  }

  @inline(__always) private func entry(
    kthLast: UInt64, last: UInt64
  ) -> (key: UInt64, order: UInt32) {
    let time = kthLast == 0 ? last : kthLast
    let complete = kthLast == 0 ? 0 : LRUK.isComplete
    return (
      complete | time << LRUK.kthShift | last >> 32, UInt32(truncatingIfNeeded: last)
    )
  }

  @inline(__always) private func last(of id: ObjectID) -> UInt64 {
    (heap.key(of: id) & 0xFFFF) << 32 | UInt64(heap.order(of: id))
  }
}
