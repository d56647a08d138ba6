/// Evicts what was requested longest ago.
struct LRU: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "lru", family: .recency,
    summary: "Evicts the object that was requested longest ago.",
    paper: "Denning, The working set model for program behavior, CACM 1968; the rule itself is "
      + "folklore")

  // Most recently requested at the front. (Tried and slower, at 0.5 times the speed: a ring buffer
  // to which every hit appends, with out-of-date entries skipped when they become the oldest.)
  private var list: LinkedLists

  init(_ setup: PolicySetup) { list = LinkedLists(objects: setup.objects) }

  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { list.contains(id) }

  @inline(__always)
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    list.moveToFront(request.id)
  }

  @inline(__always)
  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    let victim = list.back()
    list.remove(victim)
    return victim
  }

  @inline(__always)
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    list.pushFront(request.id)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if contains(id) { list.remove(id) }
  }

  static var knowsVictim: Bool { true }

  var victim: ObjectID { list.back() }

  mutating func reserve(objects: Int) { list.reserve(objects: objects) }

  @inline(__always)
  func prefetch(_ id: ObjectID) { list.prefetch(id) }

  @inline(__always)
  func prefetchNeighbours(_ id: ObjectID) { list.prefetchNeighbours(id) }

  var stateBytes: Int { list.bytes }
}
