/// Several LRU queues by the number of requests, through which objects sink as their time runs out.
///
/// Time counts requests. The paper sets an object's life time to the temporal distance that most
/// blocks come back after, which it measures as it goes; here it is `life` times the number of
/// resident objects. Twice was best or close to it on block traces (OLTP of the ARC paper, glimpse,
/// sprite and 2-pools of the LIRS paper); a long life suits loops, a short one recency. A missed
/// ghost is taken out before the victims' ghosts could push it out.
struct MQ: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "mq", family: .frequency,
    summary: "An object requested n times is in LRU queue log2 n and sinks by one for each life "
      + "time without a request; the lowest queue evicts. Ghosts keep their number of requests.",
    parameters: [
      PolicyParameter("queues", default: "8", "number of queues, 1 to 16"),
      PolicyParameter("ghost", default: "4", "size of the ghost queue, share of the capacity"),
      PolicyParameter(
        "life", default: "2", "requests without which an object sinks, times resident objects"),
    ],
    paper: "Zhou, Philbin and Li, The multi-queue replacement algorithm for second level buffer "
      + "caches, USENIX ATC 2001")

  // List i is queue i; the one after the last is the paper's Qout.
  private var lists: WeightedLists
  // Up to what the highest queue asks for: more makes no difference.
  private var counts: Column<UInt16>
  // The clock when an object came into its queue, modulo 2^32.
  private var entries: Column<UInt32>
  private let queues: UInt32
  private let ghostCapacity: UInt64
  private let lifePerResident: Double
  private var clock = RequestClock()
  // Up to when objects have sunk.
  private var settled: UInt32 = 0
  // No queue but the lowest begins with an object that came into it before this.
  private var oldestEntry: UInt32 = 0
  private var residents = 0
  // A life in requests, of which a hit asks more often than it changes.
  private var life: Int32 = 0
  private var missedCount: UInt16 = 0

  init(_ setup: PolicySetup) throws(PolicyError) {
    let queues = try setup.spec.integer("queues", default: 8, in: 1...16)
    let ghostShare = try setup.spec.number("ghost", default: 4, in: 0...100)
    lifePerResident = try setup.spec.number("life", default: 2, in: 0...1_000_000)
    self.queues = UInt32(queues)
    ghostCapacity = UInt64(Double(setup.capacity) * ghostShare)
    lists = WeightedLists(
      lists: queues + 1, objects: setup.objects, weighs: setup.unit == .bytes,
      ghosts: UInt32(queues))
    counts = Column(objects: setup.objects)
    entries = Column(objects: setup.objects)
  }

  @inline(__always)
  func contains(_ id: ObjectID) -> Bool {
    let place = UInt32(lists.place(id))
    return place != 0 && place <= queues
  }

  @inline(__always)
  func remembers(_ id: ObjectID) -> Bool { lists.place(id) != 0 }

  @inline(__always)
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    settle()
    lists.moveToFront(request.id, of: count(request.id, after: counts[request.id]))
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    lists.reweigh(request.id, request.size)
    hit(request, sizes)
  }

  @inline(__always)
  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    let isGhost = lists.place(request.id) != 0
    missedCount = isGhost ? counts[request.id] : 0
    if isGhost { lists.remove(request.id) }
    return true
  }

  @inline(__always)
  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    settle()
    var queue: UInt32 = 0
    while lists.back(of: queue) == .none { queue += 1 }
    let victim = lists.back(of: queue)
    if UInt64(lists.weight(victim)) <= ghostCapacity {
      lists.moveToFront(victim, of: queues)
      lists.trim(queues, to: ghostCapacity)
    } else {
      // Too large to be remembered: no reason to forget all others.
      lists.remove(victim)
    }
    changeResidents(by: -1)
    return victim
  }

  @inline(__always)
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    let queue = count(request.id, after: missedCount)
    lists.pushFront(request.id, to: queue, weight: request.size)
    changeResidents(by: 1)
    missedCount = 0
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    clock.retract(id)
    if contains(id) { changeResidents(by: -1) }
    if lists.place(id) != 0 { lists.remove(id) }
  }

  mutating func reserve(objects: Int) {
    lists.reserve(objects: objects)
    counts.reserve(objects: objects)
    entries.reserve(objects: objects)
  }

  @inline(__always)
  func prefetch(_ id: ObjectID) {
    lists.prefetch(id)
    counts.prefetch(id)
    entries.prefetch(id)
  }

  @inline(__always)
  func prefetchNeighbours(_ id: ObjectID) { lists.prefetchNeighbours(id) }

  var stateBytes: Int { lists.bytes + counts.bytes + entries.bytes }

  /// Notes a request for an object after as many others, and returns the queue it goes to.
  @inline(__always)
  private mutating func count(_ id: ObjectID, after others: UInt16) -> UInt32 {
    let limit = UInt16(1) << UInt16(queues - 1)
    let number = min(others, limit - 1) + 1
    counts[id] = number
    entries[id] = UInt32(truncatingIfNeeded: clock.now)
    clock.tick(id)
    return UInt32(truncatingIfNeeded: 15 - number.leadingZeroBitCount)
  }

  @inline(__always)
  private mutating func changeResidents(by difference: Int) {
    residents += difference
    life = Int32(min(lifePerResident * Double(residents), 0x1p30))
  }

  /// The paper's Adjust, for every request since it was last called. Only hits and evictions depend
  /// on it, so an object that comes and goes before one of these has not moved the others.
  @inline(__always)
  private mutating func settle() {
    let now = UInt32(truncatingIfNeeded: clock.now)
    while Int32(bitPattern: now &- settled) > 0 {
      settled &+= 1
      if Int32(bitPattern: settled &- oldestEntry) > life { sink() }
    }
  }

  /// From each queue but the lowest, the object requested longest ago sinks if its time is over.
  @inline(never)
  private mutating func sink() {
    var ageMax: Int32 = 0
    var queue: UInt32 = 1
    while queue < queues {
      let id = lists.back(of: queue)
      if id != .none, age(id) > life {
        lists.moveToFront(id, of: queue - 1)
        entries[id] = settled
      }
      let next = lists.back(of: queue)
      if next != .none { ageMax = max(ageMax, age(next)) }
      queue += 1
    }
    oldestEntry = settled &- UInt32(bitPattern: ageMax)
  }

  @inline(__always)
  private func age(_ id: ObjectID) -> Int32 { Int32(bitPattern: settled &- entries[id]) }
}
