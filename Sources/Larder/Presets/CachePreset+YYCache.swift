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
