import CLarderShims

/// A 4-ary min-heap of objects whose keys can change: smallest key first, among equal keys the
/// smallest `order`.
///
/// The position of each object is kept, so changing or removing one is O(log n) without a search.
/// Four children share one or two cache lines, which halves the depth of a binary heap at hardly
/// more comparisons (LaMarca and Ladner, "The influence of caches on the performance of heaps",
/// ACM JEA 1996). Memory: 4 bytes an object and 24 for each one in the heap.
struct IndexedHeap<Key: Comparable & BitwiseCopyable>: ~Copyable {
  struct Entry: BitwiseCopyable {
    var key: Key
    var order: UInt64
    var id: ObjectID

    @inline(__always)
    func precedes(_ other: Entry) -> Bool {
      key < other.key || (key == other.key && order < other.order)
    }
  }

  private var entries: UnsafeMutablePointer<Entry>
  private var room: Int
  /// Objects in the heap.
  private(set) var count = 0
  // Position in `entries` plus one; 0 means absent.
  private var positions: Column<UInt32>

  /// An empty heap for ids up to `objects`, with room for `capacity` entries before it grows.
  init(objects: Int, capacity: Int) {
    positions = Column(objects: objects)
    room = max(capacity, 16)
    entries = .allocate(capacity: room)
  }

  deinit { entries.deallocate() }

  /// Whether the object is in the heap.
  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { positions[id] != 0 }

  /// Adds an object that is not in the heap. Amortised O(log n).
  @inline(__always)
  mutating func insert(_ id: ObjectID, key: Key, order: UInt64) {
    if count == room { grow() }
    count += 1
    siftUp(Entry(key: key, order: order, id: id), from: count - 1)
  }

  /// Gives an object in the heap another key. O(log n).
  @inline(__always)
  mutating func update(_ id: ObjectID, key: Key, order: UInt64) {
    settle(Entry(key: key, order: order, id: id), at: Int(positions[id]) - 1)
  }

  /// The smallest key; the heap must not be empty.
  @inline(__always)
  var minimumKey: Key {
    assert(count > 0)
    return entries[0].key
  }

  /// Takes out the object with the smallest key; the heap must not be empty. O(log n).
  @inline(__always)
  mutating func popMinimum() -> ObjectID {
    assert(count > 0)
    let id = entries[0].id
    positions[id] = 0
    count -= 1
    if count > 0 { siftDown(entries[count], from: 0) }
    return id
  }

  /// Takes out an object in the heap. O(log n).
  mutating func remove(_ id: ObjectID) {
    let position = Int(positions[id]) - 1
    assert(position >= 0)
    positions[id] = 0
    count -= 1
    if position < count { settle(entries[count], at: position) }
  }

  /// Makes ids up to `objects` valid.
  mutating func reserve(objects: Int) { positions.reserve(objects: objects) }

  /// Brings the object's position near.
  @inline(__always)
  func prefetch(_ id: ObjectID) { positions.prefetch(id) }

  /// Brings the object's entry near; its position must be near already.
  @inline(__always)
  func prefetchEntry(_ id: ObjectID) {
    larder_prefetch(entries + Int(positions[id]))
  }

  /// Memory held, in bytes.
  var bytes: Int { positions.bytes + room * MemoryLayout<Entry>.stride }

  @inline(__always)
  private mutating func settle(_ entry: Entry, at position: Int) {
    if position > 0, entry.precedes(entries[(position - 1) / 4]) {
      siftUp(entry, from: position)
    } else {
      siftDown(entry, from: position)
    }
  }

  @inline(__always)
  private mutating func siftUp(_ entry: Entry, from start: Int) {
    var position = start
    while position > 0 {
      let parent = (position - 1) / 4
      guard entry.precedes(entries[parent]) else { break }
      place(entries[parent], at: position)
      position = parent
    }
    place(entry, at: position)
  }

  @inline(__always)
  private mutating func siftDown(_ entry: Entry, from start: Int) {
    var position = start
    while true {
      let first = position * 4 + 1
      guard first < count else { break }
      var least = first
      var child = first + 1
      let end = min(first + 4, count)
      while child < end {
        if entries[child].precedes(entries[least]) { least = child }
        child += 1
      }
      guard entries[least].precedes(entry) else { break }
      place(entries[least], at: position)
      position = least
    }
    place(entry, at: position)
  }

  @inline(__always)
  private mutating func place(_ entry: Entry, at position: Int) {
    entries[position] = entry
    positions[entry.id] = UInt32(truncatingIfNeeded: position + 1)
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Entry>.allocate(capacity: room * 2)
    larger.initialize(from: entries, count: count)
    entries.deallocate()
    entries = larger
    room *= 2
  }
}
