/// What a disk cache still has after something ends that should not have.
///
/// A *process that is killed* leaves the system running: what it has written is not lost. When the
/// *machine* loses power, only what was waited for is on the disk. Whatever is lost, a value that
/// is served is always whole and the one that was stored last: what was torn does not pass its
/// checksum and is a miss.
public enum DiskDurability: String, Sendable, Hashable, CaseIterable, Codable {
  /// The fastest. Sets are gathered, and committed by `DiskConfiguration.groupWrites`, by `flush()`
  /// or by `close()`.
  ///
  /// Killed: the sets and removes since the last commit are lost, however long ago they were, and
  /// what they replaced or removed is there again. Power lost: any may be lost, and when the
  /// database itself is damaged the cache begins empty.
  case none
  /// The default: each set and remove is committed before the call returns, and nothing waits for
  /// the disk.
  ///
  /// Killed: nothing is lost. Power lost: the latest may be lost; the database is whole (SQLite's
  /// `synchronous = NORMAL` with a write-ahead log).
  case normal
  /// Each set and remove waits until it is on the disk: value file, its name, and commit.
  ///
  /// Nothing that was acknowledged is lost, as long as the disk keeps what it says it has.
  case full
}
