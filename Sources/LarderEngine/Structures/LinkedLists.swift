/// One or more doubly linked lists over the same objects, each object in at most one of them.
///
/// Links are indexes, not pointers: 8 bytes an object, no allocation and no reference counting. The
/// word with both links also answers whether the object is in a list at all. Each list is closed
/// into a circle by a node of its own, so no operation has a special case for an end.
public struct LinkedLists: ~Copyable {
  /// The links of a node; `next == 0` means that it is in no list.
  @usableFromInline
  struct Links: BitwiseCopyable {
    /// Towards the front.
    @usableFromInline var previous: UInt32
    /// Towards the back.
    @usableFromInline var next: UInt32

    @inlinable
    @inline(__always)
    init(previous: UInt32, next: UInt32) {
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
  @inlinable
  @inline(__always)
  public func contains(_ id: ObjectID) -> Bool { nodes[id + lists].next != 0 }

  /// Puts an object that is in no list at the front of `list`.
  @inlinable
  @inline(__always)
  public mutating func pushFront(_ id: ObjectID, list: UInt32 = 0) {
    assert(!contains(id) && list < lists)
    link(id + lists, behind: list + 1)
  }

  /// Puts an object that is in no list at the back of `list`.
  @inlinable
  @inline(__always)
  public mutating func pushBack(_ id: ObjectID, list: UInt32 = 0) {
    assert(!contains(id) && list < lists)
    link(id + lists, behind: nodes[list + 1].previous)
  }

  /// Takes an object out of the list it is in.
  @inlinable
  @inline(__always)
  public mutating func remove(_ id: ObjectID) {
    assert(contains(id))
    let node = id + lists
    unlink(node)
    nodes[node] = Links(previous: 0, next: 0)
  }

  /// Moves an object that is in a list to the front of `list`.
  @inlinable
  @inline(__always)
  public mutating func moveToFront(_ id: ObjectID, list: UInt32 = 0) {
    assert(contains(id) && list < lists)
    let node = id + lists
    if nodes[list + 1].next == node { return }
    unlink(node)
    link(node, behind: list + 1)
  }

  /// The object at the front, or `.none`.
  @inlinable
  @inline(__always)
  public func front(list: UInt32 = 0) -> ObjectID { object(nodes[list + 1].next) }

  /// The object at the back, or `.none`.
  @inlinable
  @inline(__always)
  public func back(list: UInt32 = 0) -> ObjectID { object(nodes[list + 1].previous) }

  /// The object in front of one that is in a list, or `.none` where that is at the front.
  @inlinable
  @inline(__always)
  public func ahead(of id: ObjectID) -> ObjectID { object(nodes[id + lists].previous) }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { nodes.reserve(objects: objects + Int(lists)) }

  /// Brings the object's links near.
  @inlinable
  @inline(__always)
  public func prefetch(_ id: ObjectID) { nodes.prefetch(id + lists) }

  /// Brings the links of the object's neighbours near; its own must be near already.
  @inlinable
  @inline(__always)
  public func prefetchNeighbours(_ id: ObjectID) {
    let links = nodes[id + lists]
    nodes.prefetch(links.previous)
    nodes.prefetch(links.next)
  }

  /// Brings near what taking out the object at the back will touch.
  @inlinable
  @inline(__always)
  public func prefetchBack(list: UInt32 = 0) {
    nodes.prefetch(nodes[nodes[list + 1].previous].previous)
  }

  /// Memory held, in bytes.
  public var bytes: Int { nodes.bytes }

  @inlinable
  @inline(__always)
  func object(_ node: UInt32) -> ObjectID { node > lists ? node - lists : .none }

  @inlinable
  @inline(__always)
  mutating func link(_ node: UInt32, behind previous: UInt32) {
    let next = nodes[previous].next
    nodes[node] = Links(previous: previous, next: next)
    nodes[previous].next = node
    nodes[next].previous = node
  }

  @inlinable
  @inline(__always)
  mutating func unlink(_ node: UInt32) {
    let links = nodes[node]
    nodes[links.previous].next = links.next
    nodes[links.next].previous = links.previous
  }
}
