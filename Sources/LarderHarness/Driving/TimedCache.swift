import Larder
import LarderEngine
import LarderSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A cache that fetches misses by its own single flight, in a run with time.
protocol TimedCache: Sendable {
  /// The value if memory can return it at once, which is a hit; nil if `value` must be called.
  func held(_ key: UInt64) -> Data?

  func value(
    for key: UInt64, _ options: CacheWriteOptions, load: @escaping @Sendable () async throws -> Data
  ) async throws -> TimedAnswer

  func tierCounts() -> CacheTierCounts

  /// Sets the counts to zero.
  func resetCounts()
}

/// A value and the tier that had it; nil for the origin.
struct TimedAnswer: Sendable {
  var value: Data
  var tier: HybridTier?
}

/// Larder's cache of memory alone.
struct TimedMemory: TimedCache {
  private let cache: MemoryCache<UInt64, Data>

  init(_ tier: TierSetup, _ setup: CacheSetup) throws {
    cache = try MemoryCache(MemoryCacheConfiguration(tier, setup), weigh: \.count)
  }

  func held(_ key: UInt64) -> Data? { cache.value(for: key) }

  func value(
    for key: UInt64, _ options: CacheWriteOptions, load: @escaping @Sendable () async throws -> Data
  ) async throws -> TimedAnswer {
    let value = try await cache.value(
      for: key, timeToLive: { _ in options.timeToLive }, fetchCost: options.fetchCost,
      load: { _ in try await load() })
    // A caller gets here only after it found nothing in memory.
    return TimedAnswer(value: value, tier: nil)
  }

  func tierCounts() -> CacheTierCounts {
    var counts = CacheTierCounts()
    counts.memory = cache.tierCounts
    return counts
  }

  func resetCounts() { cache.resetStatistics() }
}

/// Larder's cache with a disk, with or without memory before it.
struct TimedHybrid: TimedCache {
  private let cache: HybridCache<UInt64, Data>

  init(
    memory: TierSetup?, disk: TierSetup, rules: HybridRules, _ setup: CacheSetup
  ) throws {
    cache = try HybridCache(
      path: setup.folder,
      configuration: HybridCacheConfiguration(
        memory: memory.map { MemoryTier(MemoryCacheConfiguration($0, setup)) },
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
    guard let value = try result.get() else { throw TimedCacheError.noValue(key: key) }
    if case .hit(let hit) = result { return TimedAnswer(value: value, tier: hit.tier) }
    return TimedAnswer(value: value, tier: nil)
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

/// A fault of the cache.
enum TimedCacheError: Error, CustomStringConvertible {
  case noValue(key: UInt64)

  var description: String {
    switch self {
    case .noValue(let key): "no value for key \(key), although the origin has one"
    }
  }
}

/// An origin with latency: each fetch ends at an instant of the run's clock, which is known when it
/// begins. With a limited number of servers, fetches wait for the first free one, in order of
/// arrival.
final class TimedOrigin: Sendable {
  private struct State {
    /// The instant when each server becomes free, in nanoseconds; empty for unlimited servers.
    var free: [UInt64]
    var fetches: UInt64 = 0
    var inFlight: UInt64 = 0
    var inFlightMax: UInt64 = 0
  }

  private let model: FetchModel
  /// Nanoseconds of the run per microsecond of the trace.
  private let scale: Double
  private let state: Locked<State>

  /// An origin for a run that is `speed` times as fast as its trace.
  init(_ model: FetchModel, speed: Double) {
    self.model = model
    scale = 1000 / speed
    state = Locked(State(free: [UInt64](repeating: 0, count: model.servers ?? 0)))
  }

  /// Begins the fetch for a request of the trace and returns the instant when it ends. O(servers).
  func begin(request index: Int, bytes: UInt32, now: UInt64, isCounted: Bool) -> UInt64 {
    let service = Double(model.service(request: UInt64(index), bytes: bytes)) * scale
    return state.withLock { state in
      var start = now
      let server = state.free.indices.min { state.free[$0] < state.free[$1] }
      if let server { start = max(start, state.free[server]) }
      let end = start &+ UInt64(min(service, 1e18))
      if let server { state.free[server] = end }
      state.inFlight += 1
      if isCounted {
        state.fetches += 1
        state.inFlightMax = max(state.inFlightMax, state.inFlight)
      }
      return end
    }
  }

  func end() { state.withLock { $0.inFlight -= 1 } }

  /// The number of counted fetches, and the most that were concurrent.
  var counts: (fetches: UInt64, inFlightMax: UInt64) {
    state.withLock { ($0.fetches, $0.inFlightMax) }
  }
}
