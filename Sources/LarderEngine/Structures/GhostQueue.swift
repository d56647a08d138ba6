/// Objects that have left, in the order in which they left, up to a total weight.
///
/// Memory: 4 bytes an object, 4 for each place in the queue, and 4 more an object where sizes
/// differ, since the cache has forgotten the sizes of ghosts. All operations are O(1), amortised.
struct GhostQueue: ~Copyable {
  private static var queued: UInt32 { 1 << 31 }
  private static var positionMask: UInt32 { IDRing.positionLimit - 1 }

  // Whether the object is queued in the top bit, its position in the lowest 28.
  private var words: Column<UInt32>
  private var ring: IDRing
  private var sizes: Column<UInt32>
  private let weighs: Bool
  private let capacity: UInt64
  private var used: UInt64 = 0
  private var limit = GhostLimit()

  /// An empty queue for ids up to `objects` whose members weigh at most `capacity` together; unless
  /// `weighs`, every object weighs 1.
  init(objects: Int, capacity: UInt64, weighs: Bool) {
    words = Column(objects: objects)
    ring = IDRing(capacity: min(objects, weighs ? 0 : Int(min(capacity, 1 << 20))))
    sizes = Column(objects: weighs ? objects : 0)
    self.weighs = weighs
    self.capacity = weighs ? capacity : min(capacity, UInt64(IDRing.entriesMax))
  }

  /// Whether the object is queued.
  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { words[id] != 0 }

  /// Queues an object that is not queued as the newest; the oldest go until everything fits, and
  /// where sizes differ are not too many beside the `residents`.
  @inline(__always)
  mutating func push(_ id: ObjectID, _ size: UInt32, residents: Int) {
    let weight = weighs ? UInt64(size) : 1
    guard weight <= capacity else { return }
    limit.note(residents: residents)
    while used + weight > capacity || (weighs && ring.count >= limit.ghosts) {
      let oldest = ring.popOldest()
      used -= weighs ? UInt64(sizes[oldest]) : 1
      words[oldest] = 0
    }
    used += weight
    if weighs { sizes[id] = size }
    words[id] = GhostQueue.queued | ring.push(id, words)
  }

  /// Takes an object that is queued out.
  @inline(__always)
  mutating func remove(_ id: ObjectID) {
    assert(contains(id))
    ring.remove(at: words[id] & GhostQueue.positionMask)
    used -= weighs ? UInt64(sizes[id]) : 1
    words[id] = 0
  }

  /// Makes ids up to `objects` valid.
  mutating func reserve(objects: Int) {
    words.reserve(objects: objects)
    if weighs { sizes.reserve(objects: objects) }
  }

  /// Brings the object's word near.
  @inline(__always)
  func prefetch(_ id: ObjectID) { words.prefetch(id) }

  /// Memory held, in bytes.
  var bytes: Int { words.bytes + ring.bytes + (weighs ? sizes.bytes : 0) }
}
