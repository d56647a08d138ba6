/// One or more doubly linked lists over the same objects, each object in at most one of them. Links
/// are indexes: 8 bytes an object. Each list is closed into a circle by a sentinel node, so no
/// operation has a special case for an end.
public struct LinkedLists: ~Copyable {
  /// The links of a node; `next` is 0 for a node that is in no list.
  @usableFromInline struct Links: BitwiseCopyable {
    @usableFromInline var previous: UInt32
    @usableFromInline var next: UInt32

    @inlinable @inline(__always) init(previous: UInt32, next: UInt32) {
      self.previous = previous
      self.next = next
    }
  }

  // Node 0 is unused, nodes 1 to `lists` are sentinels, node `lists` + id is the object.
  @usableFromInline var nodes: Column<Links>
  @usableFromInline let lists: UInt32

  /// Creates `lists` empty lists, numbered from 0, for ids up to `objects`.
  public init(lists: Int = 1, objects: Int) {
    precondition(lists >= 1 && objects >= 0, "\(lists) lists of \(objects) objects")
    self.lists = UInt32(lists)
    nodes = Column(objects: objects + lists)
    for node in 1...UInt32(lists) { nodes[node] = Links(previous: node, next: node) }
  }

  /// Returns true if the object is in any list.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool {
    nodes[id + lists].next != 0
  }

  /// Inserts an object that is in no list at the front of `list`.
  @inlinable @inline(__always) public mutating func pushFront(_ id: ObjectID, list: UInt32 = 0) {
    assert(!contains(id) && list < lists)
    link(id + lists, behind: list + 1)
  }

  /// Removes an object from its list.
  @inlinable @inline(__always) public mutating func remove(_ id: ObjectID) {
    assert(contains(id))
    let node = id + lists
    unlink(node)
    nodes[node] = Links(previous: 0, next: 0)
  }

  /// Moves an object from its list to the front of `list`.
  @inlinable @inline(__always) public mutating func moveToFront(_ id: ObjectID, list: UInt32 = 0) {
    assert(contains(id) && list < lists)
    let node = id + lists
    if nodes[list + 1].next == node { return }
    unlink(node)
    link(node, behind: list + 1)
  }

  /// The object at the front, or `.none`.
  @inlinable @inline(__always) public func front(list: UInt32 = 0) -> ObjectID {
    object(nodes[list + 1].next)
  }

  /// The object at the back, or `.none`.
  @inlinable @inline(__always) public func back(list: UInt32 = 0) -> ObjectID {
    object(nodes[list + 1].previous)
  }

  /// The object in front of another one in its list, or `.none` at the front.
  @inlinable @inline(__always) public func ahead(of id: ObjectID) -> ObjectID {
    object(nodes[id + lists].previous)
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { nodes.reserve(objects: objects + Int(lists)) }

  /// Prefetches the object's links.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { nodes.prefetch(id + lists) }

  /// Prefetches the links of the object's neighbours; reads the object's links.
  @inlinable @inline(__always) public func prefetchNeighbours(_ id: ObjectID) {
    let links = nodes[id + lists]
    nodes.prefetch(links.previous)
    nodes.prefetch(links.next)
  }

  /// Prefetches the nodes that removing the object at the back changes.
  @inlinable @inline(__always) public func prefetchBack(list: UInt32 = 0) {
    nodes.prefetch(nodes[nodes[list + 1].previous].previous)
  }

  /// Memory held, in bytes.
  public var bytes: Int { nodes.bytes }

  @inlinable @inline(__always) func object(_ node: UInt32) -> ObjectID {
    node > lists ? node - lists : .none
  }

  @inlinable @inline(__always) mutating func link(_ node: UInt32, behind previous: UInt32) {
    let next = nodes[previous].next
    nodes[node] = Links(previous: previous, next: next)
    nodes[previous].next = node
    nodes[next].previous = node
  }

  @inlinable @inline(__always) mutating func unlink(_ node: UInt32) {
    let links = nodes[node]
    nodes[links.previous].next = links.next
    nodes[links.next].previous = links.previous
  }
}

/// Several doubly linked lists over the same objects, with the total weight of each. Weights are
/// kept here because the cache does not keep those of ghosts. Memory: 9 bytes an object, and 4 more
/// with different sizes.
public struct WeightedLists: ~Copyable {
  @usableFromInline var lists: LinkedLists
  // List of each object plus one; 0 for an object in no list.
  @usableFromInline var places: Column<UInt8>
  @usableFromInline var weights: Column<UInt32>
  @usableFromInline let weighs: Bool
  @usableFromInline var sums: Column<UInt64>
  // Members of each list, counted with different sizes, and the total of those before the ghosts.
  @usableFromInline var counts: Column<Int>
  @usableFromInline let firstGhosts: UInt32
  @usableFromInline var residents = 0
  @usableFromInline var limit = GhostLimit()

  /// Creates `lists` empty lists, numbered from 0, for ids up to `objects`; unless `weighs`, every
  /// object weighs 1. Lists from `ghosts` on hold objects that are not resident: `trim` keeps them
  /// within a `GhostLimit`.
  public init(lists count: Int, objects: Int, weighs: Bool, ghosts: UInt32 = .max) {
    firstGhosts = ghosts
    counts = Column(objects: count)
    lists = LinkedLists(lists: count, objects: objects)
    places = Column(objects: objects)
    weights = Column(objects: weighs ? objects : 0)
    self.weighs = weighs
    sums = Column(objects: count)
  }

  /// The number of the object's list plus one, or 0 for none.
  @inlinable @inline(__always) public func place(_ id: ObjectID) -> UInt8 { places[id] }

  /// Returns true if the object is in the list.
  @inlinable @inline(__always) public func contains(_ id: ObjectID, in list: UInt32) -> Bool {
    UInt32(places[id]) == list + 1
  }

  /// The total weight of a list.
  @inlinable @inline(__always) public func weight(of list: UInt32) -> UInt64 { sums[list] }

  /// The weight of a member.
  @inlinable @inline(__always) public func weight(_ id: ObjectID) -> UInt32 {
    weighs ? weights[id] : 1
  }

  /// The object at the back of a list, or `.none`.
  @inlinable @inline(__always) public func back(of list: UInt32) -> ObjectID {
    lists.back(list: list)
  }

  /// The member in front of another in its list, or `.none` at the front.
  @inlinable @inline(__always) public func ahead(of id: ObjectID) -> ObjectID {
    lists.ahead(of: id)
  }

  /// Inserts an object that is in no list at the front of one.
  @inlinable @inline(__always) public mutating func pushFront(
    _ id: ObjectID, to list: UInt32, weight: UInt32
  ) {
    lists.pushFront(id, list: list)
    places[id] = UInt8(truncatingIfNeeded: list + 1)
    if weighs { weights[id] = weight }
    sums[list] += weighs ? UInt64(weight) : 1
    if weighs { count(1, in: list) }
  }

  /// Moves a member of any list to the front of one.
  @inlinable @inline(__always) public mutating func moveToFront(_ id: ObjectID, of list: UInt32) {
    let old = UInt32(places[id]) - 1
    lists.moveToFront(id, list: list)
    guard old != list else { return }
    let weight = UInt64(weight(id))
    places[id] = UInt8(truncatingIfNeeded: list + 1)
    sums[old] -= weight
    sums[list] += weight
    if weighs {
      count(-1, in: old)
      count(1, in: list)
    }
  }

  /// Removes a member from its list.
  @inlinable @inline(__always) public mutating func remove(_ id: ObjectID) {
    let list = UInt32(places[id]) - 1
    sums[list] -= UInt64(weight(id))
    if weighs { count(-1, in: list) }
    places[id] = 0
    lists.remove(id)
  }

  /// Changes the weight of a member.
  public mutating func reweigh(_ id: ObjectID, _ weight: UInt32) {
    guard weighs else { return }
    let list = UInt32(places[id]) - 1
    sums[list] = sums[list] - UInt64(weights[id]) + UInt64(weight)
    weights[id] = weight
  }

  /// The number of members of a list; known only with different sizes.
  @inlinable @inline(__always) public func count(of list: UInt32) -> Int { counts[list] }

  /// Removes members at the back of a list of ghosts until they weigh at most `capacity` and, with
  /// different sizes, their number is within the limit.
  @inlinable @inline(__always) public mutating func trim(_ list: UInt32, to capacity: UInt64) {
    while sums[list] > capacity || (weighs && counts[list] > limit.ghosts) {
      remove(lists.back(list: list))
    }
  }

  @inlinable @inline(__always) mutating func count(_ change: Int, in list: UInt32) {
    counts[list] += change
    if list < firstGhosts {
      residents += change
      limit.note(residents: residents)
    }
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) {
    lists.reserve(objects: objects)
    places.reserve(objects: objects)
    if weighs { weights.reserve(objects: objects) }
  }

  /// Prefetches the object's state.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) {
    places.prefetch(id)
    lists.prefetch(id)
  }

  /// Prefetches the links of the object's neighbours; reads the object's links.
  @inlinable @inline(__always) public func prefetchNeighbours(_ id: ObjectID) {
    lists.prefetchNeighbours(id)
  }

  /// Prefetches the nodes that removing the object at the back of a list changes.
  @inlinable @inline(__always) public func prefetchBack(of list: UInt32) {
    let back = lists.back(list: list)
    lists.prefetchBack(list: list)
    places.prefetch(lists.ahead(of: back))
  }

  /// Memory held, in bytes.
  public var bytes: Int { lists.bytes + places.bytes + (weighs ? weights.bytes : 0) + sums.bytes }
}
