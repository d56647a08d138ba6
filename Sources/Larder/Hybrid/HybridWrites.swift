/// When what is stored in a hybrid cache is written to disk.
public enum HybridWrites: Sendable, Hashable {
  /// At once: `set` returns when disk has taken it. What a crash may lose is what
  /// `DiskDurability` says.
  case through
  /// Later: `set` returns when memory has taken it. It is written when memory evicts it, when
  /// `entriesMax` entries wait (1 or more), in the first set, fill or look at disk `interval` (zero
  /// or more) after the oldest of them was set, and by `flush()` or `close()`. Setting a key twice
  /// in between writes once.
  ///
  /// When the process ends without `close()`, what waits is lost: fewer than `entriesMax` entries
  /// and, where calls keep coming, none older than `interval`. What a lost entry was to replace on
  /// disk is there again, so the cache may then answer with the value before the last. Removals
  /// and permanent entries are written at once and are not lost. What disk refuses by an error when
  /// it is written later is told of by an event and counted, and is lost when memory evicts it.
  ///
  /// Only for inclusive rules: in an exclusive cache what is in memory is never on disk, and is
  /// lost when the process ends.
  case back(entriesMax: Int = 64, interval: Duration? = .seconds(5))

  var isBack: Bool { self != .through }
}
