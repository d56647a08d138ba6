extension CachePreset {
  /// Memory and disk in front of an origin that is asked with the version in hand.
  public static let etag = CachePreset(
    name: "etag",
    summary: "memory and disk before a versioned origin that answers 304",
    models: """
      A cache of pages in front of an app's API (Beike, over YYCache): each answer has a \
      version; the client shows what it has, asks with its version, and on 304 keeps it.
      """,
    differences: """
      There the caller chooses between cache and network for each request; here what the cache has \
      is answered and a refresh follows (`cacheThenFetch`), or both are had with `updates`. The \
      limits are ours: 200 entries and 8 MiB in memory, 64 MiB on disk.
      """,
    memory: Memory(count: 200, bytes: 8 << 20), disk: Disk(bytes: 64 << 20),
    strategy: .cacheThenFetch)
}
