/// A policy whose residents are the objects in a heap and whose victim is the smallest of them:
/// what such policies have in common. A policy says what the keys are.
public protocol HeapPolicy: EvictionPolicy, ~Copyable {
  /// The resident objects.
  var heap: IndexedHeap { get set }
}

extension HeapPolicy where Self: ~Copyable {
  /// Whether the object is resident.
  @inlinable
  @inline(__always)
  public func contains(_ id: ObjectID) -> Bool { heap.contains(id) }

  /// Removes whatever is known of the object.
  @inlinable
  public mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if heap.contains(id) { heap.remove(id) }
  }

  /// It can say what it would evict.
  @inlinable
  public static var knowsVictim: Bool { true }

  /// What `evict` would return now.
  @inlinable
  public var victim: ObjectID { heap.minimum() }

  /// Makes room for ids up to `objects`.
  public mutating func reserve(objects: Int) { heap.reserve(objects: objects) }

  /// Brings the object's state near.
  @inlinable
  @inline(__always)
  public func prefetch(_ id: ObjectID) { heap.prefetch(id) }

  /// Brings what the object's state points to near.
  @inlinable
  @inline(__always)
  public func prefetchNeighbours(_ id: ObjectID) { heap.prefetchEntry(id) }

  /// Memory held, in bytes.
  public var stateBytes: Int { heap.bytes }
}
