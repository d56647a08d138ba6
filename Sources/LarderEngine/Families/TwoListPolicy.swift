/// A policy of two lists of residents, numbered 0 and 1, and of ghosts in those after them: what
/// 2Q, ARC and CAR have in common. A policy says what moves between the lists, and when.
public protocol TwoListPolicy: EvictionPolicy, ~Copyable {
  /// The resident objects and the ghosts.
  var lists: WeightedLists { get set }
}

extension TwoListPolicy where Self: ~Copyable {
  /// Whether the object is resident.
  @inlinable
  @inline(__always)
  public func contains(_ id: ObjectID) -> Bool {
    let place = lists.place(id)
    return place == 1 || place == 2
  }

  /// Whether the object is resident or a ghost.
  @inlinable
  @inline(__always)
  public func remembers(_ id: ObjectID) -> Bool { lists.place(id) != 0 }

  /// A resident object's value is replaced.
  @inlinable
  public mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    lists.reweigh(request.id, request.size)
    hit(request, sizes)
  }

  /// Removes whatever is known of the object.
  @inlinable
  public mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if lists.place(id) != 0 { lists.remove(id) }
  }

  /// Makes room for ids up to `objects`.
  public mutating func reserve(objects: Int) { lists.reserve(objects: objects) }

  /// Brings the object's state near.
  @inlinable
  @inline(__always)
  public func prefetch(_ id: ObjectID) { lists.prefetch(id) }

  /// Brings what the object's state points to near.
  @inlinable
  @inline(__always)
  public func prefetchNeighbours(_ id: ObjectID) { lists.prefetchNeighbours(id) }

  /// Memory held, in bytes.
  public var stateBytes: Int { lists.bytes }
}
