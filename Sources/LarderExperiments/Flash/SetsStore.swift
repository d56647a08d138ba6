import LarderEngine

/// The layout `sets`: each object has one bucket, which is rewritten completely for a new object.
struct SetsStore: FlashStore {
  var counts = FlashCounts()
  var evictions: UInt64 = 0
  private var sets: BucketSets

  init(count: Int, objects: Int) { sets = BucketSets(count: count, objects: objects) }

  var stateBytes: Int { sets.bytes }

  func contains(_ id: ObjectID) -> Bool { sets.contains(id) }

  mutating func hit(_ id: ObjectID) {}

  /// Removes an object in memory; its bytes disappear with the bucket's next write.
  mutating func remove(_ id: ObjectID) { sets.remove(id) }

  mutating func insert(_ id: ObjectID, _ size: UInt32) -> Bool {
    guard size <= BucketSets.largest else { return false }
    evictions += sets.insert(id, size)
    counts.inserted += 1
    counts.insertedBytes += UInt64(size)
    counts.bucketWrites += 1
    counts.writtenBytes += FlashLayout.bucket.bytes
    return true
  }
}

/// Buckets of 4,096 bytes, which are rewritten completely and evict their oldest objects first.
struct BucketSets {
  private var buckets: [[ObjectID]]
  private var used: [UInt32]
  /// Bytes of each object in its bucket, 0 if it is not stored.
  private var taken: [UInt32]

  /// Bytes per bucket that are available to objects.
  private static var room: UInt32 {
    UInt32(FlashLayout.bucket.bytes - FlashLayout.bucket.header)
  }

  /// Maximum size of an object.
  static var largest: UInt32 { room - UInt32(FlashLayout.bucket.perObject) }

  /// Empty buckets for objects with ids up to `objects`.
  init(count: Int, objects: Int) {
    buckets = Array(repeating: [], count: count)
    used = Array(repeating: 0, count: count)
    taken = Array(repeating: 0, count: objects + 1)
  }

  /// Approximate memory in bytes.
  var bytes: Int { buckets.reduce(taken.count * 4) { $0 + $1.capacity * 4 + 12 } }

  /// Bucket of an object: a hash of its number in the trace.
  func bucket(of id: ObjectID) -> Int {
    Int(Self.hash(UInt64(id)) % UInt64(buckets.count))
  }

  static func hash(_ number: UInt64) -> UInt64 { SplitMix64.number(0, seed: number) }

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
