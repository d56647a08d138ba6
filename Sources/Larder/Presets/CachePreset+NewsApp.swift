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
