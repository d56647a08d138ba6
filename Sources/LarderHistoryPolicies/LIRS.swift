import LarderEngine

extension RegisteredPolicy {
  package static let lirs = RegisteredPolicy(LIRS.self)
}

/// Low Inter-reference Recency Set: keeps objects that are requested again after a short time. As
/// in the authors' program, a repeated request for the last object changes nothing, and an empty
/// cache fills the LIR part first; so it does again after removals have emptied it.
struct LIRS: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "lirs", family: .recency,
    summary: "Objects requested twice while in a stack of recent requests make up most of the "
      + "cache; others pass through a small queue. The stack remembers evicted objects.",
    parameters: [
      PolicyParameter(
        "hir", default: "0.01", searched: ["0.01", "0.05", "0.2", "0.5"],
        "share of the queue, at least 2 objects or bytes"),
      PolicyParameter(
        "stack", default: "0", inRealCaches: "3",
        "evicted objects that the stack remembers, share of the capacity; 0 for all"),
    ],
    paper: "Jiang and Zhang, LIRS: an efficient low inter-reference recency set replacement policy "
      + "to improve buffer cache performance, SIGMETRICS 2002")

  private enum State {
    static var unknown: UInt8 { 0 }
    static var low: UInt8 { 1 }
    static var highStacked: UInt8 { 2 }
    static var high: UInt8 { 3 }
    static var ghost: UInt8 { 4 }
  }

  private static var queue: UInt32 { 0 }
  private static var ghosts: UInt32 { 1 }

  // The most recent request at the front.
  private var stack: LinkedLists
  // The resident queue, and the ghosts in order of eviction.
  private var lists: WeightedLists
  private var states: Column<UInt8>
  private var weights: Column<UInt32>
  private let weighs: Bool
  private let capacityLow: UInt64
  private let ghostCapacity: UInt64
  private var used: UInt64 = 0
  private var usedLow: UInt64 = 0
  private var missedGhost = false
  // Counted only with different sizes and a bounded stack.
  private var residents = 0
  private var limit = GhostLimit()

  init(_ setup: PolicySetup) throws(PolicyError) {
    let share = try setup.spec.number("hir", default: 0.01, in: 0...1)
    let bound = try setup.spec.number("stack", default: 0, in: 0...1000)
    let high = min(max(UInt64(Double(setup.capacity) * share), 2), setup.capacity)
    capacityLow = setup.capacity - high
    ghostCapacity = bound == 0 ? .max : UInt64(Double(setup.capacity) * bound)
    weighs = setup.unit == .bytes
    stack = LinkedLists(objects: setup.objects)
    lists = WeightedLists(lists: 2, objects: setup.objects, weighs: weighs)
    states = Column(objects: setup.objects)
    weights = Column(objects: weighs ? setup.objects : 0)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool {
    let state = states[id]
    return state != State.unknown && state != State.ghost
  }

  @inline(__always) func remembers(_ id: ObjectID) -> Bool { states[id] != State.unknown }

  var ghostsMax: Int { weighs ? .max : Int(min(ghostCapacity, 1 << 40)) }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    let id = request.id
    // The top of the stack is the last requested object, also after removals.
    guard id != stack.front() else { return }
    switch states[id] {
    case State.low:
      stack.moveToFront(id)
      prune()
    case State.highStacked:
      stack.moveToFront(id)
      hitHigh(id, canRise: true)
    default:
      stack.pushFront(id)
      states[id] = State.highStacked
      hitHigh(id, canRise: usedLow == 0)
    }
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    let id = request.id
    if weighs {
      let (old, new) = (UInt64(weights[id]), UInt64(request.size))
      used = used - old + new
      if states[id] == State.low {
        usedLow = usedLow - old + new
      } else {
        lists.reweigh(id, request.size)
      }
      weights[id] = request.size
    }
    hit(request, sizes)
    guard weighs else { return }
    if states[id] == State.low, weight(id) > capacityLow {
      usedLow -= weight(id)
      stayHigh(id)
    }
    shrinkLow()
    prune()
  }

  @inline(__always) mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    missedGhost = states[request.id] == State.ghost
    if missedGhost { forget(request.id) }
    return true
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    // If the queue is empty, sizes or removals have left only the LIR part.
    if lists.back(of: LIRS.queue) == .none { demoteLowest() }
    let victim = lists.back(of: LIRS.queue)
    used -= weight(victim)
    residents -= 1
    if states[victim] == State.highStacked, weight(victim) <= ghostCapacity {
      states[victim] = State.ghost
      lists.moveToFront(victim, of: LIRS.ghosts)
      while isOverfull { forget(lists.back(of: LIRS.ghosts)) }
    } else {
      if states[victim] == State.highStacked { stack.remove(victim) }
      lists.remove(victim)
      states[victim] = State.unknown
    }
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    let id = request.id
    if weighs { weights[id] = request.size }
    let size = weight(id)
    stack.pushFront(id)
    let hasRoom = used + size <= capacityLow || usedLow == 0
    used += size
    residents += 1
    limit.note(residents: residents)
    if missedGhost || hasRoom, size <= capacityLow { becomeLow(id) } else { stayHigh(id) }
    missedGhost = false
    prefetchEnds()
  }

  @inline(__always) private func prefetchEnds() {
    let queued = lists.ahead(of: lists.back(of: LIRS.queue))
    lists.prefetchBack(of: LIRS.queue)
    states.prefetch(queued)
    let stacked = stack.ahead(of: stack.back())
    stack.prefetchBack()
    states.prefetch(stacked)
    lists.prefetch(stacked)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    let state = states[id]
    guard state != State.unknown else { return }
    if state != State.ghost {
      used -= weight(id)
      residents -= 1
    }
    if state == State.low { usedLow -= weight(id) } else { lists.remove(id) }
    if state != State.high { stack.remove(id) }
    states[id] = State.unknown
    if state == State.low { prune() }
  }

  mutating func takeOver(_ object: KnownObject) -> Bool {
    let id = object.id
    if weighs { weights[id] = object.size }
    stack.pushFront(id)
    guard object.isResident else {
      states[id] = State.ghost
      lists.pushFront(id, to: LIRS.ghosts, weight: UInt32(truncatingIfNeeded: weight(id)))
      while isOverfull { forget(lists.back(of: LIRS.ghosts)) }
      if usedLow == 0 { prune() }
      return true
    }
    used += weight(id)
    residents += 1
    limit.note(residents: residents)
    if object.requests > 0, weight(id) <= capacityLow { becomeLow(id) } else { stayHigh(id) }
    return true
  }

  mutating func reserve(objects: Int) {
    stack.reserve(objects: objects)
    lists.reserve(objects: objects)
    states.reserve(objects: objects)
    if weighs { weights.reserve(objects: objects) }
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    states.prefetch(id)
    stack.prefetch(id)
    lists.prefetch(id)
  }

  @inline(__always) func prefetchNeighbours(_ id: ObjectID) {
    stack.prefetchNeighbours(id)
    lists.prefetchNeighbours(id)
  }

  var stateBytes: Int {
    stack.bytes + lists.bytes + states.bytes + (weighs ? weights.bytes : 0)
  }

  @inline(__always) private func weight(_ id: ObjectID) -> UInt64 {
    weighs ? UInt64(weights[id]) : 1
  }

  @inline(__always) private var isOverfull: Bool {
    guard ghostCapacity != .max else { return false }
    return lists.weight(of: LIRS.ghosts) > ghostCapacity
      || (weighs && lists.count(of: LIRS.ghosts) > limit.ghosts)
  }

  @inline(__always) private mutating func hitHigh(_ id: ObjectID, canRise: Bool) {
    if canRise, weight(id) <= capacityLow {
      lists.remove(id)
      becomeLow(id)
    } else {
      lists.moveToFront(id, of: LIRS.queue)
      if usedLow == 0 { prune() }
    }
  }

  @inline(__always) private mutating func stayHigh(_ id: ObjectID) {
    states[id] = State.highStacked
    lists.pushFront(id, to: LIRS.queue, weight: UInt32(truncatingIfNeeded: weight(id)))
    if usedLow == 0 { prune() }
  }

  @inline(__always) private mutating func becomeLow(_ id: ObjectID) {
    states[id] = State.low
    usedLow += weight(id)
    shrinkLow()
    prune()
  }

  @inline(__always) private mutating func shrinkLow() {
    while usedLow > capacityLow { demoteLowest() }
  }

  @inline(__always) private mutating func demoteLowest() {
    prune()
    let id = stack.back()
    stack.remove(id)
    usedLow -= weight(id)
    states[id] = State.high
    lists.pushFront(id, to: LIRS.queue, weight: UInt32(truncatingIfNeeded: weight(id)))
    prune()
  }

  @inline(__always) private mutating func prune() {
    while true {
      let id = stack.back()
      if id == .none || states[id] == State.low { return }
      let next = stack.ahead(of: id)
      states.prefetch(next)
      stack.prefetch(stack.ahead(of: next))
      lists.prefetch(next)
      if states[id] == State.ghost {
        forget(id)
      } else {
        stack.remove(id)
        states[id] = State.high
      }
    }
  }

  private mutating func forget(_ ghost: ObjectID) {
    stack.remove(ghost)
    lists.remove(ghost)
    states[ghost] = State.unknown
  }
}
