extension CachePreset {
  /// Memory and disk in front of an origin that is asked with the version in hand.
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
