/// What the documentation of a cache allows that another cache's does not.
package struct HistoryRules: Sendable {
  /// Whether a load may be joined when its value is stored already, as in a `MemoryCache`, and a
  /// loaded value gives way to one that came there meanwhile.
  package var isMemoryCache: Bool
  /// Whether values may be lost at any time, as by eviction.
  package var mayLose: Bool
  /// Whether what was not found once may be found later, as when the disk fails.
  package var mayMissWhatIsThere: Bool
  /// Whether a value that has expired may be returned by any request.
  package var returnsExpired: Bool
  /// How long a memory cache remembers that the origin has no value, microseconds.
  package var absenceLife: UInt64
  /// How long an entry may be used after its last access, microseconds: for as long as the one for
  /// sure, and for less than the other. Nil where accesses play no part.
  package var idleLife: ClosedRange<UInt64>?
  /// The last instant of the history's clock.
  package var clockEnd: UInt64

  /// See the properties.
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
