import LarderEngine

extension RegisteredPolicy {
  package static let belady = RegisteredPolicy(Belady.self)
}

/// The offline optimum for objects of one size.
struct Belady: EvictionPolicy, HeapPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "belady", family: .offline, traits: .namesVictim,
    summary: "Evicts the object whose next request is furthest away: no policy that stores every "
      + "miss has more hits when all sizes are equal. Sizes are ignored. O(log n) per miss.",
    needs: .nextUse,
    paper: "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems "
      + "Journal 1966")

  // Keyed so that the furthest next use is the smallest key.
  var heap: IndexedHeap
  private var order = OrderCounter()

  init(_ setup: PolicySetup) {
    heap = IndexedHeap(objects: setup.objects, capacity: setup.expectedResidents)
  }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    heap.update(request.id, key: UInt64(~request.nextUse), order: order.next())
  }

  mutating func notice(_ notice: PolicyNotice) {
    if case .nextUse(let request) = notice { hit(request, UnitSizes()) }
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    heap.popMinimum().id
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    heap.insert(request.id, key: UInt64(~request.nextUse), order: order.next())
  }
}
