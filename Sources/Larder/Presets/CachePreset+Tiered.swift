extension CachePreset {
  /// A tiered cache with lifetimes of its own for each tier, and four strategies.
  public static let tiered = CachePreset(
    name: "tiered",
    summary: "memory for 5 minutes, disk for an hour, four strategies",
    models: """
      The tiered cache of articles on layered caching in Swift: NSCache of 1000 entries that live \
      5 minutes, in front of a disk tier whose entries live an hour; cacheThenFetch, \
      cacheElseFetch, fetch and cacheOnly; disk hits move up; a memory warning empties memory.
      """,
    differences: """
      There each promotion begins 5 minutes anew, so that an entry may outlive its hour on disk in \
      memory; here a copy never outlives what it was copied from. Disk was the app's settings, \
      without a limit; here it is a disk cache, without one either.
      """,
    memory: Memory(count: 1000, age: .seconds(300)), disk: Disk(age: .seconds(3600)))
}
