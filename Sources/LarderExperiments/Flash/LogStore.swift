import LarderEngine

/// The layout `log`: regions in a ring. Objects of a reclaimed region are evicted, or rewritten if
/// they had enough hits.
struct LogStore: FlashStore {
  var counts = FlashCounts()
  var evictions: UInt64 = 0
  private var ring: RegionRing
  /// Minimum number of hits for rewriting an object; 0 for never.
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

/// Regions of a log: one is open and written from its beginning, the others are free or closed.
/// Regions are opened in turn, so the next one is either free or the one opened longest ago.
struct RegionRing {
  /// A written object.
  struct Entry {
    var id: ObjectID
    var size: UInt32
    /// Number of the write; if it is not the object's latest, the copy is dead.
    var write: UInt64
  }

  /// Bytes per region.
  let region: UInt64
  private var regions: [[Entry]]
  private var open = 0
  /// Bytes written to the open region.
  private var used: UInt64 = 0
  private var writes: UInt64 = 0
  /// Number of each object's latest write, 0 if it is not in the log.
  private var latest: [UInt64]
  /// Hits of each object since its latest write.
  private var hits: [UInt32]

  /// Empty regions for objects with ids up to `objects`.
  init(region: UInt64, count: Int, objects: Int) {
    self.region = region
    regions = Array(repeating: [], count: count)
    latest = Array(repeating: 0, count: objects + 1)
    hits = Array(repeating: 0, count: objects + 1)
  }

  /// Approximate memory in bytes.
  var bytes: Int {
    latest.count * 12 + regions.reduce(0) { $0 + $1.capacity * MemoryLayout<Entry>.stride }
  }

  func contains(_ id: ObjectID) -> Bool { latest[Int(id)] != 0 }

  /// Hits of a stored object since it was written.
  func hits(of id: ObjectID) -> UInt32 { hits[Int(id)] }

  mutating func hit(_ id: ObjectID) {
    if hits[Int(id)] < .max { hits[Int(id)] += 1 }
  }

  /// Marks the copy of an object as dead; its bytes are used until the region is reclaimed.
  mutating func remove(_ id: ObjectID) { latest[Int(id)] = 0 }

  /// True if the open region has room for `size` bytes.
  func fits(_ size: UInt32) -> Bool { used + UInt64(size) <= region }

  /// Writes an object to the open region, which must have room for it.
  mutating func append(_ id: ObjectID, _ size: UInt32) {
    writes += 1
    latest[Int(id)] = writes
    hits[Int(id)] = 0
    used += UInt64(size)
    regions[open].append(Entry(id: id, size: size, write: writes))
  }

  /// Closes the open region and opens the next one, emptying it. Returns its previous content in
  /// the order of writing, including dead copies; empty for a free region.
  mutating func advance() -> [Entry] {
    open = (open + 1) % regions.count
    used = 0
    let entries = regions[open]
    regions[open] = []
    return entries
  }

  /// True if an entry is the object's latest copy.
  func isLive(_ entry: Entry) -> Bool { latest[Int(entry.id)] == entry.write }
}
