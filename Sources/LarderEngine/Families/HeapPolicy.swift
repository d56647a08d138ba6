/// A policy whose residents are the objects in a heap and whose victim is the smallest of them:
/// what such policies have in common. A policy says what the keys are.
protocol HeapPolicy: EvictionPolicy, ~Copyable {
  /// The resident objects.
  var heap: IndexedHeap { get set }
}

extension HeapPolicy where Self: ~Copyable {
  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { heap.contains(id) }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if heap.contains(id) { heap.remove(id) }
  }

  static var knowsVictim: Bool { true }

  var victim: ObjectID { heap.minimum() }

  mutating func reserve(objects: Int) { heap.reserve(objects: objects) }

  @inline(__always)
  func prefetch(_ id: ObjectID) { heap.prefetch(id) }

  @inline(__always)
  func prefetchNeighbours(_ id: ObjectID) { heap.prefetchEntry(id) }

  var stateBytes: Int { heap.bytes }
}
