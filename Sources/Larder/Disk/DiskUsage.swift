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

/// Entries and space freed by a call.
public struct Freed: Sendable, Hashable {
  /// Entries removed from the memory of a hybrid cache.
  public var memoryCount = 0
  /// Entries removed from disk.
  public var count = 0
  /// Sum of the bytes of their values.
  public var valueBytes: UInt64 = 0
  /// Reduction of the cache's files in bytes: database, log and value files.
  public var diskBytes: UInt64 = 0

  /// Creates a value; by default nothing was freed.
  public init(
    memoryCount: Int = 0, count: Int = 0, valueBytes: UInt64 = 0, diskBytes: UInt64 = 0
  ) {
    self.memoryCount = memoryCount
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
