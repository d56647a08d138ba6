/// A policy whose residents are the objects in one list by their last request, the latest at the
/// front: what LRU and MRU have in common. A policy says at which end it evicts.
protocol OneListPolicy: EvictionPolicy, ~Copyable {
  /// The resident objects.
  var list: LinkedLists { get set }
}

extension OneListPolicy where Self: ~Copyable {
  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { list.contains(id) }

  @inline(__always)
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    list.moveToFront(request.id)
  }

  @inline(__always)
  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    let victim = victim
    list.remove(victim)
    return victim
  }

  @inline(__always)
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    list.pushFront(request.id)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if list.contains(id) { list.remove(id) }
  }

  static var knowsVictim: Bool { true }

  mutating func reserve(objects: Int) { list.reserve(objects: objects) }

  @inline(__always)
  func prefetch(_ id: ObjectID) { list.prefetch(id) }

  @inline(__always)
  func prefetchNeighbours(_ id: ObjectID) { list.prefetchNeighbours(id) }

  var stateBytes: Int { list.bytes }
}
