import Larder
import LarderEngine
import LarderExperiments

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CacheContender {
  /// Larder's own caches: `MemoryCache`, `DiskCache` and `HybridCache`.
  static let larder = CacheContender(
    name: ConfigurationSpec.defaultCache,
    summary: "Larder's caches, with the same counts as the simulation",
    kinds: [.memory, .disk, .hybrid], runsPolicies: true
  ) { setup in
    switch setup.simulation.arrangement {
    case .memory(let tier): return try LarderMemory(tier, setup)
    case .disk(let tier): return try LarderDisk(tier, setup)
    case .hybrid(let memory, let disk, let rules):
      return try LarderHybrid(memory: memory, disk: disk, rules: rules, setup)
    }
  }
}

/// A cache that fetches misses by its own single flight, in a run with time.
protocol LoadingCache: CacheUnderTest {
  func held(_ key: UInt64) -> Data?

  func value(
    for key: UInt64, _ options: CacheWriteOptions, load: @escaping @Sendable () async throws -> Data
  ) async throws -> (value: Data, tier: HybridTier?)
}

extension CacheSetup {
  func loadingCache() throws -> any LoadingCache {
    switch simulation.arrangement {
    case .memory(let tier): try LarderMemory(tier, self)
    case .disk(let tier): try LarderHybrid(memory: nil, disk: tier, rules: HybridRules(), self)
    case .hybrid(let memory, let disk, let rules):
      try LarderHybrid(memory: memory, disk: disk, rules: rules, self)
    }
  }
}

struct LarderMemory: LoadingCache {
  private let cache: MemoryCache<UInt64, Data>

  init(_ tier: TierSetup, _ setup: CacheSetup) throws(MemoryCacheError) {
    cache = try MemoryCache(MemoryCacheConfiguration(tier, setup), weigh: \.count)
  }

  func get(_ key: UInt64) -> CacheAnswer? { cache.value(for: key).map { CacheAnswer($0) } }

  func held(_ key: UInt64) -> Data? { cache.value(for: key) }

  func value(
    for key: UInt64, _ options: CacheWriteOptions, load: @escaping @Sendable () async throws -> Data
  ) async throws -> (value: Data, tier: HybridTier?) {
    let value = try await cache.value(
      for: key, timeToLive: { _ in options.timeToLive }, fetchCost: options.fetchCost,
      load: { _ in try await load() })
    // A caller gets here only after it found nothing in memory.
    return (value, nil)
  }

  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) {
    cache.set(
      value, for: key, weight: Int(options.weight), timeToLive: options.timeToLive,
      fetchCost: options.fetchCost)
  }

  func remove(_ key: UInt64) { cache.remove(key) }

  func expire(_ key: UInt64, _ options: CacheWriteOptions) {
    cache.renew(key, timeToLive: options.timeToLive)
  }

  func handle(_ pressure: MemoryPressureLevel) { cache.handle(pressure) }

  func usage() -> CacheUsage {
    let statistics = cache.statistics
    var usage = CacheUsage()
    usage.memoryEntries = statistics.count
    usage.memoryWeight = statistics.weight
    return usage
  }

  func tierCounts() -> CacheTierCounts? { CacheTierCounts(memory: cache.tierCounts) }

  func resetCounts() { cache.resetStatistics() }
}

/// Larder's disk cache under test. A key is the decimal text of its number.
final class LarderDisk: CacheUnderTest {
  private let cache: BlockingDiskCache
  private let countsBytes: Bool
  // The counts at the last reset.
  private let before = Locked(TierCounts())
  private let wroteBefore = Locked(UInt64(0))

  init(_ tier: TierSetup, _ setup: CacheSetup) throws(DiskCacheError) {
    countsBytes = setup.simulation.unit == .bytes
    cache = try BlockingDiskCache(
      path: setup.folder, configuration: try DiskConfiguration(tier, setup), clock: setup.clock)
  }

  func get(_ key: UInt64) throws -> CacheAnswer? {
    try cache.value(for: String(key)).map { CacheAnswer($0, from: .disk) }
  }

  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws {
    try cache.set(value, for: String(key), options: DiskStoreOptions(options))
  }

  func remove(_ key: UInt64) throws { try cache.remove(String(key)) }

  func expire(_ key: UInt64, _ options: CacheWriteOptions) throws {
    let key = String(key)
    if try cache.contains(key) { try cache.renew(key, timeToLive: options.timeToLive) }
  }

  func usage() -> CacheUsage {
    var usage = CacheUsage()
    let entries = cache.count
    usage.diskEntries = entries
    usage.diskWeight = countsBytes ? cache.valueBytes : UInt64(entries)
    usage.diskBytes = cache.diskBytes
    usage.bytesHandedOver = cache.writes.total.growth(since: wroteBefore.withLock { $0 })
    return usage
  }

  func tierCounts() -> CacheTierCounts? {
    CacheTierCounts(disk: cache.tierCounts.since(before.withLock { $0 }))
  }

  func resetCounts() {
    before.withLock { $0 = cache.tierCounts }
    wroteBefore.withLock { $0 = cache.writes.total }
  }

  func flush() throws { try cache.flush() }

  func close() throws { try cache.close() }
}

extension UInt64 {
  func growth(since earlier: UInt64) -> UInt64? { self < earlier ? nil : self - earlier }
}

/// Larder's memory before disk under test; or its disk alone, in a run with time.
final class LarderHybrid: LoadingCache {
  private let cache: HybridCache<UInt64, Data>
  // The bytes written at the last reset.
  private let wroteBefore = Locked(UInt64(0))
  private let countsBytes: Bool

  init(
    memory: TierSetup?, disk: TierSetup, rules: HybridRules, _ setup: CacheSetup
  ) throws {
    countsBytes = setup.simulation.unit == .bytes
    cache = try HybridCache(
      path: setup.folder,
      configuration: HybridCacheConfiguration(
        memory: memory.map { MemoryTier(MemoryCacheConfiguration($0, setup)) },
        disk: try DiskConfiguration(disk, setup), rules: rules,
        copiesOnRead: setup.design?.copiesOnRead ?? false, strategy: .cacheElseFetch,
        pressureRule: MemoryPressureRule(
          keptOnWarning: setup.design?.keptOnWarning ?? 0, keptWhenCritical: 0),
        clock: setup.clock))
  }

  func get(_ key: UInt64) throws -> CacheAnswer? {
    try cache.entry(for: key).map {
      CacheAnswer($0.value, from: $0.tier == .memory ? .memory : .disk)
    }
  }

  func held(_ key: UInt64) -> Data? { nil }

  func value(
    for key: UInt64, _ options: CacheWriteOptions, load: @escaping @Sendable () async throws -> Data
  ) async throws -> (value: Data, tier: HybridTier?) {
    let result = await cache.result(for: key) { _ in
      .value(try await load(), maxAge: options.timeToLive, fetchCost: options.fetchCost)
    }
    guard let value = try result.get() else { throw NoValueError(key: key) }
    if case .hit(let hit) = result { return (value, hit.tier) }
    return (value, nil)
  }

  func fill(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws {
    try cache.fill(value, for: key, options: DiskStoreOptions(options))
  }

  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws {
    try cache.set(value, for: key, options: DiskStoreOptions(options))
  }

  func remove(_ key: UInt64) throws { try cache.remove(key) }

  func expire(_ key: UInt64, _ options: CacheWriteOptions) throws {
    try cache.renew(key, timeToLive: options.timeToLive)
  }

  func handle(_ pressure: MemoryPressureLevel) { cache.handle(pressure) }

  func usage() -> CacheUsage {
    let statistics = cache.readStatistics()
    var usage = CacheUsage()
    usage.memoryEntries = statistics.memory?.count
    usage.memoryWeight = statistics.memory?.weight
    let entries = cache.diskCount
    usage.diskEntries = entries
    usage.diskWeight = countsBytes ? cache.diskValueBytes : UInt64(entries)
    usage.diskBytes = cache.diskBytes
    usage.bytesHandedOver = cache.diskWrites?.total.growth(since: wroteBefore.withLock { $0 })
    return usage
  }

  func tierCounts() -> CacheTierCounts? {
    let counted = cache.counts
    return CacheTierCounts(
      memory: counted.memory, disk: counted.disk, promotions: counted.promotions,
      demotions: counted.demotions)
  }

  func resetCounts() {
    cache.resetCounts()
    wroteBefore.withLock { $0 = cache.diskWrites?.total ?? 0 }
  }

  func flush() throws { try cache.flush() }

  func close() throws { try cache.close() }
}

private struct NoValueError: Error, CustomStringConvertible {
  let key: UInt64

  var description: String { "no value for key \(key), although the origin has one" }
}

extension MemoryCacheConfiguration {
  /// The configuration of a cell's memory tier. With one thread it has one shard, so that it
  /// behaves like a simulation.
  init(_ tier: TierSetup, _ setup: CacheSetup) {
    let unit = setup.simulation.unit
    self.init(
      limits: MemoryCacheLimits(
        count: tier.entriesMax(in: unit),
        weight: tier.bytesMax(in: unit).map { Int(clamping: $0) }, age: tier.timeToLive),
      policy: CachePolicy(tier.policy.description), admission: tier.admission?.description,
      shards: setup.threads == 1 ? 1 : setup.execution.shards,
      hashing: setup.execution.hashing, clock: setup.clock,
      pressureRule: setup.design.map {
        MemoryPressureRule(keptOnWarning: $0.keptOnWarning, keptWhenCritical: 0)
      } ?? MemoryPressureRule())
    seed = setup.simulation.seed
    fingerprints = .spreadObjectIDs
    isSimulated = true
  }
}

extension DiskConfiguration {
  init(_ tier: TierSetup, _ setup: CacheSetup) throws(DiskCacheError) {
    let unit = setup.simulation.unit
    self.init(
      policy: CachePolicy(tier.policy.description), admission: tier.admission?.description,
      limits: DiskLimits(
        bytes: tier.bytesMax(in: unit), count: tier.entriesMax(in: unit),
        age: tier.timeToLive,
        // Counts of a run must not depend on free disk space.
        freeBytes: 0),
      durability: setup.execution.durability,
      inlineBytesMax: setup.design == nil
        ? setup.execution.inlineBytesMax : CachePreset.inlineBytesMax,
      segmentBytes: setup.simulation.segments.map { Int(clamping: $0.bytes) },
      encryption: try setup.encryption)
    seed = setup.simulation.seed
    fingerprints = .spreadObjectIDs
    // Objects of a simulation have no rows.
    countsRows = false
  }
}

extension CacheSetup {
  var design: CachePreset? { preset.flatMap { CachePreset.named($0) } }

  /// The key of designs that encrypt: one constant, because nothing here is secret.
  fileprivate var encryption: DiskEncryption? {
    get throws(DiskCacheError) {
      guard design?.isEncrypted ?? false else { return nil }
      #if Encryption
        return try DiskEncryption(key: Data(repeating: 7, count: 32))
      #else
        // `Plan.check` has refused the cell.
        return nil
      #endif
    }
  }
}

extension TierSetup {
  fileprivate var timeToLive: Duration? { timeToLiveMicroseconds.map { .microseconds(Int64($0)) } }
}

extension DiskStoreOptions {
  init(_ options: CacheWriteOptions) {
    self.init(timeToLive: options.timeToLive, fetchCost: options.fetchCost)
  }
}

extension CacheWriteOptions {
  var timeToLive: Duration? {
    timeToLiveMicroseconds == 0
      ? nil : .microseconds(Int64(clamping: timeToLiveMicroseconds))
  }
}
