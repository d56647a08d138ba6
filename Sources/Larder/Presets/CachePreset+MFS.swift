extension CachePreset {
  /// One encrypted store for everything that an app keeps, with suites.
  public static let mfs = CachePreset(
    name: "mfs",
    summary: "encrypted; suites; default, timed and permanent entries; each read returns a copy",
    models: """
      MFSCache (2015): one class that stores all of an app's small data in suites, encrypted with \
      AES, each entry until cleaning, for a duration, or permanently; a read creates a new object, \
      so changing it does not change the cache. Clearing reports the bytes freed.
      """,
    differences: """
      There the key is in the source code; here it is AES-GCM with a key from the app. There every \
      entry is a file and memory is optional; here small entries are in SQLite, and 500 entries \
      are in memory, encoded and not encrypted.
      """,
    memory: Memory(count: 500), disk: Disk(isEncrypted: true), copiesOnRead: true)
}
