/// A policy that keeps its residents in one list ordered by their last request, the latest at the
/// front, such as LRU and MRU. Conforming types choose the end that is evicted.
@usableFromInline package protocol OneListPolicy: EvictionPolicy, ~Copyable {
  var list: LinkedLists { get set }
}

extension OneListPolicy where Self: ~Copyable {
  @inlinable @inline(__always) package func contains(_ id: ObjectID) -> Bool { list.contains(id) }

  @inlinable @inline(__always) package mutating func hit(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    list.moveToFront(request.id)
  }

  @inlinable @inline(__always) package mutating func evict(
    for request: Request, _ sizes: some ObjectSizes
  ) -> ObjectID {
    let victim = victim
    list.remove(victim)
    return victim
  }

  @inlinable @inline(__always) package mutating func insert(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    list.pushFront(request.id)
  }

  @inlinable package mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if list.contains(id) { list.remove(id) }
  }

  @usableFromInline package mutating func reserve(objects: Int) { list.reserve(objects: objects) }

  @inlinable @inline(__always) package func prefetch(_ id: ObjectID) { list.prefetch(id) }

  @inlinable @inline(__always) package func prefetchNeighbours(_ id: ObjectID) {
    list.prefetchNeighbours(id)
  }

  @usableFromInline package var stateBytes: Int { list.bytes }
}

/// A policy with two lists of residents, numbered 0 and 1, and lists of ghosts after them, such as
/// 2Q, ARC and CAR. Conforming types move objects between the lists.
@usableFromInline package protocol TwoListPolicy: EvictionPolicy, ~Copyable {
  var lists: WeightedLists { get set }
}

extension TwoListPolicy where Self: ~Copyable {
  @inlinable @inline(__always) package func contains(_ id: ObjectID) -> Bool {
    let place = lists.place(id)
    return place == 1 || place == 2
  }

  @inlinable @inline(__always) package func remembers(_ id: ObjectID) -> Bool {
    lists.place(id) != 0
  }

  @inlinable package mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    lists.reweigh(request.id, request.size)
    hit(request, sizes)
  }

  @inlinable package mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if lists.place(id) != 0 { lists.remove(id) }
  }

  @usableFromInline package mutating func reserve(objects: Int) { lists.reserve(objects: objects) }

  @inlinable @inline(__always) package func prefetch(_ id: ObjectID) { lists.prefetch(id) }

  @inlinable @inline(__always) package func prefetchNeighbours(_ id: ObjectID) {
    lists.prefetchNeighbours(id)
  }

  @usableFromInline package var stateBytes: Int { lists.bytes }
}
