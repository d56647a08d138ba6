/// Keeps what was requested k times within the shortest time.
///
/// Time counts requests. Objects with fewer than k requests go first, among them the one requested
/// longest ago: the paper leaves that choice open and names LRU. Information on objects that have
/// left, which the paper keeps for a period of time, is kept here up to a share of the capacity; by
/// default there is none, as in most comparisons.
///
/// With a correlated reference period, requests within the period after the last one count as one
/// together, and an object is not evicted within the period unless every other is in its own; then
/// the one requested longest ago goes.
struct LRUK: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "lru-k", family: .recency,
    summary: "Evicts the object whose k-th last request is longest ago; those with fewer than k "
      + "requests first, the least recently requested before the others. O(log n).",
    parameters: [
      PolicyParameter("k", default: "2", "which request back counts, 1 to 8; 1 is LRU"),
      PolicyParameter(
        "history", default: "0",
        "objects that have left whose requests are still known, share of the capacity"),
      PolicyParameter(
        "correlated", default: "0",
        "requests after one to an object within which another counts as the same, 0 to 10^9"),
    ],
    paper: "O'Neil, O'Neil and Weikum, The LRU-K page replacement algorithm for database disk "
      + "buffering, SIGMOD 1993")

  // A key with this bit is the time of a k-th last request, another that of the last one.
  private static var isComplete: UInt64 { 1 << 63 }

  private var heap: IndexedHeap
  // Times of the last requests, latest first, 0 for none: the paper's HIST. The k-th last is in
  // the heap, and beside the others where objects are out of the heap for a while.
  private var times: Column<UInt64>
  private let depth: UInt32
  private let k: UInt32
  // The paper's LAST, and the objects in their correlated reference period, latest first; both
  // only where there is such a period.
  private var lasts: Column<UInt64>
  private var sheltered: LinkedLists
  private let period: UInt64
  private var ghosts: GhostQueue
  private let keepsHistory: Bool
  private var clock = RequestClock()
  private var missedGhost = false
  private var order = OrderCounter()

  init(_ setup: PolicySetup) throws(PolicyError) {
    let k = try setup.spec.integer("k", default: 2, in: 1...8)
    let history = try setup.spec.number("history", default: 0, in: 0...100)
    let period = try setup.spec.integer("correlated", default: 0, in: 0...1_000_000_000)
    let depth = UInt32(period > 0 ? k : max(1, k - 1))
    guard setup.objects <= LRUK.objectsMax(depth) else {
      throw .capacity(
        policy: setup.spec.name, capacity: setup.capacity,
        expected: "at most \(LRUK.objectsMax(depth)) distinct objects with this k")
    }
    self.k = UInt32(k)
    self.period = UInt64(period)
    self.depth = depth
    let ghostCapacity = UInt64(Double(setup.capacity) * history)
    keepsHistory = ghostCapacity > 0
    heap = IndexedHeap(objects: setup.objects, capacity: setup.expectedResidents)
    times = Column(objects: LRUK.slots(setup.objects, depth))
    lasts = Column(objects: period > 0 ? setup.objects : 0)
    sheltered = LinkedLists(objects: period > 0 ? setup.objects : 0)
    ghosts = GhostQueue(
      objects: keepsHistory ? setup.objects : 0, capacity: ghostCapacity,
      weighs: keepsHistory && setup.unit == .bytes)
  }

  @inline(__always)
  func contains(_ id: ObjectID) -> Bool {
    heap.contains(id) || (period > 0 && sheltered.contains(id))
  }

  @inline(__always)
  func remembers(_ id: ObjectID) -> Bool {
    contains(id) || (keepsHistory && ghosts.contains(id))
  }

  @inline(__always)
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    let id = request.id
    clock.tick(id)
    if period == 0 {
      heap.update(id, key: key(of: id, refer(id, after: 0)), order: order.next())
    } else {
      if clock.now - lasts[id] > period { _ = refer(id, after: lasts[id] - times[id * depth]) }
      lasts[id] = clock.now
      if heap.contains(id) {
        heap.remove(id)
        sheltered.pushFront(id)
      } else {
        sheltered.moveToFront(id)
      }
    }
  }

  @inline(__always)
  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    clock.tick(request.id)
    missedGhost = keepsHistory && ghosts.contains(request.id)
    if missedGhost { ghosts.remove(request.id) }
    return true
  }

  @inline(__always)
  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    var victim = ObjectID.none
    if period > 0 { exposeSheltered() }
    if heap.count > 0 {
      victim = heap.popMinimum().id
    } else {
      victim = sheltered.back()
      sheltered.remove(victim)
    }
    if keepsHistory { ghosts.push(victim, sizes[victim], residents: heap.count + 1) }
    return victim
  }

  @inline(__always)
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    let id = request.id
    if !missedGhost {
      for place in 0..<depth { times[id * depth + place] = 0 }
    }
    missedGhost = false
    let kthLast = refer(id, after: 0)
    if period == 0 {
      heap.insert(id, key: key(of: id, kthLast), order: order.next())
    } else {
      lasts[id] = clock.now
      sheltered.pushFront(id)
    }
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    clock.retract(id)
    if heap.contains(id) {
      heap.remove(id)
    } else if period > 0, sheltered.contains(id) {
      sheltered.remove(id)
    } else if keepsHistory, ghosts.contains(id) {
      ghosts.remove(id)
    }
  }

  mutating func reserve(objects: Int) {
    precondition(objects <= LRUK.objectsMax(depth), "too many objects for this k")
    heap.reserve(objects: objects)
    times.reserve(objects: LRUK.slots(objects, depth))
    if period > 0 {
      lasts.reserve(objects: objects)
      sheltered.reserve(objects: objects)
    }
    if keepsHistory { ghosts.reserve(objects: objects) }
  }

  @inline(__always)
  func prefetch(_ id: ObjectID) {
    heap.prefetch(id)
    times.prefetch(id * depth)
  }

  @inline(__always)
  func prefetchNeighbours(_ id: ObjectID) { heap.prefetchEntry(id) }

  var stateBytes: Int {
    heap.bytes + times.bytes + (period > 0 ? lasts.bytes + sheltered.bytes : 0)
      + (keepsHistory ? ghosts.bytes : 0)
  }

  private static func objectsMax(_ depth: UInt32) -> Int { Int(UInt32.max / depth) - 1 }

  private static func slots(_ objects: Int, _ depth: UInt32) -> Int {
    (objects + 1) * Int(depth) - 1
  }

  /// Notes a request now as the last one; `correlation` is how long the one before went on. Returns
  /// the time of the k-th last, or 0.
  @inline(__always)
  private func refer(_ id: ObjectID, after correlation: UInt64) -> UInt64 {
    let first = id * depth
    if k == 1 {
      times[first] = clock.now
      return clock.now
    }
    let next = times[first + k - 2]
    var place = depth - 1
    while place > 0 {
      let time = times[first + place - 1]
      times[first + place] = time == 0 ? 0 : time + correlation
      place -= 1
    }
    times[first] = clock.now
    return next == 0 ? 0 : next + correlation
  }

  @inline(__always)
  private func key(of id: ObjectID, _ kthLast: UInt64) -> UInt64 {
    guard kthLast == 0 else { return kthLast | LRUK.isComplete }
    return period > 0 ? lasts[id] : clock.now
  }

  /// Puts objects whose correlated reference period is over into the heap.
  private mutating func exposeSheltered() {
    while true {
      let id = sheltered.back()
      guard id != .none, clock.now - lasts[id] > period else { return }
      sheltered.remove(id)
      heap.insert(id, key: key(of: id, times[id * depth + k - 1]), order: order.next())
    }
  }
}
