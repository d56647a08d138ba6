import Foundation
import Larder

/// A cache is reopened repeatedly with other policies, limits and sizes: its values are those
/// stored, limits hold, and entries are lost only to limits.
enum ReopenScenario: Scenario {
  static let name = "reopen"
  static let summary = "other policies, limits and sizes at every opening"
  static let rounds = 1_000
  private static let keys = 120

  static func round(_ random: inout Random, _ counts: inout Counts) throws {
    let scratch = try Scratch()
    let isEncrypted = random.oneIn(4)
    var latest: [EntryKey: History.Entry] = [:]
    var permanent: Set<EntryKey> = []
    var version: UInt64 = 0
    for _ in 0..<(2 + random.below(4)) {
      let configuration = try draw(&random, isEncrypted)
      let before = try held(scratch.path, latest, isEncrypted)
      let cache = try BlockingDiskCache(path: scratch.path, configuration: configuration)
      let context = "\(configuration.policy) \(configuration.limits)"
      try checkLimits(cache, configuration.limits, context)
      if configuration.limits.bytes == nil, configuration.limits.count == nil {
        try require(cache.count == before, "\(context): \(before) became \(cache.count)")
      }
      for _ in 0..<random.below(random.oneIn(4) ? 1_500 : 200) {
        version += 1
        let operation = Operation.draw(&random, keys: keys, number: version)
        try perform(operation, cache, &latest, &permanent, context)
        counts["operations", default: 0] += 1
      }
      try checkLimits(cache, configuration.limits, context)
      for number in 0..<keys {
        let key = EntryKey(number)
        let found = try History.find(key, in: cache)
        try require(
          found == nil || found == latest[key],
          "\(context): \(key) has \(String(describing: found))")
        try require(
          found != nil || !permanent.contains(key), "\(context): permanent \(key) is gone")
      }
      let said = cache.statistics
      try require(said.damages == 0 && said.rebuilds == 0, "\(context): \(said)")
      try cache.close()
      counts["openings", default: 0] += 2
    }
  }

  private static func draw(
    _ random: inout Random, _ isEncrypted: Bool
  ) throws -> DiskConfiguration {
    var configuration = try DiskConfiguration.unlimited(
      &random, random.pick(DiskDurability.allCases), isEncrypted: isEncrypted)
    configuration.policy = CachePolicy(random.pick(DiskConfiguration.policies))
    configuration.admission = random.oneIn(5) ? "second-hit" : nil
    configuration.limits = DiskLimits(
      bytes: random.oneIn(3) ? nil : UInt64(1 + random.below(random.pick([2_000, 2_000_000]))),
      count: random.oneIn(2) ? nil : 1 + random.below(random.pick([5, 200])), freeBytes: 0)
    configuration.pageCacheBytes = random.pick([0, 1 << 16, 8 << 20])
    return configuration
  }

  /// Number of entries in the folder, counted by a cache that evicts none.
  private static func held(
    _ path: String, _ latest: [EntryKey: History.Entry], _ isEncrypted: Bool
  ) throws -> Int {
    var random = Random(seed: 1)
    let cache = try BlockingDiskCache(
      path: path,
      configuration: try .unlimited(&random, .normal, isEncrypted: isEncrypted))
    defer { try? cache.close() }
    let history = try History(of: cache, keys: keys)
    try require(history.entries.count == cache.count, "\(cache.count) entries are counted")
    for (key, found) in history.entries {
      try require(found == latest[key], "reopened: \(key) has \(found)")
    }
    return cache.count
  }

  private static func checkLimits(
    _ cache: BlockingDiskCache, _ limits: DiskLimits, _ context: String
  ) throws {
    // Permanent entries are outside the limits; they are at most 8 keys' worth here.
    let count = try cache.trim(toCount: .max).count
    try require(count == 0, "\(context): trimming to any number removed \(count)")
    var (entries, bytes) = (0, UInt64(0))
    for number in 0..<keys {
      let key = EntryKey(number)
      guard try cache.contains(key.key, suite: key.suite),
        let entry = try cache.entry(for: key.key, suite: key.suite), !entry.metadata.isPermanent
      else { continue }
      entries += 1
      bytes += UInt64(entry.data.count)
    }
    try require(entries <= limits.count ?? .max, "\(context): holds \(entries) entries")
    try require(bytes <= limits.bytes ?? .max, "\(context): holds \(bytes) bytes")
  }

  private static func perform(
    _ operation: Operation, _ cache: BlockingDiskCache, _ latest: inout [EntryKey: History.Entry],
    _ permanent: inout Set<EntryKey>, _ context: String
  ) throws {
    switch operation {
    case .set(let key, let version, let isPermanent):
      let isStored = try cache.set(
        PatternValue.make(key, version), for: key.key, suite: key.suite,
        options: DiskStoreOptions(version: "\(version)", isPermanent: isPermanent))
      latest[key] = isStored ? History.Entry(value: version, noted: "\(version)") : nil
      if isStored && isPermanent { permanent.insert(key) } else { permanent.remove(key) }
      let isThere = try cache.contains(key.key, suite: key.suite)
      try require(isThere == isStored, "\(context): \(key) stored \(isStored), there \(isThere)")
    case .remove(let key):
      let wasThere = try cache.contains(key.key, suite: key.suite)
      let removed = try cache.remove(key.key, suite: key.suite)
      try require(removed == wasThere, "\(context): remove(\(key)) says \(removed)")
      latest[key] = nil
      permanent.remove(key)
    case .renew(let key, let version):
      if try cache.renew(key.key, suite: key.suite, version: "\(version)") {
        latest[key]?.noted = "\(version)"
      }
    case .removeSuite(let suite):
      _ = try cache.removeAll(suite: suite)
      latest = latest.filter { $0.key.suite != suite || permanent.contains($0.key) }
    case .get(let key):
      let found = try History.find(key, in: cache)
      try require(
        found == nil || found == latest[key], "\(context): \(key) has \(String(describing: found))")
    case .flush:
      try cache.flush()
    }
  }
}
