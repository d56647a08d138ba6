/// When values stored in a hybrid cache are written to disk.
public enum HybridWrites: Sendable, Hashable {
  /// Write-through: `set` returns when the value is stored on disk. `DiskDurability` says what a
  /// crash may lose.
  case through
  /// Write-back: `set` returns when the value is stored in memory. It is written when memory evicts
  /// it, when `count` entries are waiting (1 or more), in the first set, fill or disk lookup
  /// at least `interval` (zero or more) after the oldest of them was set, and by `flush()` or
  /// `close()`. A key that is set twice in between is written once.
  ///
  /// If the process ends without `close()`, waiting entries are lost: fewer than `count`
  /// entries and, while calls continue, none older than `interval`. The value that a lost entry was
  /// to replace on disk reappears, so the cache may then return the previous value. Removals and
  /// permanent entries are written at once and are not lost. If a delayed write fails, the cache
  /// reports an event and counts the failure; the entry is lost when memory evicts it.
  ///
  /// Requires inclusive rules: in an exclusive cache, entries in memory are never on disk, and are
  /// lost when the process ends.
  case back(count: Int = 64, interval: Duration? = .seconds(5))

  var isBack: Bool { self != .through }
}
