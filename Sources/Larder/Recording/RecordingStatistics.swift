/// What a recording has done so far.
public struct RecordingStatistics: Sendable, Hashable {
  /// Operations that were written to the file.
  public var written: UInt64 = 0
  /// Operations that were to be recorded and were lost: the writer was too slow for them, or their
  /// block could not be written.
  public var lost: UInt64 = 0
  /// Blocks written.
  public var blocks: UInt64 = 0
  /// Blocks dropped because the file could not be written, as when the disk is full.
  public var droppedBlocks: UInt64 = 0
  /// Bytes in the file.
  public var bytes: UInt64 = 0
  /// Gets of the cache since the recording began, those of keys that are not sampled among them.
  public var gets: UInt64 = 0
  /// What was wrong when a block was last dropped or the file was closed; nil for nothing.
  public var error: String?
  /// Whether the recording has ended.
  public var hasEnded = false

  /// Nothing has happened yet.
  public init() {}
}
