/// LFU with dynamic ageing: formerly popular objects do not stay for ever.
struct LFUDA: EvictionPolicy, FloorPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "lfuda", family: .frequency, traits: .namesVictim,
    summary: "Priority age + requests, where the age is the priority of the last victim, updated "
      + "with each request; the lowest is evicted. O(log n).",
    paper: "Arlitt, Cherkasova, Dilley, Friedrich and Jin, Evaluating content management "
      + "techniques for web proxy caches, Performance Evaluation Review 2000")

  var heap: RadixHeap
  // The age, a whole number.
  var floor = 0.0
  var order = OrderCounter()
  private var frequencies: Column<UInt32>

  init(_ setup: PolicySetup) {
    heap = RadixHeap(objects: setup.objects)
    frequencies = Column(objects: setup.objects)
  }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    frequencies[request.id] &+= 1
    heap.update(request.id, key: priority(request).bitPattern, order: order.next())
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    frequencies[request.id] = 1
    heap.insert(request.id, key: priority(request).bitPattern, order: order.next())
  }

  @inline(__always) func priority(_ request: Request) -> Double {
    floor + Double(frequencies[request.id])
  }

  mutating func reserve(objects: Int) {
    heap.reserve(objects: objects)
    frequencies.reserve(objects: objects)
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    heap.prefetch(id)
    frequencies.prefetch(id)
  }

  var stateBytes: Int { heap.bytes + frequencies.bytes }
}
