import CBenchmarkSQLite
import Foundation

/// The same work through SQLite's C API alone: a table from text key to bytes.
final class RawSQLite {
  private var handle: OpaquePointer?
  private var getStatement: OpaquePointer?
  private var setStatement: OpaquePointer?

  /// A new database. `locking` is SQLite's locking mode: a disk cache has `EXCLUSIVE`.
  init(path: String, locking: String, synchronous: String = "NORMAL") {
    sqlite3_open_v2(
      path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    run(
      """
      PRAGMA locking_mode = \(locking);
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = \(synchronous);
      PRAGMA cache_size = -8192;
      CREATE TABLE entries(key TEXT PRIMARY KEY, value BLOB);
      """)
    sqlite3_prepare_v2(
      handle, "SELECT value FROM entries WHERE key = ?", -1, &getStatement, nil)
    sqlite3_prepare_v2(
      handle, "INSERT OR REPLACE INTO entries VALUES(?, ?)", -1, &setStatement, nil)
  }

  deinit {
    sqlite3_finalize(getStatement)
    sqlite3_finalize(setStatement)
    sqlite3_close(handle)
  }

  func get(_ key: String) -> Data? {
    var key = key
    return key.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text(getStatement, 1, $0.baseAddress, Int32($0.count), nil)
        defer { sqlite3_reset(getStatement) }
        guard sqlite3_step(getStatement) == SQLITE_ROW else { return nil }
        guard let blob = sqlite3_column_blob(getStatement, 0) else { return Data() }
        return Data(bytes: blob, count: Int(sqlite3_column_bytes(getStatement, 0)))
      }
    }
  }

  func set(_ key: String, _ value: Data) {
    var key = key
    key.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        value.withUnsafeBytes { blob in
          sqlite3_bind_text(setStatement, 1, text.baseAddress, Int32(text.count), nil)
          sqlite3_bind_blob(setStatement, 2, blob.baseAddress, Int32(blob.count), nil)
          let code = sqlite3_step(setStatement)
          precondition(code == SQLITE_DONE, "SQLite answered \(code)")
          sqlite3_reset(setStatement)
        }
      }
    }
  }

  private func run(_ sql: String) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    precondition(code == SQLITE_OK, "SQLite answered \(code)")
  }
}
