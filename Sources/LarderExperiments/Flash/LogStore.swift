import LarderEngine

/// The layout `log`: regions in turn. Objects of a region that is reclaimed are dropped, or written
/// again if they had enough hits.
struct LogStore: FlashStore {
  var counts = FlashCounts()
  var evictions: UInt64 = 0
  private var ring: RegionRing
  /// Hits from which an object is written again; 0 for never.
  private let reinsertHits: UInt32

  init(region: UInt64, count: Int, reinsertHits: UInt32, objects: Int) {
    ring = RegionRing(region: region, count: count, objects: objects)
    self.reinsertHits = reinsertHits
  }

  var stateBytes: Int { ring.bytes }

  func contains(_ id: ObjectID) -> Bool { ring.contains(id) }

  mutating func hit(_ id: ObjectID) { ring.hit(id) }

  mutating func remove(_ id: ObjectID) { ring.remove(id) }

  mutating func insert(_ id: ObjectID, _ size: UInt32) -> Bool {
    guard UInt64(size) <= ring.region else { return false }
    while !ring.fits(size) { reclaim(ring.advance()) }
    ring.append(id, size)
    counts.inserted += 1
    counts.insertedBytes += UInt64(size)
    counts.writtenBytes += UInt64(size)
    return true
  }

  private mutating func reclaim(_ entries: [RegionRing.Entry]) {
    for entry in entries where ring.isLive(entry) {
      if reinsertHits > 0, ring.hits(of: entry.id) >= reinsertHits {
        ring.append(entry.id, entry.size)
        counts.reinserted += 1
        counts.reinsertedBytes += UInt64(entry.size)
        counts.writtenBytes += UInt64(entry.size)
      } else {
        ring.remove(entry.id)
        evictions += 1
      }
    }
  }
}

/// The regions of a log: one is open and written from its beginning, the others are free or closed.
/// Regions are opened in turn, so the next one is a free one or the one opened longest ago.
struct RegionRing {
  /// An object that was written.
  struct Entry {
    var id: ObjectID
    var size: UInt32
    /// The number of the write: where it is not the object's latest, the copy is dead.
    var write: UInt64
  }

  /// Bytes of a region.
  let region: UInt64
  private var regions: [[Entry]]
  private var open = 0
  /// Bytes written to the open region.
  private var used: UInt64 = 0
  private var writes: UInt64 = 0
  /// The number of each object's latest write, 0 where it is not in the log.
  private var latest: [UInt64]
  /// Hits of each object since that write.
  private var hits: [UInt32]

  /// Empty regions for objects with ids up to `objects`.
  init(region: UInt64, count: Int, objects: Int) {
    self.region = region
    regions = Array(repeating: [], count: count)
    latest = Array(repeating: 0, count: objects + 1)
    hits = Array(repeating: 0, count: objects + 1)
  }

  /// Memory held, in bytes, roughly.
  var bytes: Int {
    latest.count * 12 + regions.reduce(0) { $0 + $1.capacity * MemoryLayout<Entry>.stride }
  }

  func contains(_ id: ObjectID) -> Bool { latest[Int(id)] != 0 }

  /// Hits of a stored object since it was written.
  func hits(of id: ObjectID) -> UInt32 { hits[Int(id)] }

  /// Counts a hit of a stored object.
  mutating func hit(_ id: ObjectID) {
    if hits[Int(id)] < .max { hits[Int(id)] += 1 }
  }

  /// The copy of an object is dead; its bytes stay where they are until the region is reclaimed.
  mutating func remove(_ id: ObjectID) { latest[Int(id)] = 0 }

  /// Whether the open region has room for so many bytes.
  func fits(_ size: UInt32) -> Bool { used + UInt64(size) <= region }

  /// Writes an object to the open region, which has room for it.
  mutating func append(_ id: ObjectID, _ size: UInt32) {
    writes += 1
    latest[Int(id)] = writes
    hits[Int(id)] = 0
    used += UInt64(size)
    regions[open].append(Entry(id: id, size: size, write: writes))
  }

  /// Closes the open region and opens the next, which is empty then. Returns what was in it, dead
  /// copies included, in the order of writing: nothing for a free one.
  mutating func advance() -> [Entry] {
    open = (open + 1) % regions.count
    used = 0
    let entries = regions[open]
    regions[open] = []
    return entries
  }

  /// Whether an entry is the object's latest copy.
  func isLive(_ entry: Entry) -> Bool { latest[Int(entry.id)] == entry.write }
}
