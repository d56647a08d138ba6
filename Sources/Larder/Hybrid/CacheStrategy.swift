/// How a value is fetched from a cache and its origin.
public enum CacheStrategy: String, Sendable, Hashable, Codable, CaseIterable {
  /// Returns the cached value at once, expired or not (see
  /// `HybridCacheConfiguration.staleWhileRevalidate`), and refreshes it in the background, unless
  /// the `maxAge` that its origin gave it has not passed. On a miss, waits for the origin.
  case cacheThenFetch = "cache-then-fetch"
  /// Returns the cached value; asks the origin only on a miss.
  case cacheElseFetch = "cache-else-fetch"
  /// Always asks the origin, which may answer that the cached value has not changed.
  case fetch
  /// Returns the cached value and never asks the origin.
  case cacheOnly = "cache-only"
}
