import CLarderShims

/// A 4-ary min-heap of objects with changeable keys: smallest key first; equal keys by the smallest
/// order. Key, order and id are one 128-bit number, compared without unpredictable branches.
public struct IndexedHeap: ~Copyable {
  // Allocated with three unused entries in front, so that four children share a cache line.
  @usableFromInline var memory: UnsafeMutableRawPointer
  @usableFromInline var entries: UnsafeMutablePointer<UInt128>
  @usableFromInline var room: Int
  /// Objects in the heap.
  @inlinable @inline(__always) public var count: Int { held }
  @usableFromInline var held = 0
  // Index of each object in the heap plus one, or its note below the top bit.
  @usableFromInline var places: Column<UInt32>

  /// Notes are below this.
  @inlinable public static var noteLimit: UInt32 { 1 << 31 }

  /// Creates an empty heap for ids up to `objects`, with room for `capacity` at first.
  public init(objects: Int, capacity: Int) {
    places = Column(objects: objects)
    room = max(capacity, 16)
    precondition(room <= Column<UInt32>.objectsMax, "a heap for \(room) objects")
    memory = LargeMemory.allocate(bytes: IndexedHeap.bytes(room))
    entries = IndexedHeap.entries(memory, room)
  }

  deinit { LargeMemory.deallocate(memory, bytes: IndexedHeap.bytes(room)) }

  /// Returns true if the object is in the heap.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool {
    Int32(bitPattern: places[id]) > 0
  }

  /// A number below `noteLimit` of an object that is not in the heap, or 0. O(1).
  @inlinable @inline(__always) public func note(of id: ObjectID) -> UInt32 {
    places[id] & (IndexedHeap.noteLimit - 1)
  }

  /// Stores a note for an object that is not in the heap.
  @inlinable @inline(__always) public func setNote(of id: ObjectID, to note: UInt32) {
    places[id] = IndexedHeap.noteLimit | note
  }

  /// Adds an object that is not in the heap. O(log n), O(1) on average for a large key.
  @inlinable @inline(__always) public mutating func insert(
    _ id: ObjectID, key: UInt64, order: UInt32
  ) {
    assert(!contains(id))
    if count == room { grow() }
    held += 1
    siftUp(IndexedHeap.entry(id, key, order), from: count - 1)
  }

  /// Changes the key of an object in the heap. O(log n).
  @inlinable @inline(__always) public mutating func update(
    _ id: ObjectID, key: UInt64, order: UInt32
  ) {
    assert(contains(id))
    settle(IndexedHeap.entry(id, key, order), at: Int(places[id]) - 1)
  }

  /// The key of an object in the heap. O(1).
  @inlinable @inline(__always) public func key(of id: ObjectID) -> UInt64 {
    assert(contains(id))
    return UInt64(truncatingIfNeeded: entries[Int(places[id]) - 1] >> 64)
  }

  /// The order that was set with the key of an object in the heap. O(1).
  @inlinable @inline(__always) public func order(of id: ObjectID) -> UInt32 {
    assert(contains(id))
    return UInt32(truncatingIfNeeded: entries[Int(places[id]) - 1] >> 32)
  }

  /// The object with the smallest key, or `.none` if the heap is empty. O(1).
  @inlinable @inline(__always) public func minimum() -> ObjectID {
    count > 0 ? ObjectID(truncatingIfNeeded: entries[0]) : .none
  }

  /// Removes and returns the object with the smallest key; the heap must not be empty. O(log n).
  @inlinable @inline(__always) public mutating func popMinimum() -> (id: ObjectID, key: UInt64) {
    assert(count > 0)
    let top = entries[0]
    let id = ObjectID(truncatingIfNeeded: top)
    places[id] = 0
    held -= 1
    if count > 0 { siftDown(entries[count], from: 0) }
    return (id, UInt64(truncatingIfNeeded: top >> 64))
  }

  /// Removes an object in the heap. O(log n).
  public mutating func remove(_ id: ObjectID) {
    assert(contains(id))
    let place = Int(places[id]) - 1
    places[id] = 0
    held -= 1
    if place < count { settle(entries[count], at: place) }
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { places.reserve(objects: objects) }

  /// Prefetches the object's index.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { places.prefetch(id) }

  /// Prefetches the entry of an object and its children; reads the index.
  @inlinable @inline(__always) public func prefetchEntry(_ id: ObjectID) {
    // A note is not an index: it would address memory far away.
    let place = Int(max(Int32(bitPattern: places[id]), 0))
    larder_prefetch(entries + place)
    larder_prefetch(entries + place * 4)
  }

  /// Memory held, in bytes.
  public var bytes: Int { places.bytes + IndexedHeap.bytes(room) }

  @inlinable @inline(__always) static func entry(
    _ id: ObjectID, _ key: UInt64, _ order: UInt32
  ) -> UInt128 {
    UInt128(key) << 64 | UInt128(UInt64(order) << 32 | UInt64(id))
  }

  @inlinable @inline(__always) mutating func settle(_ entry: UInt128, at place: Int) {
    if place > 0, entry < entries[(place - 1) / 4] {
      siftUp(entry, from: place)
    } else {
      siftDown(entry, from: place)
    }
  }

  @inlinable @inline(__always) mutating func siftUp(_ entry: UInt128, from start: Int) {
    var place = start
    while place > 0 {
      let parent = (place - 1) / 4
      guard entry < entries[parent] else { break }
      put(entries[parent], at: place)
      place = parent
    }
    put(entry, at: place)
  }

  @inlinable @inline(__always) mutating func siftDown(_ entry: UInt128, from start: Int) {
    var place = start
    while true {
      let first = place * 4 + 1
      guard first < count else { break }
      let least = leastChild(from: first)
      guard entries[least] < entry else { break }
      put(entries[least], at: place)
      place = least
    }
    put(entry, at: place)
  }

  @inlinable @inline(__always) func leastChild(from first: Int) -> Int {
    if first + 3 < count {
      let left = entries[first + 1] < entries[first] ? first + 1 : first
      let right = entries[first + 3] < entries[first + 2] ? first + 3 : first + 2
      return entries[right] < entries[left] ? right : left
    }
    var least = first
    var child = first + 1
    while child < count {
      if entries[child] < entries[least] { least = child }
      child += 1
    }
    return least
  }

  @inlinable @inline(__always) mutating func put(_ entry: UInt128, at place: Int) {
    assert(place >= 0 && place < room)
    entries[place] = entry
    places[ObjectID(truncatingIfNeeded: entry)] = UInt32(truncatingIfNeeded: place + 1)
  }

  @usableFromInline @inline(never) mutating func grow() {
    memory = LargeMemory.grow(
      memory, from: IndexedHeap.bytes(room), to: IndexedHeap.bytes(room * 2))
    room *= 2
    entries = IndexedHeap.entries(memory, room)
  }

  private static func bytes(_ room: Int) -> Int { (room + 3) * MemoryLayout<UInt128>.stride }

  private static func entries(
    _ memory: UnsafeMutableRawPointer, _ room: Int
  ) -> UnsafeMutablePointer<UInt128> {
    memory.bindMemory(to: UInt128.self, capacity: room + 3) + 3
  }
}

/// A binary heap of plain values, the largest first.
struct MaxHeap<Element: Comparable & BitwiseCopyable> {
  var elements: [Element] = []

  @inline(__always) var isEmpty: Bool { elements.isEmpty }
  var count: Int { elements.count }
  var bytes: Int { elements.capacity * MemoryLayout<Element>.stride }
  var largest: Element { elements[0] }

  mutating func insert(_ element: Element) {
    var place = elements.count
    elements.append(element)
    while place > 0, elements[(place - 1) / 2] < element {
      elements[place] = elements[(place - 1) / 2]
      place = (place - 1) / 2
    }
    elements[place] = element
  }

  mutating func removeLargest() {
    let last = elements.removeLast()
    if !elements.isEmpty { replaceLargest(by: last) }
  }

  mutating func replaceLargest(by element: Element) {
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < elements.count else { break }
      if child + 1 < elements.count, elements[child + 1] > elements[child] { child += 1 }
      guard elements[child] > element else { break }
      elements[place] = elements[child]
      place = child
    }
    elements[place] = element
  }
}
