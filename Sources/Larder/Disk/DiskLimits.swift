/// How much a disk cache may hold. Limits work alone or together; what exceeds one is given up by
/// the policy until all hold.
///
/// A cache that is opened with a limit outside the stated range throws `DiskCacheError.limit`.
public struct DiskLimits: Sendable, Hashable {
  /// Sum of the values' bytes as stored, from 1 to 2^50, or nil for no limit. Keys, and what the
  /// database needs beside the values, do not count.
  public var bytesMax: UInt64?
  /// Number of entries, from 1 to 2^50, or nil for no limit. A cache stops at 2^27 in any case.
  public var entriesMax: Int?
  /// The longest life of an entry since it was stored, at least a microsecond, or nil for no limit.
  /// An entry's own time to live holds when it is shorter.
  public var timeToLive: Duration?
  /// Bytes that are to stay free on the disk for others, at most 2^50; 0 for no care. When fewer
  /// are left, entries are given up for the missing bytes, and a value for which there is still no
  /// room is not stored. The disk is asked once in every `freeSpaceInterval` bytes stored.
  public var freeBytesMin: UInt64
  /// Bytes stored between two looks at the free space; with 0 every set looks.
  public var freeSpaceInterval: UInt64

  /// Limits; by default 100 MiB of values, and 256 MiB left free.
  public init(
    bytesMax: UInt64? = 100 << 20, entriesMax: Int? = nil, timeToLive: Duration? = nil,
    freeBytesMin: UInt64 = 256 << 20, freeSpaceInterval: UInt64 = 1 << 20
  ) {
    self.bytesMax = bytesMax
    self.entriesMax = entriesMax
    self.timeToLive = timeToLive
    self.freeBytesMin = freeBytesMin
    self.freeSpaceInterval = freeSpaceInterval
  }
}
