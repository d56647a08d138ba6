/// Keys of which the origin has said that it has no value.
extension MemoryLoads {
  /// Whether it is remembered that a key has no value.
  func isAbsent(_ key: Key) -> Bool { absences?.value(for: key)?.isKnown ?? false }

  /// A key is being set or removed, and the lock of its shard is held: that it has no value is no
  /// longer so. The key stays until `forgetAbsence`, for its end may run code that calls the cache.
  func revokeAbsence(of key: Key) {
    #if LARDER_SCHEDULES
      if ScheduleFault.planted == .lateForgetting { return }
    #endif
    absences?.peek(key)?.revoke()
  }

  /// The same for all keys that `isRemoved` says, whose loads are forgotten already. O(keys that
  /// are remembered). Returns copies of keys, which may end only when no lock is held.
  func revokeAbsences(where isRemoved: (Key) -> Bool) -> [Key] {
    guard let absences else { return [] }
    let keys = absences.keys
    for key in keys where isRemoved(key) { absences.peek(key)?.revoke() }
    return keys
  }

  /// A key was set or removed.
  func forgetAbsence(_ key: Key) { absences?.remove(key) }
}
