import LarderEngine
import LarderWorkloads

/// The layout `sets`: each object has one bucket, which is written whole when it gets an object.
struct SetsStore: FlashStore {
  var counts = FlashCounts()
  var evictions: UInt64 = 0
  private var sets: BucketSets

  init(count: Int, objects: Int) { sets = BucketSets(count: count, objects: objects) }

  var stateBytes: Int { sets.bytes }

  func contains(_ id: ObjectID) -> Bool { sets.contains(id) }

  mutating func hit(_ id: ObjectID) {}

  /// Removing an object is a note in memory; its bytes go with the bucket's next write.
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
