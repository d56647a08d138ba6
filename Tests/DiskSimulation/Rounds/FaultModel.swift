import Larder

/// Permitted values of each key while calls fail, and after the end of the process.
struct FaultModel {
  private(set) var now: [Int: Set<UInt64?>] = [:]
  /// Values after the process is killed and, with `full`, after a power cut.
  private(set) var later: [Int: Set<UInt64?>] = [:]
  private(set) var ever: [Int: Set<UInt64?>] = [:]
  /// True if each successful call is durable at once.
  private let isDurable: Bool

  /// Creates the model of a cache with exactly the contents `state`.
  ///
  /// - Parameter history: Earlier contents.
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

  /// Records a call that leaves `version` of a key if it succeeds.
  mutating func noted(_ key: Int, _ version: UInt64?, hasSucceeded: Bool) {
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

  /// Records a call that removes the entries of a suite if it succeeds.
  mutating func removedSuite(_ suite: Int, hasSucceeded: Bool) {
    if !hasSucceeded { hasFailed() }
    for key in 0..<SimulatedKey.count where SimulatedKey.isInSuite(key, suite) {
      now[key] = hasSucceeded ? [nil] : now[key]?.union([nil])
      later[key]?.insert(nil)
    }
    if hasSucceeded, isDurable { later = now }
  }

  mutating func flushed(hasSucceeded: Bool) {
    if hasSucceeded { later = now } else { hasFailed() }
  }

  /// Checks and records the result of a get.
  ///
  /// - Parameter mayBeLost: True if a value may have been treated as damaged because it could not
  ///   be read.
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

  /// Checks a key after the end of the process.
  func checkLater(_ key: Int, _ version: UInt64?, _ context: String) throws {
    try require(
      later[key]?.contains(version) == true,
      "\(context): key \(key) has \(Self.text(version)), expected \(Self.text(later[key]))")
  }

  /// Checks a key after a power cut that may lose anything.
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

  /// Records a failed call, with which uncommitted grouped writes may be lost.
  private mutating func hasFailed() {
    guard !isDurable else { return }
    for key in now.keys {
      now[key]?.insert(nil)
      later[key]?.insert(nil)
    }
  }
}
