#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// What SQLite answered instead of doing what it was asked.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// SQLite's extended result code.
  package let code: Int32
  /// SQLite's own words.
  package let message: String
  /// The database file.
  package let path: String

  /// The result code without what extends it.
  package var primaryCode: Int32 { code & 0xff }

  /// Whether the file is not a database, or no longer a whole one.
  package var isCorruption: Bool {
    primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB
  }

  /// Whether another connection holds the database.
  package var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

  /// Whether there is no room for more.
  package var isFull: Bool { primaryCode == SQLITE_FULL }

  /// Whether something could not be written: no room, or what the system says instead where files
  /// may not grow.
  package var isWriteFailure: Bool { isFull || primaryCode == SQLITE_IOERR }

  /// Whether what was written could not be put on the disk.
  package var isSyncFailure: Bool {
    // SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC, which are macros that Swift does not see.
    [SQLITE_IOERR | 4 << 8, SQLITE_IOERR | 5 << 8].contains(code)
  }

  /// Whether it says nothing of the connection: the next call may succeed on the same one.
  package var isPassing: Bool {
    let codes = [
      SQLITE_FULL, SQLITE_IOERR, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_INTERRUPT,
      SQLITE_TOOBIG, SQLITE_CONSTRAINT,
    ]
    return codes.contains(primaryCode)
  }

  /// Whether an error met when a database is opened says that it will never be usable again: its
  /// pages are damaged, or what it says of its tables cannot be understood.
  static func isDamage(_ code: Int32) -> Bool {
    let codes = [
      SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_INTERNAL, SQLITE_EMPTY, SQLITE_SCHEMA,
      SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_FORMAT, SQLITE_RANGE,
    ]
    return codes.contains(code & 0xff)
  }

  /// One line for a person.
  package var description: String { "\(path): SQLite error \(code): \(message)" }
}
