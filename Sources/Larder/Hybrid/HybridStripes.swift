import LarderEngine

/// All stripes of a cache.
///
/// Under rules that move what memory evicts, a stripe is what one shard of memory holds. A victim
/// then belongs to the same stripe as what it made room for, and nobody can come between its
/// eviction and its arrival on disk.
final class HybridStripes<Key: DiskKeyRepresentable, Value: Sendable>: @unchecked Sendable {
  private(set) var all: [HybridStripe<Key, Value>] = []
  private var hasher = KeyHasher(.standard)

  /// Makes them; before that nothing may be asked. `count` is a power of two.
  func make(count: Int, _ hasher: KeyHasher) {
    self.hasher = hasher
    all = (0..<count).map { _ in HybridStripe() }
  }

  /// What calls of the codec are made in the name of: see `ForeignCall`.
  var place: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

  /// True if the thread is in a call of the codec, and may hold a stripe.
  var isInCodec: Bool {
    let isInside = ForeignCall.isInside(place)
    assert(!isInside, "HybridCache: a codec must not call the cache that it works for")
    return isInside
  }

  /// Calls `body` with each stripe, locked. A stripe that a codec of the same thread may hold is
  /// left out if it is locked.
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

  /// Locks every stripe, so that nothing is moved between the tiers.
  func lockAll() { for stripe in all { stripe.lock.lock() } }

  /// Unlocks every stripe.
  func unlockAll() { for stripe in all { stripe.lock.unlock() } }

  /// The stripe of a key.
  subscript(key: Key) -> HybridStripe<Key, Value> { all[number(key)] }

  /// The number of a key's stripe.
  func number(_ key: Key) -> Int { Int(truncatingIfNeeded: hasher.hash(key)) & (all.count - 1) }
}

/// A part of the keys of a hybrid cache, with the lock under which whatever concerns both tiers is
/// done for one of them, so that the tiers cannot disagree.
///
/// Everything but the lock is used by whoever holds it.
final class HybridStripe<Key: DiskKeyRepresentable, Value: Sendable>: @unchecked Sendable {
  let lock = SleepingLock()

  /// What memory has evicted in the operation under way, where the rules move that to disk.
  var victims: [MemoryEviction<Key, HybridHeld<Value>>] = []
  /// Fetches whose answer is to be stored. One that is overtaken by a set or a removal is taken
  /// out.
  var flights: [Key: CacheFlight<Value>] = [:]
  /// What waits to be written to disk.
  var dirty: [Key: HybridDirty] = [:]
  var totals = HybridTotals()

  init() {}
}
