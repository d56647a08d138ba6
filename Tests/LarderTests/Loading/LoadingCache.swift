import LarderEngine

@testable import Larder

/// A cache with loads, for the tests of what loads promise in every cache. The origin has no value
/// for keys that a loader's result lacks.
protocol LoadingCache: Sendable {
  typealias Loader = @Sendable ([String]) async throws -> [String: String]

  func value(_ key: String, _ load: @escaping Loader) async throws -> String?
  func values(_ keys: [String], _ load: @escaping Loader) async throws -> [String: String]
  func set(_ value: String, _ key: String) throws
  func remove(_ key: String) throws
  func removeAll() throws
  func peek(_ key: String) throws -> String?
  func handlePressure()
  /// Counts of loads, and the number of those that wait for their turn.
  var loads: (counts: LoadStatistics, waiting: Int) { get }
}

/// Settings of loads that every cache has.
struct LoadingSettings: Sendable {
  var timeout: Duration?
  var max: Int?
  var negativeLife: Duration?
  /// True to return old values, and reload them in the background.
  var refreshes = false
  var clock: any CacheClock = ManualClock(seconds: 1000)
}

/// The caches with loads.
enum LoadingKind: CaseIterable, Sendable {
  case memory, hybrid

  func make(_ change: (inout LoadingSettings) -> Void = { _ in }) throws -> any LoadingCache {
    var settings = LoadingSettings()
    change(&settings)
    return switch self {
    case .memory: try LoadingInMemory(settings)
    case .hybrid: try LoadingInHybrid(settings)
    }
  }
}

private struct LoadingInMemory: LoadingCache {
  let cache: MemoryCache<String, String>
  let negativeLife: Duration?

  init(_ settings: LoadingSettings) throws {
    var configuration = MemoryCacheConfiguration(
      limits: MemoryCacheLimits(count: 300, age: .seconds(10)), shards: 1, clock: settings.clock,
      loadTimeout: settings.timeout, loadsMax: settings.max)
    if settings.refreshes { configuration.staleWhileRevalidate = .seconds(100) }
    cache = try MemoryCache(configuration)
    negativeLife = settings.negativeLife
  }

  func value(_ key: String, _ load: @escaping Loader) async throws -> String? {
    try await cache.value(for: key, negativeLife: negativeLife ?? .zero) { key in
      try await load([key])[key]
    }
  }

  func values(_ keys: [String], _ load: @escaping Loader) async throws -> [String: String] {
    try await cache.values(for: keys, negativeLife: negativeLife, load: load)
  }

  func set(_ value: String, _ key: String) { cache.set(value, for: key) }
  func remove(_ key: String) { cache.remove(key) }
  func removeAll() { cache.removeAll() }
  func peek(_ key: String) -> String? { cache.peek(key) }
  func handlePressure() { cache.handle(.critical) }

  var loads: (counts: LoadStatistics, waiting: Int) {
    (cache.loadStatistics, cache.loads.queue?.waitingCount ?? 0)
  }
}

private struct LoadingInHybrid: LoadingCache {
  let cache: HybridCache<String, String>
  let folder: ScratchFolder

  init(_ settings: LoadingSettings) throws {
    folder = try ScratchFolder()
    var configuration = HybridTestCaches.configuration(
      memory: 300, disk: 300, clock: settings.clock)
    configuration.disk?.limits.age = .seconds(10)
    configuration.loadTimeout = settings.timeout
    configuration.loadsMax = settings.max
    configuration.negativeLife = settings.negativeLife
    if settings.refreshes { configuration.strategy = .cacheThenFetch }
    cache = try HybridCache(path: folder.path, configuration: configuration)
  }

  func value(_ key: String, _ load: @escaping Loader) async throws -> String? {
    try await cache.result(for: key) { request in
      try await load([request.key])[request.key].map { .value($0) } ?? .absent
    }.get()
  }

  func values(_ keys: [String], _ load: @escaping Loader) async throws -> [String: String] {
    try await cache.values(for: keys, load: load)
  }

  func set(_ value: String, _ key: String) throws { try cache.set(value, for: key) }
  func remove(_ key: String) throws { try cache.remove(key) }
  func removeAll() throws { try cache.removeAll() }
  func peek(_ key: String) throws -> String? { try cache.value(for: key) }
  func handlePressure() { cache.handle(.critical) }

  var loads: (counts: LoadStatistics, waiting: Int) {
    (cache.readStatistics().loads, cache.queue?.waitingCount ?? 0)
  }
}
