/// A policy that keeps its residents in a heap and evicts the smallest. Conforming types define the
/// keys.
public protocol HeapPolicy: EvictionPolicy, ~Copyable {
  /// The resident objects.
  var heap: IndexedHeap { get set }
}

extension HeapPolicy where Self: ~Copyable {
  /// Returns true if the object is resident.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool { heap.contains(id) }

  /// Removes all state of the object.
  @inlinable public mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if heap.contains(id) { heap.remove(id) }
  }

  /// The object that `evict` would return now.
  @inlinable public var victim: ObjectID { heap.minimum() }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { heap.reserve(objects: objects) }

  /// Prefetches the object's state.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { heap.prefetch(id) }

  /// Prefetches the heap entry that the object's state points to.
  @inlinable @inline(__always) public func prefetchNeighbours(_ id: ObjectID) {
    heap.prefetchEntry(id)
  }

  /// Memory held, in bytes.
  public var stateBytes: Int { heap.bytes }
}

/// A policy with a heap of priorities above a floor, which each victim raises to its own priority,
/// so that residents age relative to newer objects. Conforming types define the priority.
public protocol FloorPolicy: EvictionPolicy, ~Copyable {
  /// The resident objects.
  var heap: RadixHeap { get set }
  /// The priority of the last evicted object; the paper's L.
  var floor: Double { get set }
  /// Orders objects of equal priority.
  var order: OrderCounter { get set }
  /// The priority of an object that is requested or stored. Never negative, so its bits sort like
  /// its value.
  func priority(_ request: Request) -> Double
}

extension FloorPolicy where Self: ~Copyable {
  /// Returns true if the object is resident.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool { heap.contains(id) }

  /// Updates the priority of a resident object that is requested.
  @inlinable @inline(__always) public mutating func hit(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    heap.update(request.id, key: priority(request).bitPattern, order: order.next())
  }

  /// Evicts one resident object and returns it.
  @inlinable @inline(__always) public mutating func evict(
    for request: Request, _ sizes: some ObjectSizes
  ) -> ObjectID {
    let (victim, priority) = heap.popMinimum()
    floor = Double(bitPattern: priority)
    return victim
  }

  /// Stores a missing object.
  @inlinable @inline(__always) public mutating func insert(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    heap.insert(request.id, key: priority(request).bitPattern, order: order.next())
  }

  /// Removes all state of the object.
  @inlinable public mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if heap.contains(id) { heap.remove(id) }
  }

  /// The object that `evict` would return now.
  @inlinable public var victim: ObjectID { heap.minimum() }

  /// Always `.none`: a search for the next victim pays only when it is evicted.
  @inlinable @inline(__always) public var candidate: ObjectID { .none }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { heap.reserve(objects: objects) }

  /// Prefetches the object's state.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { heap.prefetch(id) }

  /// Prefetches the key that the object's state points to.
  @inlinable @inline(__always) public func prefetchNeighbours(_ id: ObjectID) {
    heap.prefetchKey(id)
  }

  /// Memory held, in bytes.
  public var stateBytes: Int { heap.bytes }
}
