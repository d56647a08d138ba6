/// GreedyDual on what an object costs to fetch, for its size.
struct Cost: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "cost", family: .value,
    summary: "Priority L + cost / size, where L is the priority of the last evicted; a request "
      + "renews it, and the lowest is evicted. O(log n).",
    needs: [.size, .cost],
    paper: "Young, The k-server dual and loose competitiveness for paging, Algorithmica 1994; Cao "
      + "and Irani, Cost-aware WWW proxy caching algorithms, USITS 1997")

  private var heap: IndexedHeap
  private var floor = 0.0
  private var order = OrderCounter()

  init(_ setup: PolicySetup) {
    heap = IndexedHeap(objects: setup.objects, capacity: setup.expectedResidents)
  }

  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { heap.contains(id) }

  @inline(__always)
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    heap.update(request.id, key: priority(request).bitPattern, order: order.next())
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    heap.update(request.id, key: priority(request).bitPattern, order: order.next())
  }

  @inline(__always)
  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    let (victim, priority) = heap.popMinimum()
    floor = Double(bitPattern: priority)
    return victim
  }

  @inline(__always)
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    heap.insert(request.id, key: priority(request).bitPattern, order: order.next())
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if contains(id) { heap.remove(id) }
  }

  static var knowsVictim: Bool { true }

  var victim: ObjectID { heap.minimum() }

  mutating func reserve(objects: Int) { heap.reserve(objects: objects) }

  @inline(__always)
  func prefetch(_ id: ObjectID) { heap.prefetch(id) }

  @inline(__always)
  func prefetchNeighbours(_ id: ObjectID) { heap.prefetchEntry(id) }

  var stateBytes: Int { heap.bytes }

  /// Never negative, so that its bits order as it does. Scaled by 10^6 a byte, as GDSF is; an
  /// object of size 0 counts as 1.
  @inline(__always)
  private func priority(_ request: Request) -> Double {
    floor + Double(request.cost) * 1e6 / Double(max(request.size, 1))
  }
}
