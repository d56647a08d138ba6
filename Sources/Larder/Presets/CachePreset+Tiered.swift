extension CachePreset {
  /// A tiered cache with lifetimes of its own for each tier, and four strategies.
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
