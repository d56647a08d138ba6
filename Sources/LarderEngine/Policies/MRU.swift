/// Evicts what was requested last.
struct MRU: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "mru", family: .recency,
    summary: "Evicts the object that was requested last; right for loops larger than the cache.",
    paper: "Chou and DeWitt, An evaluation of buffer management strategies for relational database "
      + "systems, VLDB 1985")

  // Most recently requested at the front.
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
    let victim = list.front()
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

  var victim: ObjectID { list.front() }

  mutating func reserve(objects: Int) { list.reserve(objects: objects) }

  @inline(__always)
  func prefetch(_ id: ObjectID) { list.prefetch(id) }

  @inline(__always)
  func prefetchNeighbours(_ id: ObjectID) { list.prefetchNeighbours(id) }

  var stateBytes: Int { list.bytes }
}
