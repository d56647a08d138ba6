/// Which writes of a disk cache survive a crash.
///
/// When a *process is killed*, the system continues, and what the process has written is not lost.
/// When the *machine loses power*, only flushed data is certain to be on the disk. In every case, a
/// returned value is complete and was stored under its key: a torn value fails its checksum and is
/// a miss.
public enum DiskDurability: String, Sendable, Hashable, CaseIterable, Codable {
  /// The fastest. Sets are grouped, and committed as `DiskConfiguration.groupWrites` says, by
  /// `flush()` or by `close()`.
  ///
  /// Process killed: sets and removals since the last commit are lost, however long ago they were,
  /// and the entries that they replaced or removed reappear. Power lost: any write may be lost, and
  /// if the database itself is damaged, the cache starts empty.
  case none
  /// The default: each set and removal is committed before the call returns, without waiting for a
  /// flush to disk.
  ///
  /// Process killed: nothing is lost. Power lost: the latest writes may be lost, and entries that
  /// they replaced or removed reappear; the database is consistent (SQLite's `synchronous = NORMAL`
  /// with a write-ahead log) and shows what the first of the writes left, up to some moment. Values
  /// in files and segments are not flushed: of those, any may be missing. If the system reports
  /// that the log could not be flushed, the cache starts empty, as with a damaged database.
  case normal
  /// Each set and removal waits until it is flushed to disk: value file, directory entry and
  /// commit.
  ///
  /// No acknowledged write is lost, as long as the disk honours flushes. A write whose flush failed
  /// is an error, and is not acknowledged later without being written again.
  case full
}
