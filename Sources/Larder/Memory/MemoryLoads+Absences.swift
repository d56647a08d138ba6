/// Keys of which the origin has said that it has no value.
extension MemoryLoads {
  /// Whether it is remembered that a key has no value.
  func isAbsent(_ key: Key) -> Bool { absences?.value(for: key)?.isKnown ?? false }

  /// A key is being set, and the lock of its shard is held: what is remembered of it, or would be
  /// once its load ends, is no longer so. The key stays until `forgetAbsence`, for its end may run
  /// code that calls the cache.
  func revokeAbsence(of key: Key) {
    #if LARDER_SCHEDULES
      if ScheduleFault.planted == .lateForgetting { return }
    #endif
    guard let absences else { return }
    noteChangeOfLoad(key)
    absences.peek(key)?.revoke()
  }

  /// A key was set or removed.
  func forgetAbsence(_ key: Key) {
    #if LARDER_SCHEDULES
      if ScheduleFault.planted == .lateForgetting { noteChangeOfLoad(key) }
    #endif
    absences?.remove(key)
  }
}
