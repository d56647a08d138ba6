/// One or more doubly linked lists over the same objects, each object in at most one of them.
///
/// Links are indexes, not pointers: 8 bytes an object, no allocation and no reference counting. The
/// word with both links also answers whether the object is in a list at all. Each list is closed
/// into a circle by a node of its own, so no operation has a special case for an end.
public struct LinkedLists: ~Copyable {
  /// The links of a node; `next == 0` means that it is in no list.
  @usableFromInline struct Links: BitwiseCopyable {
    /// Towards the front.
    @usableFromInline var previous: UInt32
    /// Towards the back.
    @usableFromInline var next: UInt32

    @inlinable @inline(__always) init(previous: UInt32, next: UInt32) {
      self.previous = previous
      self.next = next
    }
  }

  // Node 0 is nothing, nodes 1 to `lists` close the circles, node `lists` + id is the object.
  @usableFromInline var nodes: Column<Links>
  @usableFromInline let lists: UInt32

  /// `lists` empty lists, numbered from 0, for ids up to `objects`.
  public init(lists: Int = 1, objects: Int) {
    precondition(lists >= 1 && objects >= 0, "\(lists) lists of \(objects) objects")
    self.lists = UInt32(lists)
    nodes = Column(objects: objects + lists)
    for node in 1...UInt32(lists) { nodes[node] = Links(previous: node, next: node) }
  }

  /// Whether the object is in any list.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool {
    nodes[id + lists].next != 0
  }

  /// Puts an object that is in no list at the front of `list`.
  @inlinable @inline(__always) public mutating func pushFront(_ id: ObjectID, list: UInt32 = 0) {
    assert(!contains(id) && list < lists)
    link(id + lists, behind: list + 1)
  }

  /// Puts an object that is in no list at the back of `list`.
  @inlinable @inline(__always) public mutating func pushBack(_ id: ObjectID, list: UInt32 = 0) {
    assert(!contains(id) && list < lists)
    link(id + lists, behind: nodes[list + 1].previous)
  }

  /// Takes an object out of the list it is in.
  @inlinable @inline(__always) public mutating func remove(_ id: ObjectID) {
    assert(contains(id))
    let node = id + lists
    unlink(node)
    nodes[node] = Links(previous: 0, next: 0)
  }

  /// Moves an object that is in a list to the front of `list`.
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

  /// The object in front of one that is in a list, or `.none` where that is at the front.
  @inlinable @inline(__always) public func ahead(of id: ObjectID) -> ObjectID {
    object(nodes[id + lists].previous)
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { nodes.reserve(objects: objects + Int(lists)) }

  /// Brings the object's links near.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { nodes.prefetch(id + lists) }

  /// Brings the links of the object's neighbours near; its own must be near already.
  @inlinable @inline(__always) public func prefetchNeighbours(_ id: ObjectID) {
    let links = nodes[id + lists]
    nodes.prefetch(links.previous)
    nodes.prefetch(links.next)
  }

  /// Brings near what taking out the object at the back will touch.
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

/// Several doubly linked lists over the same objects that know what their members weigh: the queues
/// and ghost queues of policies that divide their capacity.
///
/// An object is in one list at most. Weights are kept here and not read from the cache's books,
/// because ghosts have none there. Memory: 9 bytes an object, and 4 more where sizes differ.
public struct WeightedLists: ~Copyable {
  @usableFromInline var lists: LinkedLists
  // List of each object plus one; 0 means that it is in none.
  @usableFromInline var places: Column<UInt8>
  @usableFromInline var weights: Column<UInt32>
  @usableFromInline let weighs: Bool
  @usableFromInline var sums: Column<UInt64>
  // Members of each list, counted where sizes differ, and of those before the ghosts together.
  @usableFromInline var counts: Column<Int>
  @usableFromInline let firstGhosts: UInt32
  @usableFromInline var residents = 0
  @usableFromInline var limit = GhostLimit()

  /// `lists` empty lists, numbered from 0, for ids up to `objects`; unless `weighs`, every object
  /// weighs 1. Those from `ghosts` on are of objects that are not resident: `trim` keeps them
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

  /// The list that the object is in plus one, or 0 for none.
  @inlinable @inline(__always) public func place(_ id: ObjectID) -> UInt8 { places[id] }

  /// Whether the object is in the list.
  @inlinable @inline(__always) public func contains(_ id: ObjectID, in list: UInt32) -> Bool {
    UInt32(places[id]) == list + 1
  }

  /// What the members of a list weigh.
  @inlinable @inline(__always) public func weight(of list: UInt32) -> UInt64 { sums[list] }

  /// What a member weighs.
  @inlinable @inline(__always) public func weight(_ id: ObjectID) -> UInt32 {
    weighs ? weights[id] : 1
  }

  /// The object at the back of a list, or `.none`.
  @inlinable @inline(__always) public func back(of list: UInt32) -> ObjectID {
    lists.back(list: list)
  }

  /// The member in front of another in its list, or `.none` where that is at the front.
  @inlinable @inline(__always) public func ahead(of id: ObjectID) -> ObjectID {
    lists.ahead(of: id)
  }

  /// Puts an object that is in no list at the front of one.
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

  /// Takes a member out of the list that it is in.
  @inlinable @inline(__always) public mutating func remove(_ id: ObjectID) {
    let list = UInt32(places[id]) - 1
    sums[list] -= UInt64(weight(id))
    if weighs { count(-1, in: list) }
    places[id] = 0
    lists.remove(id)
  }

  /// Gives a member another weight.
  public mutating func reweigh(_ id: ObjectID, _ weight: UInt32) {
    guard weighs else { return }
    let list = UInt32(places[id]) - 1
    sums[list] = sums[list] - UInt64(weights[id]) + UInt64(weight)
    weights[id] = weight
  }

  /// How many members a list has; known only where sizes differ.
  @inlinable @inline(__always) public func count(of list: UInt32) -> Int { counts[list] }

  /// Takes members out at the back of a list of ghosts until they weigh no more than `capacity`,
  /// and where sizes differ are not too many.
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

  /// Brings the object's state near.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) {
    places.prefetch(id)
    lists.prefetch(id)
  }

  /// Brings the links of the object's neighbours near; its own must be near already.
  @inlinable @inline(__always) public func prefetchNeighbours(_ id: ObjectID) {
    lists.prefetchNeighbours(id)
  }

  /// Brings near what taking out the object at the back of a list will touch.
  @inlinable @inline(__always) public func prefetchBack(of list: UInt32) {
    let back = lists.back(list: list)
    lists.prefetchBack(list: list)
    places.prefetch(lists.ahead(of: back))
  }

  /// Memory held, in bytes.
  public var bytes: Int { lists.bytes + places.bytes + (weighs ? weights.bytes : 0) + sums.bytes }
}
