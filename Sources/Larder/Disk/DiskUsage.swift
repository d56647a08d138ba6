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
