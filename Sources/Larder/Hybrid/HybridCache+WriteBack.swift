import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension HybridCache {
  /// Delays writing an entry to disk; its stripe is locked.
  func `defer`(_ key: Key, _ stripe: HybridStripe<Key, Value>, _ dirty: HybridDirty) {
    var dirty = dirty
    dirty.order = pending.add(now: dirty.created, isNew: stripe.dirty[key] == nil)
    stripe.dirty[key] = dirty
  }

  /// Drops the waiting write of a key whose stripe is locked, and returns true if there was one.
  @discardableResult func forgetDirty(_ key: Key, _ stripe: HybridStripe<Key, Value>) -> Bool {
    guard !stripe.dirty.isEmpty, stripe.dirty.removeValue(forKey: key) != nil else { return false }
    pending.remove()
    return true
  }

  /// Writes the waiting entry of a key whose stripe is locked, even if it has expired, because
  /// otherwise its predecessor would reappear.
  func writeDirty(_ key: Key, _ operation: inout Operation) {
    let stripe = operation.stripe
    guard let diskTier, let dirty = stripe.dirty[key] else { return }
    forgetDirty(key, stripe)
    do throws(DiskCacheError) {
      operation.outcome.isOnDisk = try diskTier.set(
        dirty.data, for: dirty.diskKey, dirty.options,
        DiskLife(created: dirty.created, expiry: dirty.expiry))
    } catch {
      stripe.totals.lostWrites += 1
      operation.outcome.fail(.disk(error))
      events.note(.failure(.disk(error)), key, .disk)
    }
  }

  /// Writes entries evicted from memory, and all waiting entries if there are enough of them or the
  /// oldest has waited long enough. No lock is held.
  func writeBackWhatIsDue() {
    guard case .back(let count, let interval) = configuration.writes else { return }
    let due = pending.due(
      entriesMax: count, interval: interval?.microseconds, now: clock.time)
    for key in due.evicted {
      let stripe = stripes[key]
      stripe.lock.lock()
      if stripe.dirty[key] != nil, memory?.contains(key) != true {
        var operation = Operation(self, stripe)
        writeDirty(key, &operation)
      }
      stripe.lock.unlock()
    }
    // Failures have been reported to listeners.
    if due.everything { try? writeAllDirty() }
  }

  /// Writes all waiting entries, in the order in which they were set. No lock is held.
  func writeAllDirty() throws(HybridCacheError) {
    try refuseNestedCall()
    guard writesBack, pending.waiting > 0 else { return }
    var keys: [(key: Key, order: UInt64)] = []
    for stripe in stripes.all {
      stripe.lock.lock()
      keys += stripe.dirty.map { ($0.key, $0.value.order) }
      stripe.lock.unlock()
    }
    var failure: HybridCacheError?
    for (key, _) in keys.sorted(by: { $0.order < $1.order }) {
      let stripe = stripes[key]
      stripe.lock.lock()
      var operation = Operation(self, stripe)
      writeDirty(key, &operation)
      failure = failure ?? operation.outcome.failure
      stripe.lock.unlock()
    }
    if let failure { throw failure }
  }

  /// Writes all waiting entries, and commits acknowledged values and the order of last use on disk.
  /// O(entries on disk).
  ///
  /// - Throws: `disk`.
  public func flush() throws(HybridCacheError) {
    var failure: HybridCacheError?
    do throws(HybridCacheError) { try writeAllDirty() } catch { failure = error }
    if let diskTier {
      do throws(DiskCacheError) { try diskTier.flush() } catch { failure = failure ?? .disk(error) }
    }
    if events.isActive { events.deliver() }
    if let failure { throw failure }
  }
}

/// Pending work of a write-back cache: keys evicted from memory, and number and age of waiting
/// entries.
final class HybridPending<Key: Sendable>: Sendable {
  private struct State {
    var evicted: [Key] = []
    var waiting = 0
    var order: UInt64 = 0
    var oldest: UInt64?
  }

  private let state = Locked(State())

  /// Records a key evicted from memory.
  func note(_ key: Key) { state.withLock { $0.evicted.append(key) } }

  /// Records a waiting entry and returns its position in the order.
  func add(now: UInt64, isNew: Bool) -> UInt64 {
    state.withLock { state in
      if isNew { state.waiting += 1 }
      if state.oldest == nil { state.oldest = now }
      state.order += 1
      return state.order
    }
  }

  /// Records that an entry no longer waits.
  func remove() {
    state.withLock { state in
      state.waiting -= 1
      if state.waiting == 0 { state.oldest = nil }
    }
  }

  /// Returns the keys evicted from memory since the last call, and true if everything is due.
  func due(
    entriesMax: Int, interval: UInt64?, now: UInt64
  ) -> (evicted: [Key], everything: Bool) {
    state.withLock { state in
      var isDue = state.waiting >= entriesMax
      if let interval, let oldest = state.oldest, now >= oldest {
        isDue = isDue || now - oldest >= interval
      }
      defer { state.evicted = [] }
      return (state.evicted, isDue)
    }
  }

  var waiting: Int { state.withLock { $0.waiting } }
}

/// An entry that waits to be written to disk.
struct HybridDirty {
  var diskKey: String
  var data: Data
  var options: DiskStoreOptions
  var created: UInt64
  var expiry: Expiry
  /// Position in the order of waiting entries.
  var order: UInt64
}
