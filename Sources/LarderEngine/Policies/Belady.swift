/// The offline optimum for objects of one size.
struct Belady: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "belady", family: .offline,
    summary: "Evicts the object whose next request is furthest away: no policy that stores every "
      + "miss has more hits when all sizes are equal. Sizes are ignored. O(log n) a miss.",
    needs: .nextUse,
    paper: "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems "
      + "Journal 1966")

  private var heap: FutureHeap

  init(_ setup: PolicySetup) {
    heap = FutureHeap(objects: setup.objects, capacity: setup.expectedResidents)
  }

  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { heap.contains(id) }

  @inline(__always)
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    heap.set(request.id, nextUse: request.nextUse)
  }

  @inline(__always)
  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    heap.popFurthest()
  }

  @inline(__always)
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    heap.set(request.id, nextUse: request.nextUse)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) { heap.remove(id) }

  mutating func reserve(objects: Int) { heap.reserve(objects: objects) }

  @inline(__always)
  func prefetch(_ id: ObjectID) { heap.prefetch(id) }

  var stateBytes: Int { heap.bytes }
}
