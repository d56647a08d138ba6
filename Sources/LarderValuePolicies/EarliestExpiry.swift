import LarderEngine

extension RegisteredPolicy {
  package static let ttl = RegisteredPolicy(EarliestExpiry.self)
}

/// Evicts the object that expires first.
struct EarliestExpiry: EvictionPolicy, HeapPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "ttl", family: .value, traits: .namesVictim,
    summary: "Evicts the object that expires first; objects without a TTL come last, and ties "
      + "are broken by insertion order. O(log n) per miss.",
    needs: .ttl,
    paper: "Folklore; known in app caches as cleaning by age")

  var heap: IndexedHeap
  private var order = OrderCounter()

  init(_ setup: PolicySetup) {
    heap = IndexedHeap(objects: setup.objects, capacity: setup.expectedResidents)
  }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {}

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    heap.update(request.id, key: request.expires, order: order.next())
  }

  static var notices: PolicyNotices { .expiries }

  mutating func notice(_ notice: PolicyNotice) {
    guard case .expiry(let id, let expires) = notice else { return }
    heap.update(id, key: expires, order: order.next())
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    heap.popMinimum().id
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    heap.insert(request.id, key: request.expires, order: order.next())
  }
}
