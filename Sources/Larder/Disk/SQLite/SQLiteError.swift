import CSQLite

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

  /// One line for a person.
  package var description: String { "\(path): SQLite error \(code): \(message)" }
}
