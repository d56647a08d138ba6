/// A policy of two lists of residents, numbered 0 and 1, and of ghosts in those after them: what
/// 2Q, ARC and CAR have in common. A policy says what moves between the lists, and when.
protocol TwoListPolicy: EvictionPolicy, ~Copyable {
  /// The resident objects and the ghosts.
  var lists: WeightedLists { get set }
}

extension TwoListPolicy where Self: ~Copyable {
  @inline(__always)
  func contains(_ id: ObjectID) -> Bool {
    let place = lists.place(id)
    return place == 1 || place == 2
  }

  @inline(__always)
  func remembers(_ id: ObjectID) -> Bool { lists.place(id) != 0 }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    lists.reweigh(request.id, request.size)
    hit(request, sizes)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if lists.place(id) != 0 { lists.remove(id) }
  }

  mutating func reserve(objects: Int) { lists.reserve(objects: objects) }

  @inline(__always)
  func prefetch(_ id: ObjectID) { lists.prefetch(id) }

  @inline(__always)
  func prefetchNeighbours(_ id: ObjectID) { lists.prefetchNeighbours(id) }

  var stateBytes: Int { lists.bytes }
}
