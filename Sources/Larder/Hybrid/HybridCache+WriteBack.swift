import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension HybridCache {
  /// Lets an entry wait to be written; its stripe is locked.
  func `defer`(_ key: Key, _ stripe: HybridStripe<Key, Value>, _ dirty: HybridDirty) {
    var dirty = dirty
    dirty.order = pending.add(now: dirty.created, isNew: stripe.dirty[key] == nil)
    stripe.dirty[key] = dirty
  }

  /// Drops what waits under a key whose stripe is locked, and says whether anything did.
  @discardableResult func forgetDirty(_ key: Key, _ stripe: HybridStripe<Key, Value>) -> Bool {
    guard !stripe.dirty.isEmpty, stripe.dirty.removeValue(forKey: key) != nil else { return false }
    pending.remove()
    return true
  }

  /// Writes what waits under a key whose stripe is locked; also what has expired, or the value
  /// before it would be there again.
  func writeDirty(_ key: Key, _ operation: inout Operation) {
    let stripe = operation.stripe
    guard let diskTier, let dirty = stripe.dirty[key] else { return }
    forgetDirty(key, stripe)
    do throws(DiskCacheError) {
      operation.outcome.isOnDisk = try diskTier.set(
        dirty.data, for: dirty.diskKey, dirty.options,
        DiskLife(created: dirty.created, expires: dirty.expires))
    } catch {
      stripe.totals.lostWrites += 1
      operation.outcome.fail(.disk(error))
      events.note(.failure(.disk(error)), key, .disk)
    }
  }

  /// Writes what memory has evicted, and everything when enough of it waits or it has waited long
  /// enough. No lock is held.
  func writeBackWhatIsDue() {
    guard case .back(let count, let interval) = configuration.writes else { return }
    let due = pending.due(
      entriesMax: count, intervalMicroseconds: interval?.microseconds,
      now: clock.nowMicroseconds)
    for key in due.evicted {
      let stripe = stripes[key]
      stripe.lock.lock()
      if stripe.dirty[key] != nil, memory?.contains(key) != true {
        var operation = Operation(self, stripe)
        #if LARDER_SCHEDULES
          if ScheduleFault.planted == .droppedWrite { forgetDirty(key, stripe) }
        #endif
        writeDirty(key, &operation)
      }
      stripe.lock.unlock()
    }
    // Listeners have been told of what failed.
    if due.everything { try? writeAllDirty() }
  }

  /// Writes everything that waits, in the order in which it was set. No lock is held.
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

  /// Writes out what waits, and has disk commit what it has acknowledged and the order of last use.
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

/// What a cache that writes back has to see to: keys that memory has evicted, and how many entries
/// wait since when.
final class HybridPending<Key: Sendable>: Sendable {
  private struct State {
    var evicted: [Key] = []
    var waiting = 0
    var order: UInt64 = 0
    var oldest: UInt64?
  }

  private let state = Locked(State())

  /// Memory has evicted a key.
  func note(_ key: Key) { state.withLock { $0.evicted.append(key) } }

  /// An entry begins to wait; its place in the order.
  func add(now: UInt64, isNew: Bool) -> UInt64 {
    state.withLock { state in
      if isNew { state.waiting += 1 }
      if state.oldest == nil { state.oldest = now }
      state.order += 1
      return state.order
    }
  }

  /// An entry does not wait any more.
  func remove() {
    state.withLock { state in
      state.waiting -= 1
      if state.waiting == 0 { state.oldest = nil }
    }
  }

  /// The keys that memory has evicted since this was asked last, and whether everything is due.
  func due(
    entriesMax: Int, intervalMicroseconds: UInt64?, now: UInt64
  ) -> (evicted: [Key], everything: Bool) {
    state.withLock { state in
      var isDue = state.waiting >= entriesMax
      if let interval = intervalMicroseconds, let oldest = state.oldest, now >= oldest {
        isDue = isDue || now - oldest >= interval
      }
      defer { state.evicted = [] }
      return (state.evicted, isDue)
    }
  }

  /// How many entries wait.
  var waiting: Int { state.withLock { $0.waiting } }
}

/// What waits to be written to disk.
struct HybridDirty {
  var diskKey: String
  var data: Data
  var options: DiskStoreOptions
  var created: UInt64
  var expires: UInt64
  /// Place in the order in which entries began to wait.
  var order: UInt64
}
