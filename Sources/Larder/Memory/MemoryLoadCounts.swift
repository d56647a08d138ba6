/// What `MemoryCache.value(for:load:)` has done since the cache was made or its statistics were
/// reset.
public struct MemoryLoadCounts: Sendable, Hashable, Codable {
  /// Loads started: calls of a loader.
  public var started: UInt64 = 0
  /// Requests that waited for a load which another request had started.
  public var joined: UInt64 = 0
  /// Loads that ended with an error, those included that were cancelled because nobody waited for
  /// them any more.
  public var failed: UInt64 = 0
  /// Loads started that reload a value in the background.
  public var refreshes: UInt64 = 0
  /// Requests that got an expired value; see `MemoryCacheConfiguration.staleWhileRevalidate`.
  public var stale: UInt64 = 0
  /// Loads that found no value; see `MemoryCache.value(for:negativeLife:load:)`.
  public var none: UInt64 = 0
  /// Requests answered by remembering that there is no value.
  public var negativeHits: UInt64 = 0

  /// Nothing has happened yet.
  public init() {}
}
