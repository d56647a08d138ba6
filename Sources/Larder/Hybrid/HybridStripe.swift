import LarderEngine

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
