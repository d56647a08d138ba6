/// Differences between the caches' documented guarantees.
package struct HistoryRules: Sendable {
  /// True if a load may be joined after its value was stored, as in a `MemoryCache`, and a loaded
  /// value is discarded if another one was stored meanwhile.
  package var isMemoryCache: Bool
  package var mayLose: Bool
  /// True if a value may be missed once and found later, for example because the disk fails.
  package var mayMissWhatIsThere: Bool
  package var returnsExpired: Bool
  /// Time for which a memory cache remembers a missing value, in microseconds.
  package var absenceLife: UInt64
  /// Idle expiry in microseconds: an entry is valid for at least the lower bound after its last
  /// access, and for less than the upper one. Nil without idle expiry.
  package var idleLife: ClosedRange<UInt64>?
  package var clockEnd: UInt64

  package init(
    isMemoryCache: Bool, mayLose: Bool, mayMissWhatIsThere: Bool = false,
    returnsExpired: Bool = false, absenceLife: UInt64 = 0, clockEnd: UInt64 = 0
  ) {
    self.isMemoryCache = isMemoryCache
    self.mayLose = mayLose
    self.mayMissWhatIsThere = mayMissWhatIsThere
    self.returnsExpired = returnsExpired
    self.absenceLife = absenceLife
    self.clockEnd = clockEnd
  }
}
