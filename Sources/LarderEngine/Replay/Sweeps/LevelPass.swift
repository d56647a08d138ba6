/// A cache in which every object has a whole number, its level, that rises with each request, and
/// in which one of the lowest level is evicted: of several, what was requested longest ago.
///
/// A request writes the object's own entry and nothing else. An object is filed under a level that
/// it had at some time, which its own is not below; when that level is the lowest it is looked at,
/// and filed again if it has risen. So the work is that of misses and not of hits. O(1) amortised
/// over requests, but for objects of LFU that rise from below the lowest level of the others, which
/// are in a heap. Memory: an entry an object, and 12 bytes or less for each one held.
struct LevelPass<Entry: LevelEntry>: CapacityPass, ~Copyable {
  private let entries: Column<Entry>
  private var buckets: LevelBuckets
  // Objects of the open level by their last request.
  private var run = OrderedRun()
  // Objects of level 1 as they came, where there may be any below the open level.
  private var newest: Column<ObjectID>
  private var newestStart: UInt32 = 0
  private var newestEnd: UInt32 = 0
  private let newestMask: UInt32
  // Others that are not above the open level, the lowest first.
  private var risen = MaxHeap<Risen>()
  // The level that is open: all of its objects are in `run` or below.
  private var open: UInt32
  private var floor: UInt32 = 0
  private let capacity: UInt64
  private var misses: UInt64 = 0

  /// An object with its level and stamp as they were. Not private: on that Swift 6.3.1 fails in
  /// debug builds.
  struct Risen: BitwiseCopyable, Comparable {
    var key: UInt64
    var id: ObjectID

    @inline(__always) static func < (one: Risen, other: Risen) -> Bool { one.key > other.key }
    @inline(__always) static func == (one: Risen, other: Risen) -> Bool { one.key == other.key }
  }

  private static var lookahead: Int { 32 }
  /// Twice the requests: above any level.
  private static var requestsMax: Int { 1 << 30 }

  /// An empty cache; nil where there are too many requests.
  init?(capacity: UInt64, over columns: RequestColumns) {
    guard columns.count < Self.requestsMax else { return nil }
    self.capacity = capacity
    entries = Column(objects: columns.objects)
    buckets = LevelBuckets()
    let held = Entry.startsAtOne ? Int(min(capacity, UInt64(columns.objects))) : 0
    var places = 16
    while places <= held { places *= 2 }
    newest = Column(objects: places)
    newestMask = UInt32(places - 1)
    open = Entry.startsAtOne ? 1 : 0
  }

  mutating func replay(_ columns: RequestColumns, from start: Int, to end: Int) {
    let (ids, last) = (columns.ids, columns.count - 1)
    for index in start..<end {
      entries.prefetch(ids[min(index + Self.lookahead, last)])
      let id = ids[index]
      let stamp = UInt32(truncatingIfNeeded: index + 1)
      if entries[id].level != 0 {
        entries[id].request(floor: floor, stamp: stamp)
      } else {
        store(id, stamp)
      }
    }
  }

  @inline(__always) private mutating func store(_ id: ObjectID, _ stamp: UInt32) {
    if misses >= capacity { evict() }
    misses += 1
    entries[id] = Entry(floor: floor, stamp: stamp)
    if Entry.startsAtOne {
      newest[newestEnd & newestMask] = id
      newestEnd = newestEnd &+ 1
    } else {
      file(id, entries[id].level)
    }
  }

  private mutating func evict() {
    while newestStart != newestEnd {
      let id = newest[newestStart & newestMask]
      newestStart = newestStart &+ 1
      // The next ones are looked at before long.
      entries.prefetch(newest[(newestStart &+ 8) & newestMask])
      let entry = entries[id]
      if entry.level == 1 {
        entries[id].level = 0
        return
      }
      file(id, entry.level, stamp: entry.stamp)
    }
    while true {
      dropRisen()
      if risen.isEmpty {
        while run.count == 0 { openNext() }
        let (stamp, id) = (run.firstOrder, run.popFirst())
        if run.end > run.start + 4 { entries.prefetch(run.id(at: run.start + 4)) }
        let entry = entries[id]
        if entry.stamp == stamp {
          floor = Entry.startsAtOne ? 0 : entry.level
          entries[id].level = 0
          return
        }
        file(id, entry.level, stamp: entry.stamp)
      } else if takeRisen() {
        return
      }
    }
  }

  /// Files objects again that are no longer what the heap has first.
  private mutating func dropRisen() {
    while !risen.isEmpty {
      let first = risen.largest
      let entry = entries[first.id]
      if entry.stamp == UInt32(truncatingIfNeeded: first.key) { return }
      risen.removeLargest()
      file(first.id, entry.level, stamp: entry.stamp)
    }
  }

  /// Evicts the first object of the heap, unless one of the open level is before it.
  private mutating func takeRisen() -> Bool {
    let (key, id) = (risen.largest.key, risen.largest.id)
    if UInt32(truncatingIfNeeded: key >> 32) == open, run.count > 0 {
      let (stamp, other) = (run.firstOrder, run.first)
      let entry = entries[other]
      if entry.stamp != stamp || stamp < UInt32(truncatingIfNeeded: key) {
        _ = run.popFirst()
        if entry.stamp == stamp {
          entries[other].level = 0
          return true
        }
        file(other, entry.level, stamp: entry.stamp)
        return false
      }
    }
    risen.removeLargest()
    entries[id].level = 0
    return true
  }

  @inline(__always) private mutating func file(_ id: ObjectID, _ level: UInt32, stamp: UInt32 = 0) {
    if level <= open {
      risen.insert(Risen(key: UInt64(level) << 32 | UInt64(stamp), id: id))
    } else {
      buckets.add(id, level: level, open: open)
    }
  }

  /// Opens the lowest level that has objects, all of which are above the open one.
  @inline(never) private mutating func openNext() {
    run.clear()
    open = buckets.nextLevel(after: open)
    var place = buckets.empty(level: open)
    while place != 0 {
      let id = buckets.id(at: place)
      if let chunk = buckets.chunk(endingAt: place) {
        for other in chunk { entries.prefetch(buckets.id(at: other)) }
      }
      place = buckets.next(freeing: place)
      let entry = entries[id]
      if entry.level == open {
        run.add(entry.stamp, id)
      } else {
        buckets.add(id, level: entry.level, open: open)
      }
    }
    run.sort()
  }

  var tallies: [CapacityTally] {
    [CapacityTally(misses: misses, residents: min(misses, capacity))]
  }

  var bytes: Int { entries.bytes + buckets.bytes + run.bytes + newest.bytes + risen.bytes }
}

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
  @inline(__always) mutating func add(_ id: ObjectID, level: UInt32, open: UInt32) {
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
  @inline(__always) func id(at place: UInt32) -> ObjectID { places[place] }

  /// The places of a whole chunk, where this is the last of it; otherwise nil.
  @inline(__always) func chunk(endingAt place: UInt32) -> ClosedRange<UInt32>? {
    place % Self.chunk == Self.chunk - 1 ? place - (Self.chunk - 2)...place : nil
  }

  /// The place before one that is done with, in its bucket, or 0.
  @inline(__always) mutating func next(freeing place: UInt32) -> UInt32 {
    if place % Self.chunk != 1 { return place - 1 }
    let chunk = place / Self.chunk
    let before = places[chunk * Self.chunk]
    places[chunk * Self.chunk] = freeChunk
    freeChunk = chunk
    return before
  }

  @inline(never) private mutating func makeChunk() -> UInt32 {
    chunks += 1
    places.reserve(objects: Int((chunks + 1) * Self.chunk) - 1)
    places[chunks * Self.chunk] = 0
    return chunks
  }
}

/// What a `LevelPass` knows of an object.
protocol LevelEntry: BitwiseCopyable {
  /// Its level; 0 where it is not resident.
  var level: UInt32 { get set }
  /// Its last request.
  var stamp: UInt32 { get }

  /// Whether new objects are at level 1, which may be below all others. Otherwise they are above
  /// the level of the last victim.
  static var startsAtOne: Bool { get }

  /// A new object. `floor` is the level of the last victim.
  init(floor: UInt32, stamp: UInt32)

  /// It is requested again.
  mutating func request(floor: UInt32, stamp: UInt32)
}

/// LFU: the level is the number of requests.
struct FrequencyEntry: LevelEntry {
  var level: UInt32
  private(set) var stamp: UInt32

  static var startsAtOne: Bool { true }

  @inline(__always) init(floor: UInt32, stamp: UInt32) {
    level = 1
    self.stamp = stamp
  }

  @inline(__always) mutating func request(floor: UInt32, stamp: UInt32) {
    level &+= 1
    self.stamp = stamp
  }
}

/// GDSF where all sizes and costs are 1: the number of requests above the level of the last victim.
struct AgedEntry: LevelEntry {
  var level: UInt32
  private(set) var stamp: UInt32
  private var requests: UInt32
  // Entries do not cross cache lines.
  private var unused: UInt32 = 0

  static var startsAtOne: Bool { false }

  @inline(__always) init(floor: UInt32, stamp: UInt32) {
    level = floor &+ 1
    self.stamp = stamp
    requests = 1
  }

  @inline(__always) mutating func request(floor: UInt32, stamp: UInt32) {
    requests &+= 1
    level = floor &+ requests
    self.stamp = stamp
  }
}
