public import Synchronization

/// Where a shard's directory is, for whoever does not hold the shard's lock: good for a prefetch,
/// which may be of any address, and for nothing else.
@usableFromInline
struct ShardAddress: ~Copyable {
  @usableFromInline let directory = Atomic<UInt>(0)
  @usableFromInline let buckets = Atomic<UInt>(0)

  init() {}

  @usableFromInline
  func note(_ place: KeyDirectory) {
    directory.store(UInt(bitPattern: place.base), ordering: .relaxed)
    buckets.store(UInt(place.buckets), ordering: .relaxed)
  }
}
