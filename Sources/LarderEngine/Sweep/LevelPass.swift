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

    @inline(__always)
    static func < (one: Risen, other: Risen) -> Bool { one.key > other.key }
    @inline(__always)
    static func == (one: Risen, other: Risen) -> Bool { one.key == other.key }
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

  @inline(__always)
  private mutating func store(_ id: ObjectID, _ stamp: UInt32) {
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

  @inline(__always)
  private mutating func file(_ id: ObjectID, _ level: UInt32, stamp: UInt32 = 0) {
    if level <= open {
      risen.insert(Risen(key: UInt64(level) << 32 | UInt64(stamp), id: id))
    } else {
      buckets.add(id, level: level, open: open)
    }
  }

  /// Opens the lowest level that has objects, all of which are above the open one.
  @inline(never)
  private mutating func openNext() {
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
