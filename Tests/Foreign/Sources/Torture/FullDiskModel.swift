import Larder

/// Permitted values of each key while a disk is occasionally full, and after a crash.
struct FullDiskModel {
  private(set) var now: [EntryKey: Set<UInt64?>] = [:]
  /// Values after a kill of the process.
  private(set) var later: [EntryKey: Set<UInt64?>] = [:]
  private let keys: [EntryKey]
  /// True if each successful call is durable at once.
  private let isDurable: Bool

  init(keys: Int, _ durability: DiskDurability) {
    self.keys = (0..<keys).map { EntryKey($0) }
    isDurable = durability != .none
    for key in self.keys {
      now[key] = [nil]
      later[key] = [nil]
    }
  }

  /// Records a call that leaves `version` of a key if it succeeds.
  mutating func noted(_ key: EntryKey, _ version: UInt64?, hasSucceeded: Bool) {
    later[key]?.insert(version)
    guard hasSucceeded else {
      later[key]?.insert(nil)
      hasFailed()
      // A value that could not be stored is not returned, nor an older one.
      now[key] = [nil]
      return
    }
    now[key] = [version]
    if isDurable { isCertain() } else { later[key]?.insert(nil) }
  }

  /// Records a call that removes any number of keys if it succeeds: the remaining ones are found by
  /// reading.
  mutating func removed(_ some: (EntryKey) -> Bool, hasSucceeded: Bool) {
    if !hasSucceeded { hasFailed() }
    for key in keys where some(key) {
      now[key] = hasSucceeded ? [nil] : now[key]?.union([nil])
      later[key]?.insert(nil)
    }
    if hasSucceeded, isDurable { isCertain() }
  }

  /// Records a trim, which may have removed any key.
  mutating func trimmed(hasSucceeded: Bool) {
    if !hasSucceeded { hasFailed() }
    for key in keys {
      now[key]?.insert(nil)
      later[key]?.insert(nil)
    }
    if hasSucceeded, isDurable { isCertain() }
  }

  mutating func flushed(hasSucceeded: Bool) {
    if hasSucceeded { isCertain() } else { hasFailed() }
  }

  /// Records that the cache was reopened: it has the entries left on the disk.
  mutating func isReopened() { now = later }

  mutating func found(_ key: EntryKey, _ version: UInt64?) throws {
    try require(
      now[key]?.contains(version) == true,
      "\(key) has \(String(describing: version)), expected one of \(now[key] ?? [])")
    now[key] = [version]
  }

  /// Checks a key after a crash.
  func checkLater(_ key: EntryKey, _ version: UInt64?, _ context: String) throws {
    try require(
      later[key]?.contains(version) == true,
      "\(context): \(key) has \(String(describing: version)), expected one of \(later[key] ?? [])")
  }

  private mutating func isCertain() { later = now }

  /// Records a failed call, with which uncommitted grouped writes may be lost.
  private mutating func hasFailed() {
    guard !isDurable else { return }
    for key in keys {
      now[key]?.insert(nil)
      later[key]?.insert(nil)
    }
  }
}
