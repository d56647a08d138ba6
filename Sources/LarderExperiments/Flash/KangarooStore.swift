import LarderEngine

/// The layout `kangaroo`: a log in front of sets. McAllister et al., SOSP 2021.
///
/// Reclaiming a region of the log processes its objects in the order of writing. If the log has
/// `threshold` or more objects of an object's bucket, itself included, all of them move to the
/// bucket, the oldest first, in one write of the bucket. Otherwise the object is rewritten to the
/// log if it had enough hits there, or evicted. Moved objects leave holes in the log. A bucket
/// evicts its oldest objects first; the paper's RRIParoo would keep those with hits.
struct KangarooStore: FlashStore {
  var counts = FlashCounts()
  var evictions: UInt64 = 0
  private let layout: FlashLayout.Kangaroo
  private var ring: RegionRing
  private var sets: BucketSets
  // Linked lists of the objects of each bucket that are in the log, in the order of writing.
  private var first: [ObjectID]
  private var next: [ObjectID]
  /// Bytes of each object in the log.
  private var sizes: [UInt32]

  init(_ layout: FlashLayout.Kangaroo, regions: Int, buckets: Int, objects: Int) {
    self.layout = layout
    ring = RegionRing(region: layout.region, count: regions, objects: objects)
    sets = BucketSets(count: buckets, objects: objects)
    first = Array(repeating: .none, count: buckets)
    next = Array(repeating: .none, count: objects + 1)
    sizes = Array(repeating: 0, count: objects + 1)
  }

  var stateBytes: Int { ring.bytes + sets.bytes + (first.count + next.count + sizes.count) * 4 }

  func contains(_ id: ObjectID) -> Bool { ring.contains(id) || sets.contains(id) }

  mutating func hit(_ id: ObjectID) {
    if ring.contains(id) { ring.hit(id) }
  }

  mutating func remove(_ id: ObjectID) {
    if ring.contains(id) {
      leaveLog(id)
    } else {
      sets.remove(id)
    }
  }

  mutating func insert(_ id: ObjectID, _ size: UInt32) -> Bool {
    guard size <= BucketSets.largest, UInt64(size) <= ring.region else { return false }
    while !ring.fits(size) { reclaim(ring.advance()) }
    enterLog(id, size)
    counts.inserted += 1
    counts.insertedBytes += UInt64(size)
    return true
  }

  private mutating func reclaim(_ entries: [RegionRing.Entry]) {
    for entry in entries where ring.isLive(entry) {
      let group = group(of: entry.id)
      if group.count >= Int(layout.threshold) {
        for id in group {
          leaveLog(id)
          evictions += sets.insert(id, sizes[Int(id)])
        }
        counts.moved += UInt64(group.count)
        counts.bucketWrites += 1
        counts.writtenBytes += FlashLayout.bucket.bytes
      } else if layout.reinsertHits > 0, ring.hits(of: entry.id) >= layout.reinsertHits {
        leaveLog(entry.id)
        enterLog(entry.id, entry.size)
        counts.reinserted += 1
        counts.reinsertedBytes += UInt64(entry.size)
      } else {
        leaveLog(entry.id)
        evictions += 1
      }
    }
  }

  /// Objects in the log that share an object's bucket, in the order of writing.
  private func group(of id: ObjectID) -> [ObjectID] {
    var group: [ObjectID] = []
    var member = first[sets.bucket(of: id)]
    while member != .none {
      group.append(member)
      member = next[Int(member)]
    }
    return group
  }

  private mutating func enterLog(_ id: ObjectID, _ size: UInt32) {
    ring.append(id, size)
    sizes[Int(id)] = size
    counts.writtenBytes += UInt64(size)
    next[Int(id)] = .none
    let bucket = sets.bucket(of: id)
    guard first[bucket] != .none else {
      first[bucket] = id
      return
    }
    var last = first[bucket]
    while next[Int(last)] != .none { last = next[Int(last)] }
    next[Int(last)] = id
  }

  private mutating func leaveLog(_ id: ObjectID) {
    ring.remove(id)
    let bucket = sets.bucket(of: id)
    if first[bucket] == id {
      first[bucket] = next[Int(id)]
      return
    }
    var ahead = first[bucket]
    while next[Int(ahead)] != id { ahead = next[Int(ahead)] }
    next[Int(ahead)] = next[Int(id)]
  }
}
