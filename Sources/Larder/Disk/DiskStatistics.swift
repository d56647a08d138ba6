/// Event counts of a disk cache since it was opened.
public struct DiskStatistics: Sendable, Hashable, Codable {
  /// Gets that returned a value.
  public var hits: UInt64 = 0
  /// Gets that returned no value, for any reason.
  public var misses: UInt64 = 0
  /// Values stored for keys that had none.
  public var stores: UInt64 = 0
  /// Values that replaced others.
  public var replacements: UInt64 = 0
  /// Entries whose lifetime was renewed without rewriting the value.
  public var renewals: UInt64 = 0
  /// Expired values returned to callers who accepted them; each is also a miss.
  public var expiredReads: UInt64 = 0
  /// Values not stored: larger than the capacity, not admitted by the policy, or no room on the
  /// disk.
  public var rejections: UInt64 = 0
  /// Entries evicted because of the limits on bytes and entries.
  public var evictions: UInt64 = 0
  /// Entries evicted because the disk was nearly full.
  public var freeSpaceEvictions: UInt64 = 0
  /// Entries evicted by a call to `trim`.
  public var trims: UInt64 = 0
  /// Expired entries that were found or cleaned.
  public var expirations: UInt64 = 0
  /// Entries removed by their key or cleared.
  public var removals: UInt64 = 0
  /// Entries whose value was missing, had the wrong size or failed its checksum, and rows that
  /// failed theirs.
  public var damages: UInt64 = 0
  /// Entries of a typed suite whose bytes were intact but did not decode as its type.
  public var undecodables: UInt64 = 0
  /// Number of times the database was found damaged and the cache started empty, including at
  /// opening. See `BlockingDiskCache.damage`.
  public var rebuilds: UInt64 = 0
  /// Bytes of values written.
  public var bytesWritten: UInt64 = 0
  /// Bytes of values copied to recycle segments; not part of `bytesWritten`.
  public var bytesMoved: UInt64 = 0
  /// Bytes of values read.
  public var bytesRead: UInt64 = 0
  /// Events lost because readers of event streams were slower than the cache.
  public var droppedEvents: UInt64 = 0

  /// Creates statistics that are all zero.
  public init() {}
}

/// Contents of one suite.
public struct DiskSuiteUsage: Sendable, Hashable {
  /// The suite's name.
  public var name: String
  /// Number of entries, including permanent ones.
  public var count: Int
  /// Sum of the values' bytes.
  public var bytes: UInt64

  /// Creates a usage; see the properties for the meaning of each.
  public init(name: String, count: Int, bytes: UInt64) {
    self.name = name
    self.count = count
    self.bytes = bytes
  }
}

/// Space freed by a call.
public struct DiskFreed: Sendable, Hashable {
  /// Removed entries.
  public var count = 0
  /// Sum of their values' bytes.
  public var valueBytes: UInt64 = 0
  /// Reduction of the cache's files in bytes: database, log and value files.
  public var diskBytes: UInt64 = 0

  /// Creates a value; see the properties for the meaning of each.
  public init(count: Int = 0, valueBytes: UInt64 = 0, diskBytes: UInt64 = 0) {
    self.count = count
    self.valueBytes = valueBytes
    self.diskBytes = diskBytes
  }
}

/// Disk usage of a disk cache, by kind of file.
package struct DiskUsage: Sendable, Hashable {
  package var database: UInt64 = 0
  /// The database's write-ahead log, which keeps its size until it is truncated, or its journal.
  package var log: UInt64 = 0
  /// Files of values, including dead bytes of segments.
  package var files: UInt64 = 0
  /// Files without a value, kept to be overwritten.
  package var spare: UInt64 = 0
  package var aside: UInt64 = 0

  package var total: UInt64 { database + log + files + spare + aside }
}

/// Bytes written by a disk cache since it was opened, as far as it can tell: without pages that
/// SQLite moves from the log into the database, or copies from the database into its journal, at
/// most one per page written, and without the file system's overhead.
package struct DiskWrites: Sendable, Hashable {
  package var files: UInt64 = 0
  /// Bytes of pages and their headers in the write-ahead log; with durability `none`, which has
  /// none, of pages in the database.
  package var log: UInt64 = 0

  package var total: UInt64 { files + log }
}
