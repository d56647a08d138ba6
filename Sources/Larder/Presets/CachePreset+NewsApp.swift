extension CachePreset {
  /// Articles of a news app.
  public static let newsApp = CachePreset(
    name: "news-app",
    summary: "100 articles in memory, LRU; every article that was read for 30 days on disk",
    models: """
      Articles that open at once and can be read again without a network: NSCache for the last \
      100, YYCache for all that were read, which are thrown away after 30 days.
      """,
    differences: """
      There disk keeps what is older than 30 days until the next cleaning; here nothing older is \
      served. Disk has no other limit; where it is short of room the least recently used go.
      """,
    memory: Memory(count: 100), disk: Disk(age: .seconds(30 * 86_400)))
}
