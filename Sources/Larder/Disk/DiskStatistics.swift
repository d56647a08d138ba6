/// What has happened in a disk cache since it was opened.
public struct DiskStatistics: Sendable, Hashable, Codable {
  /// Gets that were answered.
  public var hits: UInt64 = 0
  /// Gets that were not, for whatever reason.
  public var misses: UInt64 = 0
  /// Values stored under keys that had none.
  public var stores: UInt64 = 0
  /// Values stored over others.
  public var replacements: UInt64 = 0
  /// Entries given another life without their value.
  public var renewals: UInt64 = 0
  /// Values handed out after they had expired, to callers who asked for that; each is also a miss.
  public var expiredReads: UInt64 = 0
  /// Values not stored: larger than the capacity, not wanted by the policy, or no room on the disk.
  public var rejections: UInt64 = 0
  /// Entries given up because of the limits on bytes and entries.
  public var evictions: UInt64 = 0
  /// Entries given up because the disk was nearly full.
  public var freeSpaceEvictions: UInt64 = 0
  /// Entries given up by a call to `trim`.
  public var trims: UInt64 = 0
  /// Entries found or cleaned expired.
  public var expirations: UInt64 = 0
  /// Entries removed by their key or cleared.
  public var removals: UInt64 = 0
  /// Entries whose value was missing, short, long or did not pass its checksum, and rows that did
  /// not pass theirs.
  public var damages: UInt64 = 0
  /// Entries of a typed suite whose bytes were whole and were no value of its type.
  public var undecodables: UInt64 = 0
  /// Times that the database was found damaged and the cache began empty, opening included. See
  /// `DiskCache.damages`.
  public var rebuilds: UInt64 = 0
  /// Bytes of values written.
  public var bytesWritten: UInt64 = 0
  /// Bytes of values copied to recycle segments; not part of `bytesWritten`.
  public var bytesMoved: UInt64 = 0
  /// Bytes of values read.
  public var bytesRead: UInt64 = 0
  /// Events that readers of event streams did not get, because they were slower than the cache.
  public var droppedEvents: UInt64 = 0

  /// Nothing has happened yet.
  public init() {}
}

/// How much one suite holds.
public struct DiskSuiteUsage: Sendable, Hashable {
  /// The suite's name.
  public var name: String
  /// Entries, permanent ones included.
  public var count: Int
  /// Sum of the values' bytes.
  public var bytes: UInt64

  /// Usage; see the properties for the meaning of each.
  public init(name: String, count: Int, bytes: UInt64) {
    self.name = name
    self.count = count
    self.bytes = bytes
  }
}

/// What a call has made free.
public struct DiskFreed: Sendable, Hashable {
  /// Entries that are gone.
  public var count = 0
  /// Sum of their values' bytes.
  public var valueBytes: UInt64 = 0
  /// By how many bytes the cache's files have shrunk: database, log and value files.
  public var diskBytes: UInt64 = 0

  /// What was freed; see the properties for the meaning of each.
  public init(count: Int = 0, valueBytes: UInt64 = 0, diskBytes: UInt64 = 0) {
    self.count = count
    self.valueBytes = valueBytes
    self.diskBytes = diskBytes
  }
}

/// Where the bytes of a disk cache stand.
package struct DiskUsage: Sendable, Hashable {
  /// The database.
  package var database: UInt64 = 0
  /// The database's write-ahead log, which keeps its size until it is truncated, or its journal.
  package var log: UInt64 = 0
  /// Files of values; of segments all bytes, dead ones among them.
  package var files: UInt64 = 0
  /// Files without a value, kept for writing over.
  package var spare: UInt64 = 0
  /// Damaged databases that were set aside.
  package var aside: UInt64 = 0

  /// All of them.
  package var total: UInt64 { database + log + files + spare + aside }
}

/// What a disk cache has written since it was opened, as far as it can tell: without what SQLite
/// moves from the log into the database, or copies from the database into its journal, at most once
/// each page written, and without what the file system adds.
package struct DiskWrites: Sendable, Hashable {
  /// Bytes of value files and segments, copies included.
  package var files: UInt64 = 0
  /// Bytes of pages and their headers in the write-ahead log; with durability `none`, which has
  /// none, of pages in the database.
  package var log: UInt64 = 0

  /// Both.
  package var total: UInt64 { files + log }
}
