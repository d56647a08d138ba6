import Larder

/// What may be found of each key while a disk is full now and then, and after a crash.
struct FullDiskModel {
  /// In the open cache.
  private(set) var now: [EntryKey: Set<UInt64?>] = [:]
  /// When the process is killed.
  private(set) var later: [EntryKey: Set<UInt64?>] = [:]
  private let keys: [EntryKey]
  /// Whether each call that succeeds is certain at once.
  private let isDurable: Bool

  init(keys: Int, _ durability: DiskDurability) {
    self.keys = (0..<keys).map { EntryKey($0) }
    isDurable = durability != .none
    for key in self.keys {
      now[key] = [nil]
      later[key] = [nil]
    }
  }

  /// A call that leaves `version` of a key has succeeded or failed.
  mutating func noted(_ key: EntryKey, _ version: UInt64?, hasSucceeded: Bool) {
    later[key]?.insert(version)
    guard hasSucceeded else {
      later[key]?.insert(nil)
      hasFailed()
      // Nothing is served of what could not be stored, and nothing old for it.
      now[key] = [nil]
      return
    }
    now[key] = [version]
    if isDurable { isCertain() } else { later[key]?.insert(nil) }
  }

  /// A call that removes any number of keys has succeeded or failed: what it left is found by
  /// looking.
  mutating func removed(_ some: (EntryKey) -> Bool, hasSucceeded: Bool) {
    if !hasSucceeded { hasFailed() }
    for key in keys where some(key) {
      now[key] = hasSucceeded ? [nil] : now[key]?.union([nil])
      later[key]?.insert(nil)
    }
    if hasSucceeded, isDurable { isCertain() }
  }

  /// The cache was trimmed: any key may have gone.
  mutating func trimmed(hasSucceeded: Bool) {
    if !hasSucceeded { hasFailed() }
    for key in keys {
      now[key]?.insert(nil)
      later[key]?.insert(nil)
    }
    if hasSucceeded, isDurable { isCertain() }
  }

  /// Everything was flushed, or could not be.
  mutating func flushed(hasSucceeded: Bool) {
    if hasSucceeded { isCertain() } else { hasFailed() }
  }

  /// The cache was opened again: it has what was left on the disk.
  mutating func isReopened() { now = later }

  /// A get has shown what a key has.
  mutating func found(_ key: EntryKey, _ version: UInt64?) throws {
    try require(
      now[key]?.contains(version) == true,
      "\(key) has \(String(describing: version)), expected one of \(now[key] ?? [])")
    now[key] = [version]
  }

  /// What a crash has left of a key.
  func checkLater(_ key: EntryKey, _ version: UInt64?, _ context: String) throws {
    try require(
      later[key]?.contains(version) == true,
      "\(context): \(key) has \(String(describing: version)), expected one of \(later[key] ?? [])")
  }

  private mutating func isCertain() { later = now }

  /// What was gathered without being committed may be lost with a call that fails.
  private mutating func hasFailed() {
    guard !isDurable else { return }
    for key in keys {
      now[key]?.insert(nil)
      later[key]?.insert(nil)
    }
  }
}
