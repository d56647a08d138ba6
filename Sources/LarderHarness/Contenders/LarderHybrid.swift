import Larder
import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Larder's memory before disk under test.
final class LarderHybrid: CacheUnderTest {
  private let cache: HybridCache<UInt64, Data>
  // What had been written when the counts were last set to zero.
  private let wroteBefore = Locked(UInt64(0))
  private let countsBytes: Bool

  /// A cache of two tiers.
  init(
    memory: TierSetup, disk: TierSetup, rules: HybridRules, _ setup: CacheSetup
  ) throws {
    countsBytes = setup.simulation.unit == .bytes
    cache = try HybridCache(
      path: setup.folder,
      configuration: HybridCacheConfiguration(
        memory: MemoryCacheConfiguration(memory, setup), disk: try DiskConfiguration(disk, setup),
        rules: rules, copiesOnRead: setup.design?.copiesOnRead ?? false,
        pressureRule: setup.design?.pressureRule
          ?? MemoryPressureRule(keptOnWarning: 0, keptWhenCritical: 0), clock: setup.clock))
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
    try cache.renew(key, timeToLiveMicroseconds: options.timeToLiveMicroseconds)
  }

  func handle(_ pressure: MemoryPressureLevel) { cache.handle(pressure) }

  func usage() -> CacheUsage {
    let statistics = cache.statistics
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
