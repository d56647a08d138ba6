package import LarderEngine

/// A configuration modelled on a known design, as closely as this library's caches permit. Its
/// policies are LRU.
package struct CachePreset: Sendable, Hashable {
  /// Limits of a tier; nil for none.
  package struct Tier: Sendable, Hashable {
    var count: Int?
    var bytes: UInt64?
    var seconds: UInt32?
  }

  /// Values of up to this many bytes are stored in the database, larger ones in files.
  package static let inlineBytesMax = 20 << 10

  package let name: String
  package let summary: String
  /// The design that it follows.
  package let models: String
  /// Differences from that design.
  package let differences: String
  package var memory: Tier?
  package var disk: Tier?
  package var isEncrypted = false
  /// True if each read decodes a separate value.
  package var copiesOnRead = false
  /// Share of memory that is kept after a memory warning.
  package var keptOnWarning = 0.0

  package static func named(_ name: String) -> CachePreset? { all.first { $0.name == name } }

  /// Returns the preset for a simulation in bytes, which counts what the real cache counts.
  package func arrangement() throws(PolicyError) -> Arrangement {
    let front = try memory.map(Self.setup)
    let back = try disk.map(Self.setup)
    if let front, let back { return .hybrid(memory: front, disk: back, rules: HybridRules()) }
    if let back { return .disk(back) }
    if let front { return .memory(front) }
    return .memory(try Self.setup(Tier()))
  }

  private static func setup(_ tier: Tier) throws(PolicyError) -> TierSetup {
    TierSetup(
      policy: try PolicySpec(parsing: "lru"), capacity: tier.bytes ?? PolicySetup.capacityMax,
      timeToLiveSeconds: tier.seconds, objectsMax: tier.count.map { UInt64($0) })
  }

  /// All presets, in the order of lists.
  package static let all = [
    CachePreset(
      name: "nscache",
      summary: "memory only, limited by count (100) and bytes (10 MiB)",
      models: """
        Foundation's NSCache as apps configure it for pictures: countLimit 100 and \
        totalCostLimit 10 MiB, with bytes as cost.
        """,
      differences: """
        The limits of NSCache are not strict and its eviction is not documented; on Linux it \
        evicts the lowest cost. Here the limits are strict and eviction is LRU. A memory warning \
        evicts half.
        """,
      memory: Tier(count: 100, bytes: 10 << 20),
      keptOnWarning: 0.5),
    CachePreset(
      name: "yycache",
      summary:
        "LRU in memory by count, bytes and age; LRU on disk in SQLite, and in files above 20 KiB",
      models: """
        YYCache (ibireme, 2015): a memory cache and a disk cache, each LRU with limits on count, \
        cost and age; every set goes to both, and a disk hit to memory. Values up to 20 KiB are \
        in SQLite, larger ones in files. A memory warning empties memory.
        """,
      differences: """
        YYCache has no limits unless an app sets some; here they are 1000 entries, 10 MiB and 12 \
        hours in memory, 10,000 entries, 100 MiB and 7 days on disk. It enforces its limits \
        every 5 seconds in memory and every minute on disk; here they always hold. Ages count \
        from the last use there, and from storing here.
        """,
      memory: Tier(count: 1000, bytes: 10 << 20, seconds: 12 * 3600),
      disk: Tier(count: 10_000, bytes: 100 << 20, seconds: 7 * 86_400)),
    CachePreset(
      name: "tiered",
      summary: "memory for 5 minutes, disk for an hour, four fetch strategies",
      models: """
        The tiered cache of articles on layered caching in Swift: NSCache of 1000 entries with a \
        TTL of 5 minutes, in front of a disk tier with a TTL of an hour; cacheThenFetch, \
        cacheElseFetch, fetch and cacheOnly; disk hits are promoted; a memory warning empties \
        memory.
        """,
      differences: """
        There each promotion restarts the 5 minutes, so an entry in memory may outlive its hour \
        on disk; here a copy never outlives its source. There disk was the app's settings, \
        without a limit; here it is a disk cache, also without a limit.
        """,
      memory: Tier(count: 1000, seconds: 300), disk: Tier(seconds: 3600)),
    CachePreset(
      name: "mfs",
      summary: "encrypted; suites; default, timed and permanent entries; each read returns a copy",
      models: """
        MFSCache (2015): one class that stores all small data of an app in suites, encrypted \
        with AES; an entry lasts until cleaning, for a duration, or permanently; a read creates \
        a new object, so changing it does not change the cache. Clearing reports the bytes \
        freed.
        """,
      differences: """
        There the key is in the source code; here it is AES-GCM with a key from the app. There, \
        every entry is a file and memory is optional; here small entries are in SQLite, and 500 \
        entries are in memory, encoded and not encrypted.
        """,
      memory: Tier(count: 500), disk: Tier(), isEncrypted: true, copiesOnRead: true),
    CachePreset(
      name: "etag",
      summary: "memory and disk in front of a versioned origin that returns 304",
      models: """
        A cache of pages in front of an app's API (Beike, over YYCache): each response has a \
        version; the client shows the cached page, revalidates with its version, and on 304 \
        keeps it.
        """,
      differences: """
        There the caller chooses between cache and network for each request; here the cached \
        value is returned and refreshed (`cacheThenFetch`), or `updates` delivers both. The \
        limits are ours: 200 entries and 8 MiB in memory, 64 MiB on disk.
        """,
      memory: Tier(count: 200, bytes: 8 << 20), disk: Tier(bytes: 64 << 20)),
    CachePreset(
      name: "news-app",
      summary: "100 articles in memory, LRU; every article read, for 30 days on disk",
      models: """
        Articles that open at once and can be read again offline: NSCache for the last 100, \
        YYCache for all articles read, which are removed after 30 days.
        """,
      differences: """
        There entries older than 30 days stay on disk until the next cleaning; here they are not \
        served. Disk has no other limit; when space is short, the least recently used are \
        evicted.
        """,
      memory: Tier(count: 100), disk: Tier(seconds: 30 * 86_400)),
    CachePreset(
      name: "shop-images",
      summary: "200 images and 50 MB in memory; 1000 images on disk, LRU",
      models: """
        Product images that scroll smoothly and are not loaded twice: NSCache for the last 200, \
        up to 50 MB, and YYCache for the last 1000.
        """,
      differences: """
        There images in memory are decoded and count their pixels; here they count the stored \
        bytes.
        """,
      memory: Tier(count: 200, bytes: 50_000_000), disk: Tier(count: 1000)),
  ]
}
