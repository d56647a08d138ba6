/// A policy that keeps its residents in a heap and evicts the smallest. Conforming types define the
/// keys.
@usableFromInline package protocol HeapPolicy: EvictionPolicy, ~Copyable {
  var heap: IndexedHeap { get set }
}

extension HeapPolicy where Self: ~Copyable {
  @inlinable @inline(__always) package func contains(_ id: ObjectID) -> Bool { heap.contains(id) }

  @inlinable package mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if heap.contains(id) { heap.remove(id) }
  }

  @inlinable package var victim: ObjectID { heap.minimum() }

  @usableFromInline package mutating func reserve(objects: Int) { heap.reserve(objects: objects) }

  @inlinable @inline(__always) package func prefetch(_ id: ObjectID) { heap.prefetch(id) }

  @inlinable @inline(__always) package func prefetchNeighbours(_ id: ObjectID) {
    heap.prefetchEntry(id)
  }

  @usableFromInline package var stateBytes: Int { heap.bytes }
}

/// A policy with a heap of priorities above a floor, which each victim raises to its own priority,
/// so that residents age relative to newer objects. Conforming types define the value that is added
/// to the floor.
@usableFromInline package protocol FloorPolicy: EvictionPolicy, ~Copyable {
  var heap: RadixHeap { get set }
  var floor: PriorityFloor { get set }
  /// True if the value depends on the number of requests.
  static var countsRequests: Bool { get }
  /// The value of an object that is requested or stored, not negative; `requests` is 1 unless they
  /// count.
  func value(_ request: Request, requests: UInt32) -> Double
  init(heap: consuming RadixHeap, floor: consuming PriorityFloor)
}

/// The floor of a policy's priorities, and what the priorities are made from.
///
/// Memory: 4 bytes an object if requests count.
@usableFromInline package struct PriorityFloor: ~Copyable {
  // The priority of the last evicted object; the paper's L.
  @usableFromInline var value = 0.0
  // Orders objects of equal priority.
  @usableFromInline var order = OrderCounter()
  // Requests of each resident object.
  @usableFromInline var requests: Column<UInt32>

  @usableFromInline package init(_ setup: PolicySetup, countsRequests: Bool) {
    requests = Column(objects: countsRequests ? setup.objects : 0)
  }
}

extension FloorPolicy where Self: ~Copyable {
  @inlinable @inline(__always) package func contains(_ id: ObjectID) -> Bool { heap.contains(id) }

  @inlinable package init(_ setup: PolicySetup) {
    self.init(
      heap: RadixHeap(objects: setup.objects),
      floor: PriorityFloor(setup, countsRequests: Self.countsRequests))
  }

  @inlinable package static var countsRequests: Bool { false }

  @inlinable @inline(__always) package mutating func hit(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    if Self.countsRequests { floor.requests[request.id] &+= 1 }
    heap.update(request.id, key: priority(request), order: floor.order.next())
  }

  // Not negative, so its bits sort like the priority.
  @inlinable @inline(__always) func priority(_ request: Request) -> UInt64 {
    let requests = Self.countsRequests ? floor.requests[request.id] : 1
    return (floor.value + value(request, requests: requests)).bitPattern
  }

  @inlinable @inline(__always) package mutating func evict(
    for request: Request, _ sizes: some ObjectSizes
  ) -> ObjectID {
    let (victim, priority) = heap.popMinimum()
    floor.value = Double(bitPattern: priority)
    return victim
  }

  @inlinable @inline(__always) package mutating func insert(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    if Self.countsRequests { floor.requests[request.id] = 1 }
    heap.insert(request.id, key: priority(request), order: floor.order.next())
  }

  @inlinable package mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if heap.contains(id) { heap.remove(id) }
  }

  @inlinable package var victim: ObjectID { heap.minimum() }

  // A search for the next victim pays only when it is evicted.
  @inlinable @inline(__always) package var candidate: ObjectID { .none }

  @usableFromInline package mutating func reserve(objects: Int) {
    heap.reserve(objects: objects)
    if Self.countsRequests { floor.requests.reserve(objects: objects) }
  }

  @inlinable @inline(__always) package func prefetch(_ id: ObjectID) {
    heap.prefetch(id)
    if Self.countsRequests { floor.requests.prefetch(id) }
  }

  @inlinable @inline(__always) package func prefetchNeighbours(_ id: ObjectID) {
    heap.prefetchKey(id)
  }

  @usableFromInline package var stateBytes: Int {
    heap.bytes + (Self.countsRequests ? floor.requests.bytes : 0)
  }
}
