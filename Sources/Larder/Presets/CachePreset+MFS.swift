extension CachePreset {
  /// One encrypted store for everything that an app keeps, with suites.
  public static let mfs = CachePreset(
    name: "mfs",
    summary: "encrypted; suites; default, timed and permanent entries; a copy for each read",
    models: """
      MFSCache (2015): one class that keeps all of an app's small data in suites, encrypted with \
      AES, each entry kept until it is cleaned, for a time, or permanent; a read makes a new \
      object, so that changing it does not change the cache. Clearing reports the bytes that it \
      freed.
      """,
    differences: """
      Its key stands in the source; here it is AES-GCM with a key that the app gives. It keeps \
      every entry in a file and nothing in memory unless told to; here small ones stand in SQLite, \
      and 500 entries stay in memory, encoded and not encrypted.
      """,
    memory: Memory(count: 500), disk: Disk(isEncrypted: true), copiesOnRead: true)
}
