import LarderEngine

extension RegisteredPolicy {
  package static let car = RegisteredPolicy(CAR.self)
}

/// ARC with clocks in place of lists: a hit sets a bit.
struct CAR: EvictionPolicy, BalancedListsPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "car", family: .adaptive,
    summary: "ARC with clocks instead of lists: objects requested before the hand arrives move to "
      + "the second clock, and misses on ghosts adapt the shares.",
    paper: "Bansal and Modha, CAR: Clock with Adaptive Replacement, FAST 2004")

  var lists: WeightedLists
  private var marks: Column<Bool>
  let capacity: UInt64
  let ghostsMax: Int
  var target = 0.0

  init(_ setup: PolicySetup) {
    capacity = setup.capacity
    ghostsMax = setup.ghostsMax(share: 1)
    lists = WeightedLists(
      lists: 4, objects: setup.objects, weighs: setup.unit == .bytes, ghosts: CAR.recentGhosts)
    marks = Column(objects: setup.objects)
  }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    marks[request.id] = true
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    while true {
      let oldest = lists.back(of: CAR.recent)
      let isRecent =
        oldest != .none
        && (Double(lists.weight(of: CAR.recent)) >= max(1, target)
          || lists.back(of: CAR.frequent) == .none)
      let candidate = isRecent ? oldest : lists.back(of: CAR.frequent)
      if !marks[candidate] {
        lists.moveToFront(candidate, of: isRecent ? CAR.recentGhosts : CAR.frequentGhosts)
        return candidate
      }
      marks[candidate] = false
      lists.moveToFront(candidate, of: CAR.frequent)
    }
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    marks[request.id] = false
    if lists.place(request.id) == 0 {
      lists.pushFront(request.id, to: CAR.recent, weight: request.size)
    } else {
      adapt(to: request.id)
      lists.moveToFront(request.id, of: CAR.frequent)
      lists.reweigh(request.id, request.size)
    }
    trimGhosts()
  }

  mutating func reserve(objects: Int) {
    lists.reserve(objects: objects)
    marks.reserve(objects: objects)
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    lists.prefetch(id)
    marks.prefetch(id)
  }

  @inline(__always) func prefetchNeighbours(_ id: ObjectID) {}
  var stateBytes: Int { lists.bytes + marks.bytes }
}
