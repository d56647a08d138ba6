import LarderEngine

/// A cache on flash: a log, buckets, or a log in front of buckets (McAllister et al., Kangaroo:
/// Caching Billions of Tiny Objects on Flash, SOSP 2021).
///
/// Reclaiming a region of the log processes its objects in the order of writing. If the log has
/// `threshold` or more objects of an object's bucket, itself included, all of them move to the
/// bucket, the oldest first, in one write of the bucket. Otherwise the object is rewritten to the
/// log if it had enough hits there, or evicted. Moved objects leave holes in the log. A bucket
/// evicts its oldest objects first; the paper's RRIParoo would keep those with hits.
struct FlashStore {
  var counts = FlashCounts()
  var evictions: UInt64 = 0
  private let hasLog: Bool
  private let hasSets: Bool
  private let threshold: UInt32
  /// Minimum number of hits for rewriting an object; 0 for never.
  private let reinsertHits: UInt32
  private var ring: RegionRing
  private var sets: BucketSets
  // Linked lists of the objects of each bucket that are in the log, in the order of writing; empty
  // unless there are both.
  private var first: [ObjectID]
  private var next: [ObjectID]

  init(_ layout: FlashLayout, capacity: UInt64, objects: Int) {
    let (regions, buckets) = (layout.regionCount(of: capacity), layout.bucketCount(of: capacity))
    (hasLog, hasSets) = (regions > 0, buckets > 0)
    var region: UInt64 = 0
    switch layout {
    case .log(let bytes, let hits): (region, threshold, reinsertHits) = (bytes, .max, hits)
    case .sets: (threshold, reinsertHits) = (1, 0)
    case .kangaroo(let own):
      (region, threshold, reinsertHits) = (own.region, own.threshold, own.reinsertHits)
    }
    ring = RegionRing(region: region, count: Int(regions), objects: hasLog ? objects : 0)
    sets = BucketSets(count: Int(buckets), objects: hasSets ? objects : 0)
    first = Array(repeating: .none, count: hasLog ? Int(buckets) : 0)
    next = Array(repeating: .none, count: hasLog && hasSets ? objects + 1 : 0)
  }

  /// Approximate memory in bytes.
  var stateBytes: Int { ring.bytes + sets.bytes + (first.count + next.count) * 4 }

  func contains(_ id: ObjectID) -> Bool {
    hasLog && ring.contains(id) || hasSets && sets.contains(id)
  }

  mutating func hit(_ id: ObjectID) {
    if hasLog, ring.contains(id) { ring.hit(id) }
  }

  mutating func remove(_ id: ObjectID) {
    if hasLog, ring.contains(id) {
      leaveLog(id)
    } else {
      sets.remove(id)
    }
  }

  mutating func insert(_ id: ObjectID, _ size: UInt32) -> Bool {
    guard !hasLog || UInt64(size) <= ring.region, !hasSets || size <= BucketSets.largest else {
      return false
    }
    if hasLog {
      while !ring.fits(size) { reclaim(ring.advance()) }
      enterLog(id, size)
    } else {
      evictions += sets.insert(id, size)
      countBucketWrite()
    }
    counts.inserted += 1
    counts.insertedBytes += UInt64(size)
    return true
  }

  private mutating func countBucketWrite() {
    counts.bucketWrites += 1
    counts.writtenBytes += FlashLayout.bucket.bytes
  }

  private mutating func reclaim(_ entries: [RegionRing.Entry]) {
    for entry in entries where ring.isLive(entry) {
      let group = hasSets ? group(of: entry.id) : []
      if group.count >= Int(threshold) {
        for id in group {
          let size = ring.size(of: id)
          leaveLog(id)
          evictions += sets.insert(id, size)
        }
        counts.moved += UInt64(group.count)
        countBucketWrite()
      } else if reinsertHits > 0, ring.hits(of: entry.id) >= reinsertHits {
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
    counts.writtenBytes += UInt64(size)
    guard hasSets else { return }
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
    guard hasSets else { return }
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

/// Regions of a log: one is open and written from its beginning, the others are free or closed.
/// Regions are opened in turn, so the next one is either free or the one opened longest ago.
struct RegionRing {
  struct Entry {
    var id: ObjectID
    var size: UInt32
    var write: UInt64
  }

  let region: UInt64
  private var regions: [[Entry]]
  private var open = 0
  private var used: UInt64 = 0
  private var writes: UInt64 = 0
  private var latest: [UInt64]
  private var hits: [UInt32]
  private var sizes: [UInt32]

  init(region: UInt64, count: Int, objects: Int) {
    self.region = region
    regions = Array(repeating: [], count: count)
    latest = Array(repeating: 0, count: objects + 1)
    hits = Array(repeating: 0, count: objects + 1)
    sizes = Array(repeating: 0, count: objects + 1)
  }

  var bytes: Int {
    latest.count * 16 + regions.reduce(0) { $0 + $1.capacity * MemoryLayout<Entry>.stride }
  }

  func contains(_ id: ObjectID) -> Bool { latest[Int(id)] != 0 }

  func hits(of id: ObjectID) -> UInt32 { hits[Int(id)] }

  func size(of id: ObjectID) -> UInt32 { sizes[Int(id)] }

  mutating func hit(_ id: ObjectID) {
    if hits[Int(id)] < .max { hits[Int(id)] += 1 }
  }

  mutating func remove(_ id: ObjectID) { latest[Int(id)] = 0 }

  func fits(_ size: UInt32) -> Bool { used + UInt64(size) <= region }

  /// Writes an object to the open region, which must have room for it.
  mutating func append(_ id: ObjectID, _ size: UInt32) {
    writes += 1
    latest[Int(id)] = writes
    hits[Int(id)] = 0
    sizes[Int(id)] = size
    used += UInt64(size)
    regions[open].append(Entry(id: id, size: size, write: writes))
  }

  mutating func advance() -> [Entry] {
    open = (open + 1) % regions.count
    used = 0
    let entries = regions[open]
    regions[open] = []
    return entries
  }

  func isLive(_ entry: Entry) -> Bool { latest[Int(entry.id)] == entry.write }
}

/// Buckets of 4,096 bytes, which are rewritten completely and evict their oldest objects first.
struct BucketSets {
  private var buckets: [[ObjectID]]
  private var used: [UInt32]
  private var taken: [UInt32]

  private static var room: UInt32 { UInt32(FlashLayout.bucket.bytes - FlashLayout.bucket.header) }

  static var largest: UInt32 { room - UInt32(FlashLayout.bucket.perObject) }

  init(count: Int, objects: Int) {
    buckets = Array(repeating: [], count: count)
    used = Array(repeating: 0, count: count)
    taken = Array(repeating: 0, count: objects + 1)
  }

  var bytes: Int { buckets.reduce(taken.count * 4) { $0 + $1.capacity * 4 + 12 } }

  func bucket(of id: ObjectID) -> Int {
    Int(SplitMix64.number(0, seed: UInt64(id)) % UInt64(buckets.count))
  }

  func contains(_ id: ObjectID) -> Bool { taken[Int(id)] != 0 }

  /// Inserts an object of at most `largest` bytes into its bucket and returns the number of
  /// evictions. The caller must write the bucket.
  mutating func insert(_ id: ObjectID, _ size: UInt32) -> UInt64 {
    let bucket = bucket(of: id)
    let needed = size + UInt32(FlashLayout.bucket.perObject)
    var dropped = 0
    while used[bucket] + needed > Self.room {
      let oldest = buckets[bucket][dropped]
      used[bucket] -= taken[Int(oldest)]
      taken[Int(oldest)] = 0
      dropped += 1
    }
    if dropped > 0 { buckets[bucket].removeFirst(dropped) }
    buckets[bucket].append(id)
    used[bucket] += needed
    taken[Int(id)] = needed
    return UInt64(dropped)
  }

  mutating func remove(_ id: ObjectID) {
    let bucket = bucket(of: id)
    used[bucket] -= taken[Int(id)]
    taken[Int(id)] = 0
    buckets[bucket].removeAll { $0 == id }
  }
}
