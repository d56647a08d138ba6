/// Which writes of a disk cache survive a crash.
///
/// When a *process is killed*, the system continues, and what the process has written is not lost.
/// When the *machine loses power*, only flushed data is on the disk. In every case, a returned
/// value is complete and the last one stored: a torn value fails its checksum and is a miss.
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
  /// Process killed: nothing is lost. Power lost: the latest writes may be lost; the database is
  /// consistent (SQLite's `synchronous = NORMAL` with a write-ahead log).
  case normal
  /// Each set and removal waits until it is flushed to disk: value file, directory entry and
  /// commit.
  ///
  /// No acknowledged write is lost, as long as the disk honours flushes.
  case full
}
