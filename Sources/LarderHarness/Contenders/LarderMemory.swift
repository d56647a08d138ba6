import Larder
import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Larder's memory cache under test.
struct LarderMemory: CacheUnderTest {
  private let cache: MemoryCache<UInt64, Data>

  /// A cache of one tier.
  init(_ tier: TierSetup, _ setup: CacheSetup) throws(MemoryCacheError) {
    cache = try MemoryCache(MemoryCacheConfiguration(tier, setup))
  }

  func get(_ key: UInt64) -> CacheAnswer? { cache.value(for: key).map { CacheAnswer($0) } }

  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) {
    cache.set(
      value, for: key, weight: Int(options.weight), timeToLive: options.timeToLive,
      fetchCost: options.fetchCost)
  }

  func remove(_ key: UInt64) { cache.remove(key) }

  func expire(_ key: UInt64, _ options: CacheWriteOptions) {
    cache.renew(key, timeToLiveMicroseconds: options.timeToLiveMicroseconds)
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
