/// A policy whose residents are the objects in one list by their last request, the latest at the
/// front: what LRU and MRU have in common. A policy says at which end it evicts.
public protocol OneListPolicy: EvictionPolicy, ~Copyable {
  /// The resident objects.
  var list: LinkedLists { get set }
}

extension OneListPolicy where Self: ~Copyable {
  /// Whether the object is resident.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool { list.contains(id) }

  /// A resident object is requested.
  @inlinable @inline(__always) public mutating func hit(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    list.moveToFront(request.id)
  }

  /// Gives up one resident object and returns it.
  @inlinable @inline(__always) public mutating func evict(
    for request: Request, _ sizes: some ObjectSizes
  ) -> ObjectID {
    let victim = victim
    list.remove(victim)
    return victim
  }

  /// A missing object is stored.
  @inlinable @inline(__always) public mutating func insert(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    list.pushFront(request.id)
  }

  /// Removes whatever is known of the object.
  @inlinable public mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if list.contains(id) { list.remove(id) }
  }

  /// It can say what it would evict.
  @inlinable public static var knowsVictim: Bool { true }

  /// Makes room for ids up to `objects`.
  public mutating func reserve(objects: Int) { list.reserve(objects: objects) }

  /// Brings the object's state near.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { list.prefetch(id) }

  /// Brings what the object's state points to near.
  @inlinable @inline(__always) public func prefetchNeighbours(_ id: ObjectID) {
    list.prefetchNeighbours(id)
  }

  /// Memory held, in bytes.
  public var stateBytes: Int { list.bytes }
}

/// A policy of two lists of residents, numbered 0 and 1, and of ghosts in those after them: what
/// 2Q, ARC and CAR have in common. A policy says what moves between the lists, and when.
public protocol TwoListPolicy: EvictionPolicy, ~Copyable {
  /// The resident objects and the ghosts.
  var lists: WeightedLists { get set }
}

extension TwoListPolicy where Self: ~Copyable {
  /// Whether the object is resident.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool {
    let place = lists.place(id)
    return place == 1 || place == 2
  }

  /// Whether the object is resident or a ghost.
  @inlinable @inline(__always) public func remembers(_ id: ObjectID) -> Bool {
    lists.place(id) != 0
  }

  /// A resident object's value is replaced.
  @inlinable public mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    lists.reweigh(request.id, request.size)
    hit(request, sizes)
  }

  /// Removes whatever is known of the object.
  @inlinable public mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if lists.place(id) != 0 { lists.remove(id) }
  }

  /// Makes room for ids up to `objects`.
  public mutating func reserve(objects: Int) { lists.reserve(objects: objects) }

  /// Brings the object's state near.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { lists.prefetch(id) }

  /// Brings what the object's state points to near.
  @inlinable @inline(__always) public func prefetchNeighbours(_ id: ObjectID) {
    lists.prefetchNeighbours(id)
  }

  /// Memory held, in bytes.
  public var stateBytes: Int { lists.bytes }
}
