import Larder

/// Permitted values of each key while calls fail or a disk is full, and after the process ends.
struct FaultModel<Key: Hashable> {
  private(set) var now: [Key: Set<UInt64?>] = [:]
  /// Values after the process is killed and, with `full`, after a power cut.
  private(set) var later: [Key: Set<UInt64?>] = [:]
  private(set) var ever: [Key: Set<UInt64?>] = [:]
  /// True if each successful call is durable at once.
  private let isDurable: Bool

  /// Creates the model of a cache with exactly these values; `earlier` are those that keys had.
  init(_ values: [Key: UInt64?], earlier: [(Key, UInt64)] = [], _ durability: DiskDurability) {
    isDurable = durability != .none
    for (key, value) in values {
      now[key] = [value]
      ever[key] = [nil, value]
    }
    for (key, value) in earlier { ever[key]?.insert(value) }
    later = now
  }

  /// Records a call that leaves `version` of a key if it succeeds.
  mutating func noted(_ key: Key, _ version: UInt64?, hasSucceeded: Bool) {
    ever[key]?.insert(version)
    later[key]?.insert(version)
    guard hasSucceeded else {
      later[key]?.insert(nil)
      hasFailed()
      // A value that could not be stored is not returned, nor an older one.
      now[key] = [nil]
      return
    }
    now[key] = [version]
    if isDurable { later = now } else { later[key]?.insert(nil) }
  }

  /// Records a call that removes any number of keys if it succeeds.
  mutating func removed(_ some: (Key) -> Bool, hasSucceeded: Bool) {
    if !hasSucceeded { hasFailed() }
    for key in Array(now.keys) where some(key) {
      now[key] = hasSucceeded ? [nil] : now[key]?.union([nil])
      later[key]?.insert(nil)
    }
    if hasSucceeded, isDurable { later = now }
  }

  /// Records a trim, which may have removed any key.
  mutating func trimmed(hasSucceeded: Bool) {
    if !hasSucceeded { hasFailed() }
    mayHaveGone()
    if hasSucceeded, isDurable { later = now }
  }

  mutating func flushed(hasSucceeded: Bool) {
    if hasSucceeded { later = now } else { hasFailed() }
  }

  /// Records that the cache was reopened: it has the entries left on the disk.
  mutating func isReopened() { now = later }

  /// Checks and records the result of a get.
  ///
  /// - Parameter mayBeLost: True if a value may have been treated as damaged because it could not
  ///   be read.
  mutating func found(_ key: Key, _ version: UInt64?, mayBeLost: Bool = false) throws {
    if version == nil, mayBeLost {
      later[key]?.insert(nil)
    } else {
      try require(now[key]?.contains(version) == true, text(key, version, now[key]))
    }
    now[key] = [version]
  }

  /// Checks a key after the end of the process.
  func checkLater(_ key: Key, _ version: UInt64?, _ context: String) throws {
    try require(
      later[key]?.contains(version) == true, "\(context): \(text(key, version, later[key]))")
  }

  /// Checks a key after a power cut that may lose anything.
  func checkEver(_ key: Key, _ version: UInt64?, _ context: String) throws {
    try require(
      ever[key]?.contains(version) == true, "\(context): \(text(key, version, ever[key]))")
  }

  private func text(_ key: Key, _ version: UInt64?, _ expected: Set<UInt64?>?) -> String {
    func name(_ version: UInt64?) -> String { version.map { "version \($0)" } ?? "nothing" }
    let names = (expected ?? []).map(name).sorted().joined(separator: " or ")
    return "key \(key) has \(name(version)), expected \(names)"
  }

  /// Records a failed call, with which uncommitted grouped writes may be lost.
  private mutating func hasFailed() { if !isDurable { mayHaveGone() } }

  private mutating func mayHaveGone() {
    for key in Array(now.keys) {
      now[key]?.insert(nil)
      later[key]?.insert(nil)
    }
  }
}
