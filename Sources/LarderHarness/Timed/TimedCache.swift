import Larder
import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A cache whose misses are fetched by its own single flight, in a run with time.
protocol TimedCache: Sendable {
  /// The value where memory has it and answers at once, which is then a hit; nil where the cache
  /// must be asked by `value`.
  func held(_ key: UInt64) -> Data?

  /// The value, from wherever it is.
  func value(
    for key: UInt64, _ options: CacheWriteOptions, load: @escaping @Sendable () async throws -> Data
  ) async throws -> TimedAnswer

  /// What has been counted in the tiers.
  func tierCounts() -> CacheTierCounts

  /// Sets them to zero.
  func resetCounts()
}

/// A value and where it came from.
struct TimedAnswer: Sendable {
  var value: Data
  var source: CacheResult<Data>.Source
}

/// Larder's cache of memory alone.
struct TimedMemory: TimedCache {
  private let cache: MemoryCache<UInt64, Data>

  init(_ tier: TierSetup, _ setup: CacheSetup) throws {
    cache = try MemoryCache(MemoryCacheConfiguration(tier, setup))
  }

  func held(_ key: UInt64) -> Data? { cache.value(for: key) }

  func value(
    for key: UInt64, _ options: CacheWriteOptions, load: @escaping @Sendable () async throws -> Data
  ) async throws -> TimedAnswer {
    let value = try await cache.value(
      for: key, weight: { _ in Int(options.weight) }, timeToLive: { _ in options.timeToLive },
      fetchCost: options.fetchCost, load: { _ in try await load() })
    // Whoever comes here found nothing in memory before.
    return TimedAnswer(value: value, source: .origin)
  }

  func tierCounts() -> CacheTierCounts {
    var counts = CacheTierCounts()
    counts.memory = cache.tierCounts
    return counts
  }

  func resetCounts() { cache.resetStatistics() }
}

/// Larder's cache with a disk, with memory before it or without.
struct TimedHybrid: TimedCache {
  private let cache: HybridCache<UInt64, Data>

  init(
    memory: TierSetup?, disk: TierSetup, rules: HybridRules, _ setup: CacheSetup
  ) throws {
    cache = try HybridCache(
      path: setup.folder,
      configuration: HybridCacheConfiguration(
        memory: memory.map { MemoryCacheConfiguration($0, setup) },
        disk: try DiskConfiguration(disk, setup), rules: rules,
        copiesOnRead: setup.design?.copiesOnRead ?? false, strategy: .cacheElseFetch,
        pressureRule: MemoryPressureRule(keptOnWarning: 0, keptWhenCritical: 0),
        clock: setup.clock))
  }

  func held(_ key: UInt64) -> Data? { nil }

  func value(
    for key: UInt64, _ options: CacheWriteOptions, load: @escaping @Sendable () async throws -> Data
  ) async throws -> TimedAnswer {
    let result = await cache.result(for: key) { _ in
      .value(try await load(), maxAge: options.timeToLive, fetchCost: options.fetchCost)
    }
    guard let value = try result.get(), let source = result.source else {
      throw TimedCacheError.noValue(key: key)
    }
    return TimedAnswer(value: value, source: source)
  }

  func tierCounts() -> CacheTierCounts {
    let counted = cache.counts
    var counts = CacheTierCounts()
    counts.memory = counted.memory
    counts.disk = counted.disk
    counts.promotions = counted.promotions
    counts.demotions = counted.demotions
    return counts
  }

  func resetCounts() { cache.resetCounts() }
}

/// What a cache must not answer.
enum TimedCacheError: Error, CustomStringConvertible {
  case noValue(key: UInt64)

  var description: String {
    switch self {
    case .noValue(let key): "no value for key \(key), which the origin has"
    }
  }
}
