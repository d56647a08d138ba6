/// A policy whose residents are the objects in a heap and whose victim is the smallest of them:
/// what such policies have in common. A policy says what the keys are.
public protocol HeapPolicy: EvictionPolicy, ~Copyable {
  /// The resident objects.
  var heap: IndexedHeap { get set }
}

extension HeapPolicy where Self: ~Copyable {
  /// Whether the object is resident.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool { heap.contains(id) }

  /// Removes whatever is known of the object.
  @inlinable public mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if heap.contains(id) { heap.remove(id) }
  }

  /// It can say what it would evict.
  @inlinable public static var knowsVictim: Bool { true }

  /// What `evict` would return now.
  @inlinable public var victim: ObjectID { heap.minimum() }

  /// Makes room for ids up to `objects`.
  public mutating func reserve(objects: Int) { heap.reserve(objects: objects) }

  /// Brings the object's state near.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { heap.prefetch(id) }

  /// Brings what the object's state points to near.
  @inlinable @inline(__always) public func prefetchNeighbours(_ id: ObjectID) {
    heap.prefetchEntry(id)
  }

  /// Memory held, in bytes.
  public var stateBytes: Int { heap.bytes }
}

/// A policy of a heap whose priorities stand on a floor that each victim raises to its own: objects
/// age against those that come later. A policy says what the priority of a request is.
public protocol FloorPolicy: EvictionPolicy, ~Copyable {
  /// The resident objects.
  var heap: RadixHeap { get set }
  /// The priority of the last evicted object; the paper's L.
  var floor: Double { get set }
  /// What ties go by.
  var order: OrderCounter { get set }
  /// The priority of an object when it is requested or stored: never negative, so that its bits
  /// order as it does.
  func priority(_ request: Request) -> Double
}

extension FloorPolicy where Self: ~Copyable {
  /// Whether the object is resident.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool { heap.contains(id) }

  /// A resident object is requested.
  @inlinable @inline(__always) public mutating func hit(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    heap.update(request.id, key: priority(request).bitPattern, order: order.next())
  }

  /// Gives up one resident object and returns it.
  @inlinable @inline(__always) public mutating func evict(
    for request: Request, _ sizes: some ObjectSizes
  ) -> ObjectID {
    let (victim, priority) = heap.popMinimum()
    floor = Double(bitPattern: priority)
    return victim
  }

  /// A missing object is stored.
  @inlinable @inline(__always) public mutating func insert(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    heap.insert(request.id, key: priority(request).bitPattern, order: order.next())
  }

  /// Removes whatever is known of the object.
  @inlinable public mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if heap.contains(id) { heap.remove(id) }
  }

  /// It can say what it would evict.
  @inlinable public static var knowsVictim: Bool { true }

  /// What `evict` would return now.
  @inlinable public var victim: ObjectID { heap.minimum() }

  /// None: a search for the next victim pays only where it is evicted.
  @inlinable @inline(__always) public var candidate: ObjectID { .none }

  /// Makes room for ids up to `objects`.
  public mutating func reserve(objects: Int) { heap.reserve(objects: objects) }

  /// Brings the object's state near.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { heap.prefetch(id) }

  /// Brings what the object's state points to near.
  @inlinable @inline(__always) public func prefetchNeighbours(_ id: ObjectID) {
    heap.prefetchKey(id)
  }

  /// Memory held, in bytes.
  public var stateBytes: Int { heap.bytes }
}
