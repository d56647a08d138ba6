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

  /// A cache of one tier. With one thread it has one shard, so that it does what a simulation does.
  init(_ tier: TierSetup, _ setup: CacheSetup) throws(MemoryCacheError) {
    let capacity = Int(clamping: tier.capacity)
    let countsBytes = setup.simulation.unit == .bytes
    let objectsMax = tier.objectsMax.map { Int(clamping: $0) }
    cache = try MemoryCache(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(
          count: countsBytes ? objectsMax : min(capacity, objectsMax ?? capacity),
          cost: countsBytes ? capacity : nil,
          age: tier.timeToLiveSeconds.flatMap { $0 == 0 ? nil : .seconds($0) }),
        policy: tier.policy.description,
        shards: setup.threads == 1 ? 1 : setup.execution.shards,
        hashing: setup.execution.hashing, clock: setup.clock, seed: setup.simulation.seed))
  }

  func get(_ key: UInt64) -> CacheAnswer? { cache.get(key).map { CacheAnswer($0) } }

  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) {
    cache.set(
      value, for: key, cost: Int(options.weight),
      timeToLive: options.timeToLiveMicroseconds == 0 ? nil : options.timeToLive,
      fetchCost: options.fetchCost)
  }

  func remove(_ key: UInt64) { cache.remove(key) }

  func handle(_ pressure: MemoryPressureLevel) { cache.handle(pressure) }

  func usage() -> CacheUsage {
    let statistics = cache.statistics
    var usage = CacheUsage()
    usage.memoryEntries = statistics.count
    usage.memoryWeight = statistics.cost
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

extension CacheWriteOptions {
  /// The entry's own life; zero for none.
  var timeToLive: Duration { .microseconds(Int64(clamping: timeToLiveMicroseconds)) }
}
