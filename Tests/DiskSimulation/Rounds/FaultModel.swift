import Larder

/// What may be found of each key while calls fail, and after the end of the process.
struct FaultModel {
  /// In the open cache.
  private(set) var now: [Int: Set<UInt64?>] = [:]
  /// When the process dies, and, with `full`, when the power goes out.
  private(set) var later: [Int: Set<UInt64?>] = [:]
  /// Everything that a key ever had, and nothing.
  private(set) var ever: [Int: Set<UInt64?>] = [:]
  /// Whether each call that succeeds is certain at once.
  private let isDurable: Bool

  /// The model of a cache that holds what `state` says, for certain.
  ///
  /// - Parameter history: what it held before.
  init(_ state: CacheState, history: [CacheState], _ durability: DiskDurability) {
    isDurable = durability != .none
    for key in 0..<SimulatedKey.count {
      now[key] = [state.entries[key]?.value]
      ever[key] = [nil, state.entries[key]?.value]
    }
    for state in history {
      for (key, entry) in state.entries { ever[key]?.insert(entry.value) }
    }
    later = now
  }

  /// A call that leaves `version` of a key has succeeded or failed.
  mutating func noted(_ key: Int, _ version: UInt64?, hasSucceeded: Bool) {
    ever[key]?.insert(version)
    later[key]?.insert(version)
    guard hasSucceeded else {
      later[key]?.insert(nil)
      hasFailed()
      // Nothing is served of what could not be stored, and nothing old for it.
      now[key] = [nil]
      return
    }
    now[key] = [version]
    if isDurable { later = now } else { later[key]?.insert(nil) }
  }

  /// A call that removes the entries of a suite has succeeded or failed.
  mutating func removedSuite(_ suite: Int, hasSucceeded: Bool) {
    if !hasSucceeded { hasFailed() }
    for key in 0..<SimulatedKey.count where SimulatedKey.isInSuite(key, suite) {
      now[key] = hasSucceeded ? [nil] : now[key]?.union([nil])
      later[key]?.insert(nil)
    }
    if hasSucceeded, isDurable { later = now }
  }

  /// Everything was flushed, or could not be.
  mutating func flushed(hasSucceeded: Bool) {
    if hasSucceeded { later = now } else { hasFailed() }
  }

  /// The cache was opened again: it has what was left on the disk.
  mutating func isReopened() { now = later }

  /// The cache has begun with an empty database.
  mutating func isRebuilt() {
    for key in now.keys {
      now[key]?.insert(nil)
      later[key]?.insert(nil)
    }
  }

  /// A get has shown what a key has.
  ///
  /// - Parameter mayBeLost: whether a value may have been taken for damaged because it could not be
  ///   read.
  mutating func found(_ key: Int, _ version: UInt64?, mayBeLost: Bool) throws {
    if version == nil, mayBeLost {
      later[key]?.insert(nil)
    } else {
      try require(
        now[key]?.contains(version) == true,
        "key \(key) has \(Self.text(version)), expected \(Self.text(now[key]))")
    }
    now[key] = [version]
  }

  /// What is left of a key after the end of the process.
  func checkLater(_ key: Int, _ version: UInt64?, _ context: String) throws {
    try require(
      later[key]?.contains(version) == true,
      "\(context): key \(key) has \(Self.text(version)), expected \(Self.text(later[key]))")
  }

  /// What is left of a key after a power cut that may lose anything.
  func checkEver(_ key: Int, _ version: UInt64?, _ context: String) throws {
    try require(
      ever[key]?.contains(version) == true, "\(context): key \(key) has \(Self.text(version))")
  }

  private static func text(_ version: UInt64?) -> String {
    version.map { "version \($0)" } ?? "nothing"
  }

  private static func text(_ versions: Set<UInt64?>?) -> String {
    (versions ?? []).map(text).sorted().joined(separator: " or ")
  }

  /// What was gathered without being committed may be lost with a call that fails.
  private mutating func hasFailed() {
    guard !isDurable else { return }
    for key in now.keys {
      now[key]?.insert(nil)
      later[key]?.insert(nil)
    }
  }
}
