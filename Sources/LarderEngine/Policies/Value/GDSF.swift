/// GreedyDual-Size-Frequency.
struct GDSF: EvictionPolicy, FloorPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "gdsf", family: .value, traits: .namesVictim,
    summary: "Priority L + requests * cost / size, where L is the priority of the last victim; "
      + "the lowest is evicted. O(log n).",
    needs: [.size, .cost],
    paper: "Cherkasova, Improving WWW proxies performance with Greedy-Dual-Size-Frequency caching "
      + "policy, HP Labs 1998")

  var heap: RadixHeap
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

  mutating func reserve(objects: Int) {
    heap.reserve(objects: objects)
    frequencies.reserve(objects: objects)
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    heap.prefetch(id)
    frequencies.prefetch(id)
  }

  var stateBytes: Int { heap.bytes + frequencies.bytes }

  /// Never negative, so that its bits order as it does. Scaled by 10^6 a byte, so that differences
  /// survive beside a large L; an object of size 0 counts as 1.
  @inline(__always) func priority(_ request: Request) -> Double {
    let value = Double(frequencies[request.id]) * Double(request.cost)
    return floor + value * 1e6 / Double(max(request.size, 1))
  }
}
