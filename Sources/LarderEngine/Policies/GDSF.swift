/// GreedyDual-Size-Frequency.
struct GDSF: EvictionPolicy, HeapPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "gdsf", family: .value,
    summary: "Priority L + requests * cost / size, where L is the priority of the last victim; "
      + "the lowest is evicted. O(log n).",
    needs: [.size, .cost],
    paper: "Cherkasova, Improving WWW proxies performance with Greedy-Dual-Size-Frequency caching "
      + "policy, HP Labs 1998")

  var heap: IndexedHeap
  private var frequencies: Column<UInt32>
  private var floor = 0.0
  private var order = OrderCounter()

  init(_ setup: PolicySetup) {
    heap = IndexedHeap(objects: setup.objects, capacity: setup.expectedResidents)
    frequencies = Column(objects: setup.objects)
  }

  @inline(__always)
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    let frequency = frequencies[request.id] &+ 1
    frequencies[request.id] = frequency
    heap.update(request.id, key: priority(request, frequency).bitPattern, order: order.next())
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    frequencies[request.id] &+= 1
    let priority = priority(request, frequencies[request.id])
    heap.update(request.id, key: priority.bitPattern, order: order.next())
  }

  @inline(__always)
  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    let (victim, priority) = heap.popMinimum()
    floor = Double(bitPattern: priority)
    return victim
  }

  @inline(__always)
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    frequencies[request.id] = 1
    heap.insert(request.id, key: priority(request, 1).bitPattern, order: order.next())
  }

  mutating func reserve(objects: Int) {
    heap.reserve(objects: objects)
    frequencies.reserve(objects: objects)
  }

  @inline(__always)
  func prefetch(_ id: ObjectID) {
    heap.prefetch(id)
    frequencies.prefetch(id)
  }

  var stateBytes: Int { heap.bytes + frequencies.bytes }

  /// Never negative, so that its bits order as it does. Scaled by 10^6 a byte, so that differences
  /// survive beside a large L; an object of size 0 counts as 1.
  @inline(__always)
  private func priority(_ request: Request, _ frequency: UInt32) -> Double {
    floor + Double(frequency) * Double(request.cost) * 1e6 / Double(max(request.size, 1))
  }
}
