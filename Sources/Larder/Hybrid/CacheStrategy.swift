/// How a value is had from a cache and from its origin.
public enum CacheStrategy: String, Sendable, Hashable, Codable, CaseIterable {
  /// What the cache has is answered at once, expired or not (see
  /// `HybridCacheConfiguration.staleWhileRevalidate`), and fetched anew behind the answer: the next
  /// one is up to date. It is not fetched anew while the `maxAge` lasts that its origin gave it.
  /// Where the cache has nothing the origin is waited for.
  case cacheThenFetch = "cache-then-fetch"
  /// What the cache has; the origin only where it has nothing.
  case cacheElseFetch = "cache-else-fetch"
  /// From the origin whatever the cache has, which may answer that this still holds.
  case fetch
  /// What the cache has, and nothing else.
  case cacheOnly = "cache-only"
}
