import LarderEngine

extension RegisteredPolicy {
  package static let tinyLFU = RegisteredPolicy(TinyLFU.self)
}

/// LRU with an admission filter: an object is admitted only if it is requested more often than the
/// object it displaces. Requests stay counted after an object is removed, because a sketch cannot
/// forget one key.
struct TinyLFU: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "tinylfu", family: .frequency,
    summary: "LRU; when the cache is full, a new object is stored only if a sketch of recent "
      + "requests counts more for it than for the LRU victim.",
    learns: true,
    paper: "Einziger, Friedman and Manes, TinyLFU: a highly efficient cache admission policy, ACM "
      + "Transactions on Storage 2017")

  // Most recently requested at the front.
  private var list: LinkedLists
  private var counts: SketchedCounts
  private let capacity: UInt64
  private var used: UInt64 = 0

  init(_ setup: PolicySetup) {
    counts = SketchedCounts(setup)
    list = LinkedLists(objects: setup.objects)
    capacity = setup.capacity
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { list.contains(id) }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    counts.countHit(request.id)
    list.moveToFront(request.id)
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    used = used - UInt64(sizes[request.id]) + UInt64(request.size)
    hit(request, sizes)
  }

  @inline(__always) mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    counts.countMiss(request)
    let victim = list.back()
    guard victim != .none, used + UInt64(request.size) > capacity else { return true }
    return counts.estimate(request) > counts.estimate(victim)
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    let victim = list.back()
    leave(victim, sizes)
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    counts.enter(request)
    list.pushFront(request.id)
    used += UInt64(request.size)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if contains(id) { leave(id, sizes) }
  }

  mutating func reserve(objects: Int) {
    list.reserve(objects: objects)
    counts.reserve(objects: objects)
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    list.prefetch(id)
    counts.prefetch(id)
  }

  @inline(__always) func prefetchNeighbours(_ id: ObjectID) {
    list.prefetchNeighbours(id)
    counts.prefetchCounters(id)
  }

  var stateBytes: Int { list.bytes + counts.bytes }

  @inline(__always) private mutating func leave(_ id: ObjectID, _ sizes: some ObjectSizes) {
    used -= UInt64(sizes[id])
    list.remove(id)
    counts.leave()
  }
}
