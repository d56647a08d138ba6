/// Objects by level, for a `LevelPass`: a ring of buckets above the level that is open. What is
/// above the ring is in its last bucket, and filed again when that is opened.
///
/// A bucket is a chain of chunks of 15 objects. Memory: 4 bytes an object, rounded up to whole
/// chunks in each bucket.
struct LevelBuckets: ~Copyable {
  // A chunk is 16 places, of which the first has the place of the last object of the one before.
  private var places: Column<UInt32>
  // Of each bucket the place of its last object; 0 when it is empty.
  private let tops: Column<UInt32>
  // Which buckets are not empty.
  private let taken: Column<UInt64>
  private var freeChunk: UInt32 = 0
  private var chunks: UInt32 = 0

  private static var count: UInt32 { 4096 }
  private static var chunk: UInt32 { 16 }

  /// No objects.
  init() {
    places = Column(objects: Int(64 * Self.chunk) - 1)
    tops = Column(objects: Int(Self.count) - 1)
    taken = Column(objects: Int(Self.count) / 64 - 1)
  }

  /// Memory held, in bytes.
  var bytes: Int { places.bytes + tops.bytes + taken.bytes }

  /// Files an object under a level above the open one.
  @inline(__always)
  mutating func add(_ id: ObjectID, level: UInt32, open: UInt32) {
    let bucket = min(level, open &+ (Self.count - 1)) % Self.count
    var top = tops[bucket]
    if top == 0 || top % Self.chunk == Self.chunk - 1 {
      let chunk = freeChunk != 0 ? freeChunk : makeChunk()
      freeChunk = places[chunk * Self.chunk]
      places[chunk * Self.chunk] = top
      taken[bucket / 64] |= 1 &<< UInt64(bucket % 64)
      top = chunk * Self.chunk
    }
    top += 1
    places[top] = id
    tops[bucket] = top
  }

  /// The lowest level above `open` with objects, of which there must be some.
  func nextLevel(after open: UInt32) -> UInt32 {
    let first = (open &+ 1) % Self.count
    var word = first / 64
    var bits = taken[word] & (UInt64.max &<< UInt64(first % 64))
    while bits == 0 {
      word = (word + 1) % (Self.count / 64)
      bits = taken[word]
    }
    let bucket = word * 64 + UInt32(truncatingIfNeeded: bits.trailingZeroBitCount)
    return open &+ 1 &+ (bucket &- first) % Self.count
  }

  /// Empties the bucket of a level. Returns the place of its last object.
  mutating func empty(level: UInt32) -> UInt32 {
    let bucket = level % Self.count
    let top = tops[bucket]
    tops[bucket] = 0
    taken[bucket / 64] &= ~(1 &<< UInt64(bucket % 64))
    return top
  }

  /// The object at a place.
  @inline(__always)
  func id(at place: UInt32) -> ObjectID { places[place] }

  /// The places of a whole chunk, where this is the last of it; otherwise nil.
  @inline(__always)
  func chunk(endingAt place: UInt32) -> ClosedRange<UInt32>? {
    place % Self.chunk == Self.chunk - 1 ? place - (Self.chunk - 2)...place : nil
  }

  /// The place before one that is done with, in its bucket, or 0.
  @inline(__always)
  mutating func next(freeing place: UInt32) -> UInt32 {
    if place % Self.chunk != 1 { return place - 1 }
    let chunk = place / Self.chunk
    let before = places[chunk * Self.chunk]
    places[chunk * Self.chunk] = freeChunk
    freeChunk = chunk
    return before
  }

  @inline(never)
  private mutating func makeChunk() -> UInt32 {
    chunks += 1
    places.reserve(objects: Int((chunks + 1) * Self.chunk) - 1)
    places[chunks * Self.chunk] = 0
    return chunks
  }
}
