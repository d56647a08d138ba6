/// LFU with dynamic ageing: what was popular long ago does not stay for ever.
struct LFUDA: EvictionPolicy, HeapPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "lfuda", family: .frequency,
    summary: "Priority age + requests, where the age is the priority of the last victim, updated "
      + "with each request; the lowest is evicted. O(log n).",
    paper: "Arlitt, Cherkasova, Dilley, Friedrich and Jin, Evaluating content management "
      + "techniques for web proxy caches, Performance Evaluation Review 2000")

  var heap: IndexedHeap
  private var frequencies: Column<UInt32>
  private var age: UInt64 = 0
  private var order = OrderCounter()

  init(_ setup: PolicySetup) {
    heap = IndexedHeap(objects: setup.objects, capacity: setup.expectedResidents)
    frequencies = Column(objects: setup.objects)
  }

  @inline(__always)
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    let frequency = frequencies[request.id] &+ 1
    frequencies[request.id] = frequency
    heap.update(request.id, key: age + UInt64(frequency), order: order.next())
  }

  @inline(__always)
  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    let (victim, priority) = heap.popMinimum()
    age = priority
    return victim
  }

  @inline(__always)
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    frequencies[request.id] = 1
    heap.insert(request.id, key: age + 1, order: order.next())
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
}
