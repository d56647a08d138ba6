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
