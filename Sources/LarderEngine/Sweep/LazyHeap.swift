/// Objects in a binary heap by a key that does not change while they are in it: smallest first.
struct LazyHeap: ~Copyable {
  /// An object with its key. Not private: on that Swift 6.3.1 fails in debug builds.
  struct Item: BitwiseCopyable {
    var key: UInt64 = 0
    var id: ObjectID = .none
  }

  // From place 1 on.
  private var items = Column<Item>(objects: 63)
  private var count: UInt32 = 0

  init() {}

  /// Whether it holds nothing.
  @inline(__always)
  var isEmpty: Bool { count == 0 }

  /// Memory held, in bytes.
  var bytes: Int { items.bytes }

  /// The object with the smallest key; one must be held.
  @inline(__always)
  var first: (key: UInt64, id: ObjectID) { (items[1].key, items[1].id) }

  /// Adds an object. O(log count).
  mutating func add(_ key: UInt64, _ id: ObjectID) {
    count += 1
    items.reserve(objects: Int(count))
    var place = count
    while place > 1, items[place / 2].key > key {
      items[place] = items[place / 2]
      place /= 2
    }
    items[place] = Item(key: key, id: id)
  }

  /// Takes the object with the smallest key out. O(log count).
  mutating func removeFirst() {
    let last = items[count]
    count -= 1
    var place: UInt32 = 1
    while place * 2 <= count {
      var child = place * 2
      if child < count, items[child + 1].key < items[child].key { child += 1 }
      if items[child].key >= last.key { break }
      items[place] = items[child]
      place = child
    }
    items[place] = last
  }
}
