import Foundation
import Larder

/// A folder with a cache, its expected contents, and checks after its files were damaged.
struct DamagedCache {
  private static let keys = 60

  let scratch: Scratch
  let configuration: DiskConfiguration
  private(set) var latest = History()
  private var ever: [EntryKey: Set<UInt64>] = [:]
  private var nextVersion: UInt64 = 1

  /// Creates and fills a cache, which is closed, or left as by a crash.
  init(_ random: inout Random, isKilled: Bool) throws {
    let working = try Scratch()
    configuration = try .unlimited(&random, .normal, isEncrypted: random.oneIn(3))
    let cache = try BlockingDiskCache(path: working.path, configuration: configuration)
    var history = History()
    for _ in 0..<(20 + random.below(150)) {
      let operation = Operation.draw(&random, keys: Self.keys, number: nextVersion)
      nextVersion += 1
      try operation.perform(cache, history)
      history.apply(operation)
      if case .set(let key, let version, _) = operation { ever[key, default: []].insert(version) }
    }
    latest = history
    if isKilled {
      scratch = try Scratch(copyOf: working.path)
    } else {
      try cache.close()
      scratch = working
    }
  }

  /// Opens the cache, reads all keys, works with it and reopens it.
  ///
  /// - Parameter allowsOld: True if an earlier value of a key may be found, or a removed one: the
  ///   latest transactions are missing if SQLite's log is damaged.
  mutating func check(
    _ random: inout Random, allowsOld: Bool, _ counts: inout Counts
  ) throws {
    let cache = try BlockingDiskCache(path: scratch.path, configuration: configuration)
    var found = try look(cache, allowsOld: allowsOld)
    counts["entries found", default: 0] += found.entries.count
    counts["entries lost", default: 0] += max(0, latest.entries.count - found.entries.count)
    // Damage may be found only now, and all entries are lost then.
    for _ in 0..<60 {
      let operation = Operation.draw(&random, keys: Self.keys, number: nextVersion)
      nextVersion += 1
      try work(operation, cache, &found)
    }
    counts["set aside", default: 0] += Int(cache.statistics.rebuilds)
    try cache.close()
    let again = try BlockingDiskCache(path: scratch.path, configuration: configuration)
    let last = try History(of: again, keys: Self.keys)
    for (key, entry) in last.entries {
      try require(
        entry == found.entries[key], "reopened: \(key) has \(entry), not what was stored last")
    }
    // Whatever was damaged, the cache is intact now.
    let key = EntryKey(1)
    let value = PatternValue.make(key, nextVersion)
    try require(try again.set(value, for: key.key, suite: key.suite), "a set is refused")
    try again.close()
    let third = try BlockingDiskCache(path: scratch.path, configuration: configuration)
    try require(
      try third.value(for: key.key, suite: key.suite) == value, "the cache cannot be used again")
    try third.close()
  }

  private func look(_ cache: BlockingDiskCache, allowsOld: Bool) throws -> History {
    let found = try History(of: cache, keys: Self.keys)
    for (key, entry) in found.entries {
      if allowsOld {
        try require(
          ever[key]?.contains(entry.value) == true, "\(key) has \(entry), which it never had")
      } else {
        try require(
          entry == latest.entries[key],
          "\(key) has \(entry), expected \(String(describing: latest.entries[key]))")
      }
    }
    return found
  }

  /// Performs an operation that must not fail, and after which the cache has the expected value, or
  /// has lost it.
  private func work(_ operation: Operation, _ cache: BlockingDiskCache, _ found: inout History)
    throws
  {
    func mayBe(_ key: EntryKey) throws {
      let entry = try History.find(key, in: cache)
      try require(
        entry == nil || entry == found.entries[key],
        "in use: \(key) has \(String(describing: entry))")
    }
    switch operation {
    case .set(let key, let version, let isPermanent):
      let isStored = try? cache.set(
        PatternValue.make(key, version), for: key.key, suite: key.suite,
        options: DiskStoreOptions(version: "\(version)", isPermanent: isPermanent))
      try require(isStored != false, "\(key) is refused")
      // Damage found by a set is an error: the value is lost, and the next set must succeed.
      if isStored == nil { found.entries[key] = nil } else { found.apply(operation) }
      try mayBe(key)
    case .remove(let key):
      _ = try? cache.remove(key.key, suite: key.suite)
      found.entries[key] = nil
      try mayBe(key)
    case .renew(let key, _):
      let isThere = (try? cache.renew(key.key, suite: key.suite, version: "again")) ?? false
      if isThere { found.entries[key]?.noted = "again" }
    case .removeSuite(let suite):
      _ = try? cache.removeAll(suite: suite, includingPermanent: true)
      found.apply(operation)
    case .get(let key):
      try mayBe(key)
    case .flush:
      try? cache.flush()
    }
  }
}
