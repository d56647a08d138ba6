public import LarderEngine

/// A named configuration modelled on a known design, as closely as this library's caches permit.
///
/// ```swift
/// let cache = try HybridCache<String, Article>(preset: .yycache, path: folder)
/// ```
///
/// A preset is a constant below and a line in `all`.
public struct CachePreset: Sendable, Hashable {
  /// The tier in memory. Nil means no limit.
  public struct Memory: Sendable, Hashable {
    /// The policy with its parameters.
    public var policy = CachePolicy.lru
    /// Maximum number of entries.
    public var count: Int?
    /// Maximum sum of weights, which are the bytes of encoded values.
    public var weight: Int?
    /// Maximum TTL of an entry.
    public var age: Duration?
  }

  /// The tier on disk. Nil means no limit.
  public struct Disk: Sendable, Hashable {
    /// The policy with its parameters.
    public var policy = CachePolicy.lru
    /// Maximum number of entries.
    public var count: Int?
    /// Maximum number of bytes of encoded values.
    public var bytes: UInt64?
    /// Maximum TTL of an entry.
    public var age: Duration?
    /// Values of up to this many bytes are stored in the database, larger ones in files.
    public var inlineBytesMax = 20 << 10
    /// True if stored data is encrypted, with a key provided by the app.
    public var isEncrypted = false
  }

  /// Name in workload files.
  public let name: String
  /// Summary in one line.
  public let summary: String
  /// The design that it follows.
  public let models: String
  /// Differences from that design.
  public let differences: String
  /// The memory tier, or nil for none.
  public let memory: Memory?
  /// The disk tier, or nil for none.
  public let disk: Disk?
  /// Rules between the tiers.
  public let rules: HybridRules
  /// Default fetch strategy.
  public let strategy: CacheStrategy
  /// True if each read decodes a separate value.
  public let copiesOnRead: Bool
  /// Share of memory that is kept under memory pressure.
  public let pressureRule: MemoryPressureRule

  init(
    name: String, summary: String, models: String, differences: String, memory: Memory? = nil,
    disk: Disk? = nil, rules: HybridRules = HybridRules(),
    strategy: CacheStrategy = .cacheElseFetch, copiesOnRead: Bool = false,
    pressureRule: MemoryPressureRule = MemoryPressureRule(keptOnWarning: 0, keptWhenCritical: 0)
  ) {
    self.name = name
    self.summary = summary
    self.models = models
    self.differences = differences
    self.memory = memory
    self.disk = disk
    self.rules = rules
    self.strategy = strategy
    self.copiesOnRead = copiesOnRead
    self.pressureRule = pressureRule
  }

  /// All presets, in the order of lists.
  public static let all: [CachePreset] = [
    .nscache, .yycache, .tiered, .mfs, .etag, .newsApp, .shopImages,
  ]

  /// Returns the preset with a name, or nil.
  public static func named(_ name: String) -> CachePreset? { all.first { $0.name == name } }
}

extension CachePreset {
  /// Foundation's `NSCache` with limits on count and cost.
  public static let nscache = CachePreset(
    name: "nscache",
    summary: "memory only, limited by count (100) and bytes (10 MiB)",
    models: """
      Foundation's NSCache as apps configure it for pictures: countLimit 100 and totalCostLimit \
      10 MiB, with bytes as cost.
      """,
    differences: """
      The limits of NSCache are not strict and its eviction is not documented; on Linux it evicts \
      the lowest cost. Here the limits are strict and eviction is LRU. A memory warning evicts half.
      """,
    memory: Memory(count: 100, weight: 10 << 20),
    pressureRule: MemoryPressureRule(keptOnWarning: 0.5, keptWhenCritical: 0))
}

extension CachePreset {
  /// YYCache: LRU in memory, SQLite and files on disk.
  public static let yycache = CachePreset(
    name: "yycache",
    summary:
      "LRU in memory by count, bytes and age; LRU on disk in SQLite, and in files above 20 KiB",
    models: """
      YYCache (ibireme, 2015): a memory cache and a disk cache, each LRU with limits on count, \
      cost and age; every set goes to both, and a disk hit to memory. Values up to 20 KiB are in \
      SQLite, larger ones in files. A memory warning empties memory.
      """,
    differences: """
      YYCache has no limits unless an app sets some; here they are 1000 entries, 10 MiB and 12 \
      hours in memory, 10,000 entries, 100 MiB and 7 days on disk. It enforces its limits every 5 \
      seconds in memory and every minute on disk; here they always hold. Ages count from the last \
      use there, and from storing here.
      """,
    memory: Memory(count: 1000, weight: 10 << 20, age: .seconds(12 * 3600)),
    disk: Disk(count: 10_000, bytes: 100 << 20, age: .seconds(7 * 86_400)))
}

extension CachePreset {
  /// A tiered cache with separate lifetimes for each tier, and four strategies.
  public static let tiered = CachePreset(
    name: "tiered",
    summary: "memory for 5 minutes, disk for an hour, four fetch strategies",
    models: """
      The tiered cache of articles on layered caching in Swift: NSCache of 1000 entries with a TTL \
      of 5 minutes, in front of a disk tier with a TTL of an hour; cacheThenFetch, cacheElseFetch, \
      fetch and cacheOnly; disk hits are promoted; a memory warning empties memory.
      """,
    differences: """
      There each promotion restarts the 5 minutes, so an entry in memory may outlive its hour on \
      disk; here a copy never outlives its source. There disk was the app's settings, without a \
      limit; here it is a disk cache, also without a limit.
      """,
    memory: Memory(count: 1000, age: .seconds(300)), disk: Disk(age: .seconds(3600)))
}

extension CachePreset {
  /// One encrypted store for all of an app's data, with suites.
  public static let mfs = CachePreset(
    name: "mfs",
    summary: "encrypted; suites; default, timed and permanent entries; each read returns a copy",
    models: """
      MFSCache (2015): one class that stores all small data of an app in suites, encrypted with \
      AES; an entry lasts until cleaning, for a duration, or permanently; a read creates a new \
      object, \
      so changing it does not change the cache. Clearing reports the bytes freed.
      """,
    differences: """
      There the key is in the source code; here it is AES-GCM with a key from the app. There, \
      every entry is a file and memory is optional; here small entries are in SQLite, and 500 \
      entries \
      are in memory, encoded and not encrypted.
      """,
    memory: Memory(count: 500), disk: Disk(isEncrypted: true), copiesOnRead: true)
}

extension CachePreset {
  /// Memory and disk in front of an origin that supports revalidation by version.
  public static let etag = CachePreset(
    name: "etag",
    summary: "memory and disk in front of a versioned origin that returns 304",
    models: """
      A cache of pages in front of an app's API (Beike, over YYCache): each response has a \
      version; the client shows the cached page, revalidates with its version, and on 304 keeps it.
      """,
    differences: """
      There the caller chooses between cache and network for each request; here the cached value \
      is returned and refreshed (`cacheThenFetch`), or `updates` delivers both. The limits are \
      ours: 200 entries and 8 MiB in memory, 64 MiB on disk.
      """,
    memory: Memory(count: 200, weight: 8 << 20), disk: Disk(bytes: 64 << 20),
    strategy: .cacheThenFetch)
}

extension CachePreset {
  /// Articles of a news app.
  public static let newsApp = CachePreset(
    name: "news-app",
    summary: "100 articles in memory, LRU; every article read, for 30 days on disk",
    models: """
      Articles that open at once and can be read again offline: NSCache for the last 100, YYCache \
      for all articles read, which are removed after 30 days.
      """,
    differences: """
      There entries older than 30 days stay on disk until the next cleaning; here they are not \
      served. Disk has no other limit; when space is short, the least recently used are evicted.
      """,
    memory: Memory(count: 100), disk: Disk(age: .seconds(30 * 86_400)))
}

extension CachePreset {
  /// Product images of a shop.
  public static let shopImages = CachePreset(
    name: "shop-images",
    summary: "200 images and 50 MB in memory; 1000 images on disk, LRU",
    models: """
      Product images that scroll smoothly and are not loaded twice: NSCache for the last 200, up \
      to 50 MB, and YYCache for the last 1000.
      """,
    differences: """
      There images in memory are decoded and count their pixels; here they count the stored bytes.
      """,
    memory: Memory(count: 200, weight: 50_000_000), disk: Disk(count: 1000))
}
