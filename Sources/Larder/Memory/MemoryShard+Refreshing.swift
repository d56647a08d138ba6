import LarderEngine

/// Reloading values that are still answered meanwhile. An entry that is being reloaded has a stamp
/// that no set writes, so whether it was replaced in between is known without a word in the entry
/// or a branch in a set.
extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  /// The stamp of an entry that is being reloaded: later than every instant, so trimming by age
  /// passes over it.
  private static var refreshingStamp: UInt32 { permanentBit - 1 }

  /// Whether a value that may be used was stored before `instant`, as far as stamps can tell, and
  /// is neither permanent nor being reloaded.
  func isDue(_ key: Key, _ hash: UInt32, before instant: UInt64, now: UInt64) -> Bool {
    let id = find(key, hash)
    guard id != .none, tier.contains(id), expiry(id) > now else { return false }
    return records.stamp(id).pointee < self.stamp(instant)
  }

  /// The value of a key that has expired, less than `life` ago, and was kept; and whether it is
  /// being reloaded. No reference to it.
  func stale(
    _ key: Key, _ hash: UInt32, life: UInt64, now: UInt64
  ) -> (value: Value, isRefreshing: Bool)? {
    let id = find(key, hash)
    guard id != .none, tier.contains(id) else { return nil }
    let expires = expiry(id)
    guard expires <= now, now - expires < life else { return nil }
    return (records.value(id).pointee, records.stamp(id).pointee == Self.refreshingStamp)
  }

  /// Marks an entry as being reloaded and returns the stamp that it had; nil if it is gone, or was
  /// stored neither before `instant` nor has expired, or is permanent or marked already.
  func beginRefresh(_ key: Key, _ hash: UInt32, before instant: UInt64, now: UInt64) -> UInt32? {
    let id = find(key, hash)
    guard id != .none, tier.contains(id) else { return nil }
    let stamp = records.stamp(id).pointee
    guard stamp < Self.refreshingStamp else { return nil }
    guard expiry(id) <= now || stamp < self.stamp(instant) else { return nil }
    records.stamp(id).pointee = Self.refreshingStamp
    return stamp
  }

  /// Whether the entry of a key is being reloaded, and was not replaced since that began.
  func isRefreshing(_ key: Key, _ hash: UInt32) -> Bool {
    let id = find(key, hash)
    return id != .none && tier.contains(id) && records.stamp(id).pointee == Self.refreshingStamp
  }

  /// Gives an entry its stamp back, if it is still marked: it may then be reloaded again.
  func endRefresh(_ key: Key, _ hash: UInt32, _ stamp: UInt32) {
    guard isRefreshing(key, hash) else { return }
    records.stamp(find(key, hash)).pointee = stamp
  }
}
