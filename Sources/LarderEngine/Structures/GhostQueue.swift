/// Objects that have left, in the order in which they left, up to a total weight.
///
/// Memory: 4 bytes an object, 4 for each place in the queue, and 4 more an object where sizes
/// differ, since the cache has forgotten the sizes of ghosts. All operations are O(1), amortised.
public struct GhostQueue: ~Copyable {
  @inlinable
  static var queued: UInt32 { 1 << 31 }
  @inlinable
  static var positionMask: UInt32 { IDRing.positionLimit - 1 }

  // Whether the object is queued in the top bit, its position in the lowest 28.
  @usableFromInline var words: Column<UInt32>
  @usableFromInline var ring: IDRing
  @usableFromInline var sizes: Column<UInt32>
  @usableFromInline let weighs: Bool
  @usableFromInline let capacity: UInt64
  @usableFromInline var used: UInt64 = 0
  @usableFromInline var limit = GhostLimit()

  /// An empty queue for ids up to `objects` whose members weigh at most `capacity` together; unless
  /// `weighs`, every object weighs 1.
  public init(objects: Int, capacity: UInt64, weighs: Bool) {
    words = Column(objects: objects)
    ring = IDRing(capacity: min(objects, weighs ? 0 : Int(min(capacity, 1 << 20))))
    sizes = Column(objects: weighs ? objects : 0)
    self.weighs = weighs
    self.capacity = weighs ? capacity : min(capacity, UInt64(IDRing.entriesMax))
  }

  /// Whether the object is queued.
  @inlinable
  @inline(__always)
  public func contains(_ id: ObjectID) -> Bool { words[id] != 0 }

  /// Queues an object that is not queued as the newest; the oldest go until everything fits, and
  /// where sizes differ are not too many beside the `residents`.
  @inlinable
  @inline(__always)
  public mutating func push(_ id: ObjectID, _ size: UInt32, residents: Int) {
    let weight = weighs ? UInt64(size) : 1
    guard weight <= capacity else { return }
    limit.note(residents: residents)
    while isFull(for: weight) { _ = popOldest() }
    used += weight
    if weighs { sizes[id] = size }
    words[id] = GhostQueue.queued | ring.push(id, words)
  }

  /// Forgets and returns the oldest where the next `push` of `size` would, otherwise returns
  /// `.none`: for those who keep more of a ghost than its place.
  @inline(__always)
  mutating func makeRoom(for size: UInt32, residents: Int) -> ObjectID {
    let weight = weighs ? UInt64(size) : 1
    guard weight <= capacity else { return .none }
    limit.note(residents: residents)
    return isFull(for: weight) ? popOldest() : .none
  }

  @inlinable
  @inline(__always)
  func isFull(for weight: UInt64) -> Bool {
    used + weight > capacity || (weighs && ring.count >= limit.ghosts)
  }

  @inlinable
  @inline(__always)
  mutating func popOldest() -> ObjectID {
    let oldest = ring.popOldest()
    used -= weighs ? UInt64(sizes[oldest]) : 1
    words[oldest] = 0
    return oldest
  }

  /// Takes an object that is queued out.
  @inlinable
  @inline(__always)
  public mutating func remove(_ id: ObjectID) {
    assert(contains(id))
    ring.remove(at: words[id] & GhostQueue.positionMask)
    used -= weighs ? UInt64(sizes[id]) : 1
    words[id] = 0
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) {
    words.reserve(objects: objects)
    if weighs { sizes.reserve(objects: objects) }
  }

  /// Brings the object's word near.
  @inlinable
  @inline(__always)
  public func prefetch(_ id: ObjectID) { words.prefetch(id) }

  /// Memory held, in bytes.
  public var bytes: Int { words.bytes + ring.bytes + (weighs ? sizes.bytes : 0) }
}
