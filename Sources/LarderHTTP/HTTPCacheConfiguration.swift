public import Larder

/// The configuration of an `HTTPCache`.
public struct HTTPCacheConfiguration: Sendable {
  /// The memory tier, or nil for none. A response weighs the bytes of its header fields and its
  /// body.
  public var memory: MemoryTier?
  /// The disk tier, or nil for none. One entry is a URL, with all its variants.
  public var disk: DiskConfiguration?
  /// Time after its expiry during which a response may be returned if the origin cannot be reached
  /// or answers with 500, 502, 503 or 504, unless it has `no-cache` or `must-revalidate`; nil for
  /// only as long as the origin permits by `stale-if-error`.
  public var staleIfError: Duration?
  /// True to follow redirects, at most 20 in a row. Each is a request of its own to the cache.
  public var followsRedirects: Bool
  /// The clock: that of the wall, since it is compared with `Date` and `Expires`.
  public var clock: any CacheClock

  /// Creates a configuration; by default LRU with 32 MiB in memory and 100 MiB on disk.
  public init(
    memory: MemoryTier? = MemoryTier(limits: MemoryCacheLimits(weight: 32 << 20)),
    disk: DiskConfiguration? = DiskConfiguration(), staleIfError: Duration? = nil,
    followsRedirects: Bool = true, clock: any CacheClock = SystemCacheClock.wall()
  ) {
    self.memory = memory
    self.disk = disk
    self.staleIfError = staleIfError
    self.followsRedirects = followsRedirects
    self.clock = clock
  }

  /// The configuration of the tiers. Their entries have no TTL: a stale response is of use until
  /// it is evicted.
  var tiers: HybridCacheConfiguration {
    HybridCacheConfiguration(memory: memory, disk: disk, clock: clock)
  }
}

/// Error of an `HTTPCache`. Errors of the client are thrown as they are.
public enum HTTPCacheError: Error, Sendable, CustomStringConvertible {
  /// The tiers could not be opened, emptied or closed. A failing disk does not fail requests.
  case tiers(HybridCacheError)
  /// The request has no URL, or none with `http` or `https`.
  case notHTTP(url: String)
  /// More than 20 redirects followed each other.
  case tooManyRedirects(url: String)
  /// A body has more bytes than `HTTPClient.urlSession` accepts.
  case tooLarge(url: String, bytesMax: Int)
  /// Stored bytes are not those of a response. They are removed, and the origin is asked.
  case damaged

  /// The error in one line of text.
  public var description: String {
    switch self {
    case .tiers(let error): error.description
    case .notHTTP(let url): "\(url.debugDescription): expected an http or https URL"
    case .tooManyRedirects(let url): "\(url): more than 20 redirects; check the server's rules"
    case .tooLarge(let url, let bytesMax):
      "\(url): the body has more than \(bytesMax) bytes; raise the client's bytesMax"
    case .damaged: "a stored response is damaged; it is fetched again"
    }
  }
}

/// Counts of an `HTTPCache` since it was opened, and those of its tiers.
public struct HTTPCacheStatistics: Sendable, Hashable, Codable {
  /// Requests answered by a stored response without asking the origin.
  public var hits: UInt64 = 0
  /// Requests answered by a stale response that is refreshed in the background
  /// (`stale-while-revalidate`).
  public var staleWhileRevalidate: UInt64 = 0
  /// Requests answered by a stored response that the origin confirmed with 304.
  public var revalidated: UInt64 = 0
  /// Requests answered by a stale response because the origin failed.
  public var staleIfError: UInt64 = 0
  /// Requests answered by the origin.
  public var misses: UInt64 = 0
  /// Requests answered by the fetch of a concurrent one.
  public var joined: UInt64 = 0
  /// Requests that failed.
  public var failures: UInt64 = 0
  /// Background refreshes that failed.
  public var backgroundFailures: UInt64 = 0
  /// URLs whose stored responses an unsafe method invalidated.
  public var invalidations: UInt64 = 0
  /// Reads and writes of responses that failed.
  public var storeFailures: UInt64 = 0
  /// Statistics of the tiers. Their gets are look-ups, several of which may serve one request.
  public var tiers = HybridStatistics()

  /// Creates statistics that are all zero.
  public init() {}
}
