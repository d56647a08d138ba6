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

/// Larder's memory cache under test.
struct LarderMemory: CacheUnderTest {
  private let cache: MemoryCache<UInt64, Data>

  init(_ tier: TierSetup, _ setup: CacheSetup) throws(MemoryCacheError) {
    cache = try MemoryCache(MemoryCacheConfiguration(tier, setup), weigh: \.count)
  }

  func get(_ key: UInt64) -> CacheAnswer? { cache.value(for: key).map { CacheAnswer($0) } }

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
    usage.memoryBytes = UInt64(cache.residentBytes)
    return usage
  }

  func tierCounts() -> CacheTierCounts? {
    var counts = CacheTierCounts()
    counts.memory = cache.tierCounts
    return counts
  }

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
    var counts = CacheTierCounts()
    counts.disk = cache.tierCounts.since(before.withLock { $0 })
    return counts
  }

  func resetCounts() {
    before.withLock { $0 = cache.tierCounts }
    wroteBefore.withLock { $0 = cache.writes.total }
  }

  func flush() throws { try cache.flush() }

  func close() throws { try cache.close() }
}

extension UInt64 {
  /// The increase of a count; nil if it restarted.
  func growth(since earlier: UInt64) -> UInt64? { self < earlier ? nil : self - earlier }
}

extension TierCounts {
  /// The counts since an earlier moment.
  fileprivate func since(_ earlier: TierCounts) -> TierCounts {
    var counts = TierCounts()
    counts.admissions = admissions - earlier.admissions
    counts.rejections = rejections - earlier.rejections
    counts.evictions = evictions - earlier.evictions
    counts.expirations = expirations - earlier.expirations
    counts.bytesWritten = bytesWritten - earlier.bytesWritten
    counts.bytesMoved = bytesMoved.map { $0 - (earlier.bytesMoved ?? 0) }
    return counts
  }
}

/// Larder's memory before disk under test.
final class LarderHybrid: CacheUnderTest {
  private let cache: HybridCache<UInt64, Data>
  // The bytes written at the last reset.
  private let wroteBefore = Locked(UInt64(0))
  private let countsBytes: Bool

  init(
    memory: TierSetup, disk: TierSetup, rules: HybridRules, _ setup: CacheSetup
  ) throws {
    countsBytes = setup.simulation.unit == .bytes
    cache = try HybridCache(
      path: setup.folder,
      configuration: HybridCacheConfiguration(
        memory: MemoryTier(MemoryCacheConfiguration(memory, setup)),
        disk: try DiskConfiguration(disk, setup),
        rules: rules, copiesOnRead: setup.design?.copiesOnRead ?? false,
        pressureRule: MemoryPressureRule(
          keptOnWarning: setup.design?.keptOnWarning ?? 0, keptWhenCritical: 0),
        clock: setup.clock))
  }

  func get(_ key: UInt64) throws -> CacheAnswer? {
    try cache.entry(for: key).map {
      CacheAnswer($0.value, from: $0.tier == .memory ? .memory : .disk)
    }
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
    usage.memoryBytes = UInt64(cache.memoryResidentBytes)
    let entries = cache.diskCount
    usage.diskEntries = entries
    usage.diskWeight = countsBytes ? cache.diskValueBytes : UInt64(entries)
    usage.diskBytes = cache.diskBytes
    usage.bytesHandedOver = cache.diskWrites?.total.growth(since: wroteBefore.withLock { $0 })
    return usage
  }

  func tierCounts() -> CacheTierCounts? {
    let counted = cache.counts
    var counts = CacheTierCounts()
    counts.memory = counted.memory
    counts.disk = counted.disk
    counts.promotions = counted.promotions
    counts.demotions = counted.demotions
    return counts
  }

  func resetCounts() {
    cache.resetCounts()
    wroteBefore.withLock { $0 = cache.diskWrites?.total ?? 0 }
  }

  func flush() throws { try cache.flush() }

  func close() throws { try cache.close() }
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
      values: setup.simulation.segments.map { .segments(bytes: Int(clamping: $0.bytes)) } ?? .files,
      encryption: try setup.encryption)
    seed = setup.simulation.seed
    fingerprints = .spreadObjectIDs
    // Objects of a simulation have no rows.
    countsRows = false
  }
}

extension CacheSetup {
  /// The preset, for settings that a simulation does not know.
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
  /// The maximum TTL of an entry; nil for no limit.
  fileprivate var timeToLive: Duration? {
    timeToLiveMicroseconds.map { .microseconds(Int64($0)) }
  }
}

extension DiskStoreOptions {
  init(_ options: CacheWriteOptions) {
    self.init(timeToLive: options.timeToLive, fetchCost: options.fetchCost)
  }
}

extension CacheWriteOptions {
  /// The entry's own TTL; nil for none.
  var timeToLive: Duration? {
    timeToLiveMicroseconds == 0
      ? nil : .microseconds(Int64(clamping: timeToLiveMicroseconds))
  }
}
