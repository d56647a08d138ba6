/// A policy that keeps its residents in one list ordered by their last request, the latest at the
/// front, such as LRU and MRU. Conforming types choose the end that is evicted.
public protocol OneListPolicy: EvictionPolicy, ~Copyable {
  var list: LinkedLists { get set }
}

extension OneListPolicy where Self: ~Copyable {
  /// Returns true if the object is resident.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool { list.contains(id) }

  /// Moves a resident object that is requested to the front.
  @inlinable @inline(__always) public mutating func hit(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    list.moveToFront(request.id)
  }

  /// Evicts one resident object and returns it.
  @inlinable @inline(__always) public mutating func evict(
    for request: Request, _ sizes: some ObjectSizes
  ) -> ObjectID {
    let victim = victim
    list.remove(victim)
    return victim
  }

  /// Stores a missing object at the front.
  @inlinable @inline(__always) public mutating func insert(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    list.pushFront(request.id)
  }

  /// Removes all state of the object.
  @inlinable public mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if list.contains(id) { list.remove(id) }
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { list.reserve(objects: objects) }

  /// Prefetches the object's state.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { list.prefetch(id) }

  /// Prefetches the neighbours of the object in the list.
  @inlinable @inline(__always) public func prefetchNeighbours(_ id: ObjectID) {
    list.prefetchNeighbours(id)
  }

  /// Memory held, in bytes.
  public var stateBytes: Int { list.bytes }
}

/// A policy with two lists of residents, numbered 0 and 1, and lists of ghosts after them, such as
/// 2Q, ARC and CAR. Conforming types move objects between the lists.
public protocol TwoListPolicy: EvictionPolicy, ~Copyable {
  var lists: WeightedLists { get set }
}

extension TwoListPolicy where Self: ~Copyable {
  /// Returns true if the object is resident.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool {
    let place = lists.place(id)
    return place == 1 || place == 2
  }

  /// Returns true if the object is resident or a ghost.
  @inlinable @inline(__always) public func remembers(_ id: ObjectID) -> Bool {
    lists.place(id) != 0
  }

  /// Updates the weight of a resident object whose value is replaced.
  @inlinable public mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    lists.reweigh(request.id, request.size)
    hit(request, sizes)
  }

  /// Removes all state of the object.
  @inlinable public mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if lists.place(id) != 0 { lists.remove(id) }
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { lists.reserve(objects: objects) }

  /// Prefetches the object's state.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { lists.prefetch(id) }

  /// Prefetches the neighbours of the object in its list.
  @inlinable @inline(__always) public func prefetchNeighbours(_ id: ObjectID) {
    lists.prefetchNeighbours(id)
  }

  /// Memory held, in bytes.
  public var stateBytes: Int { lists.bytes }
}
