extension CachePreset {
  /// YYCache: LRU in memory, SQLite and files on disk.
  public static let yycache = CachePreset(
    name: "yycache",
    summary:
      "LRU in memory by count, bytes and age; SQLite, and files from 20 KiB on, LRU, on disk",
    models: """
      YYCache (ibireme, 2015): a memory cache and a disk cache, each LRU with limits on count, \
      cost and age; every set goes to both, and a disk hit to memory. Values up to 20 KiB stand in \
      SQLite, larger ones in files. All memory is given up on a warning.
      """,
    differences: """
      YYCache has no limits unless an app sets some: here 1000 entries, 10 MiB and 12 hours in \
      memory, 10,000 entries, 100 MiB and 7 days on disk. It looks at its limits every 5 seconds \
      in memory and every minute on disk, and may exceed them in between; here they always hold. \
      Ages count from the last use there, and from when an entry was stored here.
      """,
    memory: Memory(count: 1000, bytes: 10 << 20, age: .seconds(12 * 3600)),
    disk: Disk(entries: 10_000, bytes: 100 << 20, age: .seconds(7 * 86_400)))
}
