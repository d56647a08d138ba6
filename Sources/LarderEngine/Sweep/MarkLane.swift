/// One cache of a `MarkPass`: a queue of objects of which a hit marks one, and which gives up the
/// first that it comes to without a mark.
///
/// Whether an object is resident and marked is in a word of the object's, a bit for each lane; the
/// objects in order are in a part of memory that all lanes share.
protocol MarkLane: BitwiseCopyable {
  /// The resident objects.
  var count: UInt32 { get }

  /// An empty cache whose places begin at `start`.
  init(capacity: UInt32, start: UInt32)

  /// How many places a cache needs.
  static func places(for capacity: UInt32) -> UInt32

  /// Stores an object that is not resident, for which another is given up if there is no room.
  mutating func store(_ id: ObjectID, in memory: borrowing MarkLanes, lane: UInt16)
}

/// What the caches of a `MarkPass` share.
struct MarkLanes: ~Copyable {
  /// At most so many caches.
  static var countMax: Int { 8 }

  // Of each object, a bit for each lane in which it is resident, and above them one for each in
  // which it is marked.
  private var words: Column<UInt16>
  private var places: Column<ObjectID>

  /// Nothing resident.
  init(objects: Int, places: Int) {
    words = Column(objects: objects)
    self.places = Column(objects: places)
  }

  /// Memory held, in bytes.
  var bytes: Int { words.bytes + places.bytes }

  /// Brings an object's word near.
  @inline(__always)
  func prefetch(_ id: ObjectID) { words.prefetch(id) }

  /// Marks the object in all lanes in which it is resident. Returns a bit for each of them.
  @inline(__always)
  func mark(_ id: ObjectID) -> UInt16 {
    let word = words[id]
    let residents = word & 255
    words[id] = word | residents &<< 8
    return residents
  }

  /// The object at a place.
  @inline(__always)
  subscript(place: UInt32) -> ObjectID {
    get { places[place] }
    nonmutating set { places[place] = newValue }
  }

  /// The object is now resident, without a mark.
  @inline(__always)
  func enter(_ id: ObjectID, lane: UInt16) { words[id] |= 1 &<< lane }

  /// Takes a resident object's mark, and says whether there was one; otherwise it is no longer
  /// resident.
  @inline(__always)
  func spare(_ id: ObjectID, lane: UInt16) -> Bool {
    let word = words[id]
    let isMarked = word & 256 &<< lane != 0
    words[id] = word & ~((isMarked ? 256 : 1) &<< lane)
    return isMarked
  }
}
