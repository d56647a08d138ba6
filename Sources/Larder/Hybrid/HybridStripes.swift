import LarderEngine

/// All stripes of a cache.
///
/// Under rules that move entries evicted from memory, a stripe covers one shard of memory. A victim
/// then belongs to the same stripe as the entry it made room for, and no operation can run between
/// its eviction and its arrival on disk.
final class HybridStripes<Key: DiskKeyRepresentable, Value: Sendable>: @unchecked Sendable {
  private(set) var all: [HybridStripe<Key, Value>] = []
  private var hasher = KeyHasher(.standard)

  /// Creates the stripes, which must not be used before. `count` is a power of two.
  func make(count: Int, _ hasher: KeyHasher) {
    self.hasher = hasher
    all = (0..<count).map { _ in HybridStripe() }
  }

  /// Owner of calls to the codec: see `ForeignCall`.
  var place: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

  /// True if the thread is in a call of the codec, and may hold a stripe.
  var isInCodec: Bool {
    let isInside = ForeignCall.isInside(place)
    assert(!isInside, "HybridCache: a codec must not call its own cache")
    return isInside
  }

  /// Calls `body` with each stripe, locked. Within a codec's call, stripes that are locked are
  /// skipped, because the thread may hold them.
  func visit(_ body: (HybridStripe<Key, Value>) -> Void) {
    let isInCodec = isInCodec
    for stripe in all {
      if isInCodec {
        guard stripe.lock.tryLock() else { continue }
      } else {
        stripe.lock.lock()
      }
      body(stripe)
      stripe.lock.unlock()
    }
  }

  /// Locks every stripe, so that nothing moves between the tiers.
  func lockAll() { for stripe in all { stripe.lock.lock() } }

  func unlockAll() { for stripe in all { stripe.lock.unlock() } }

  subscript(key: Key) -> HybridStripe<Key, Value> { all[number(key)] }

  func number(_ key: Key) -> Int { Int(truncatingIfNeeded: hasher.hash(key)) & (all.count - 1) }
}

/// A part of the keys of a hybrid cache, with the lock under which operations on both tiers run, so
/// that the tiers cannot disagree.
///
/// Everything but the lock requires the lock.
final class HybridStripe<Key: DiskKeyRepresentable, Value: Sendable>: @unchecked Sendable {
  let lock = SleepingLock()

  /// Entries that memory has evicted in the current operation, if the rules move them to disk.
  var victims: [MemoryEviction<Key, MemoryRecord<Value>>] = []
  /// Fetches whose result is to be stored. A set or a removal of the key removes its fetch.
  var flights: [Key: CacheFlight<Value>] = [:]
  /// Entries that wait to be written to disk.
  var dirty: [Key: HybridDirty] = [:]
  var totals = HybridTotals()

  init() {}
}
