import LarderEngine

extension RegisteredPolicy {
  package static let mq = RegisteredPolicy(MQ.self)
}

/// Several LRU queues by number of requests; objects sink to lower queues when their lifetime ends:
/// `life` times the number of residents, in requests. The paper measures it at run time; two was
/// best or close to it on block traces.
struct MQ: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "mq", family: .frequency,
    summary: "An object requested n times is in LRU queue log2 n and moves down a queue after each "
      + "lifetime without a request; the lowest queue evicts. Ghosts keep their counts.",
    parameters: [
      PolicyParameter("queues", default: "8", "number of queues, 1 to 16"),
      PolicyParameter("ghost", default: "4", "size of the ghost queue, share of the capacity"),
      PolicyParameter(
        "life", default: "2", searched: ["0.5", "2", "8"],
        "lifetime in requests, as a multiple of the number of residents"),
    ],
    paper: "Zhou, Philbin and Li, The multi-queue replacement algorithm for second level buffer "
      + "caches, USENIX ATC 2001")

  // The state that a request reads, in one word.
  struct State: BitwiseCopyable {
    // The clock when the object entered its queue, modulo 2^32.
    var entry: UInt32
    // Its requests, up to the threshold of the highest queue; more make no difference.
    var count: UInt16
    // Its list plus one; 0 for an unknown object.
    var place: UInt16
  }

  // List i is queue i; the one after the last is the paper's Qout.
  private var lists: LinkedLists
  private var states: Column<State>
  // Weight of each ghost, and their total.
  private var ghostWeights: Column<UInt32>
  private var ghostsWeight: UInt64 = 0
  private var ghosts = 0
  private var ghostLimit = GhostLimit()
  private let weighs: Bool
  private let queues: UInt32
  private let ghostCapacity: UInt64
  let ghostsMax: Int
  private let lifePerResident: Double
  private var clock = RequestClock()
  // The clock up to which objects have sunk.
  private var settled: UInt32 = 0
  // Every queue except the lowest starts with an object that entered it at this clock or later.
  private var oldestEntry: UInt32 = 0
  private var residents = 0
  // The lifetime in requests; hits read it more often than it changes.
  private var life: Int32 = 0
  private var missedCount: UInt16 = 0

  init(_ setup: PolicySetup) throws(PolicyError) {
    let queues = try setup.spec.integer("queues", default: 8, in: 1...16)
    let ghostShare = try setup.spec.number("ghost", default: 4, in: 0...100)
    lifePerResident = try setup.spec.number("life", default: 2, in: 0...1_000_000)
    self.queues = UInt32(queues)
    ghostCapacity = UInt64(Double(setup.capacity) * ghostShare)
    ghostsMax = setup.ghostsMax(share: ghostShare)
    weighs = setup.unit == .bytes
    lists = LinkedLists(lists: Int(queues) + 1, objects: setup.objects)
    states = Column(objects: setup.objects)
    ghostWeights = Column(objects: weighs ? setup.objects : 0)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool {
    // 0 minus one is larger than the number of any queue.
    UInt32(states[id].place) &- 1 < queues
  }

  @inline(__always) func remembers(_ id: ObjectID) -> Bool { states[id].place != 0 }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    settle()
    lists.moveToFront(request.id, list: count(request.id, after: states[request.id].count))
  }

  @inline(__always) mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    let state = states[request.id]
    missedCount = 0
    if state.place != 0 {
      missedCount = state.count
      forget(request.id)
    }
    return true
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    settle()
    var queue: UInt32 = 0
    while lists.back(list: queue) == .none { queue += 1 }
    let victim = lists.back(list: queue)
    let weight = weighs ? sizes[victim] : 1
    if UInt64(weight) <= ghostCapacity {
      lists.moveToFront(victim, list: queues)
      states[victim].place = UInt16(truncatingIfNeeded: queues + 1)
      if weighs { ghostWeights[victim] = weight }
      ghostsWeight += UInt64(weight)
      ghosts += 1
      trimGhosts()
    } else {
      // Too large for a ghost: it must not displace all others.
      lists.remove(victim)
      states[victim].place = 0
    }
    changeResidents(by: -1)
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    lists.pushFront(request.id, list: count(request.id, after: missedCount))
    changeResidents(by: 1)
    missedCount = 0
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    clock.retract(id)
    if contains(id) {
      lists.remove(id)
      states[id].place = 0
      changeResidents(by: -1)
    } else if remembers(id) {
      forget(id)
    }
  }

  mutating func takeOver(_ object: KnownObject) -> Bool {
    let (id, age) = (object.id, min(object.age, 1 << 30))
    let requests = UInt16(truncatingIfNeeded: min(object.requests, 255))
    let queue = place(id, after: requests, entry: 0 &- age)
    if object.isResident {
      lists.pushFront(id, list: queue)
      changeResidents(by: 1)
      if queue > 0 { oldestEntry = 0 &- max(0 &- oldestEntry, age) }
    } else {
      lists.pushFront(id, list: queues)
      states[id].place = UInt16(truncatingIfNeeded: queues + 1)
      if weighs { ghostWeights[id] = object.size }
      ghostsWeight += weighs ? UInt64(object.size) : 1
      ghosts += 1
      trimGhosts()
    }
    return true
  }

  mutating func reserve(objects: Int) {
    lists.reserve(objects: objects)
    states.reserve(objects: objects)
    if weighs { ghostWeights.reserve(objects: objects) }
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    lists.prefetch(id)
    states.prefetch(id)
  }

  @inline(__always) func prefetchNeighbours(_ id: ObjectID) { lists.prefetchNeighbours(id) }

  var stateBytes: Int { lists.bytes + states.bytes + (weighs ? ghostWeights.bytes : 0) }

  @inline(__always) private mutating func forget(_ ghost: ObjectID) {
    ghostsWeight -= weighs ? UInt64(ghostWeights[ghost]) : 1
    ghosts -= 1
    lists.remove(ghost)
    states[ghost].place = 0
  }

  @inline(__always) private mutating func trimGhosts() {
    while ghostsWeight > ghostCapacity || (weighs && ghosts > ghostLimit.ghosts) {
      forget(lists.back(list: queues))
    }
  }

  @inline(__always) private mutating func count(_ id: ObjectID, after others: UInt16) -> UInt32 {
    let queue = place(id, after: others, entry: UInt32(truncatingIfNeeded: clock.now))
    clock.tick(id)
    return queue
  }

  @inline(__always) private mutating func place(
    _ id: ObjectID, after others: UInt16, entry: UInt32
  ) -> UInt32 {
    let limit = UInt16(1) << UInt16(queues - 1)
    let number = min(others, limit - 1) + 1
    let queue = UInt16(truncatingIfNeeded: 15 - number.leadingZeroBitCount)
    states[id] = State(entry: entry, count: number, place: queue + 1)
    return UInt32(queue)
  }

  @inline(__always) private mutating func changeResidents(by difference: Int) {
    residents += difference
    if weighs { ghostLimit.note(residents: residents) }
    life = Int32(min(lifePerResident * Double(residents), 0x1p30))
  }

  /// The paper's Adjust, for every request since the last call. Only hits and evictions depend on
  /// it, so an object that is added and removed before one of these does not move others.
  @inline(__always) private mutating func settle() {
    let now = UInt32(truncatingIfNeeded: clock.now)
    while Int32(bitPattern: now &- settled) > 0 {
      settled &+= 1
      if Int32(bitPattern: settled &- oldestEntry) > life { sink() }
    }
  }

  @inline(never) private mutating func sink() {
    var ageMax: Int32 = 0
    var queue: UInt32 = 1
    while queue < queues {
      let id = lists.back(list: queue)
      if id != .none, age(id) > life {
        lists.moveToFront(id, list: queue - 1)
        states[id].entry = settled
        states[id].place = UInt16(truncatingIfNeeded: queue)
      }
      let next = lists.back(list: queue)
      if next != .none { ageMax = max(ageMax, age(next)) }
      queue += 1
    }
    oldestEntry = settled &- UInt32(bitPattern: ageMax)
  }

  @inline(__always) private func age(_ id: ObjectID) -> Int32 {
    Int32(bitPattern: settled &- states[id].entry)
  }
}
