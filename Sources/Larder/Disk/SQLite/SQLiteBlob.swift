#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// The bytes of one column of one row, without a statement: to go to another row and read takes
/// half the time of a prepared statement, and no memory from SQLite's allocator, whose count of
/// bytes is behind one lock for all connections of the process.
package final class SQLiteBlob {
  private let connection: SQLiteConnection
  private var handle: OpaquePointer?

  init(
    table: String, column: String, row: Int64, on connection: SQLiteConnection
  ) throws(SQLiteError) {
    var opened: OpaquePointer?
    let code = sqlite3_blob_open(connection.handle, "main", table, column, row, 0, &opened)
    guard code == SQLITE_OK, let opened else { throw connection.error(code) }
    self.connection = connection
    handle = opened
  }

  deinit { close() }

  /// Gives the blob up, which must be done before the connection is closed. Every later call fails.
  package func close() {
    sqlite3_blob_close(handle)
    handle = nil
  }

  /// Goes to another row. After an error every call fails.
  package func move(to row: Int64) throws(SQLiteError) {
    let code = handle == nil ? SQLITE_MISUSE : sqlite3_blob_reopen(handle, row)
    guard code == SQLITE_OK else { throw connection.error(code) }
  }

  /// Number of bytes.
  package var count: Int { handle == nil ? 0 : Int(sqlite3_blob_bytes(handle)) }

  /// Copies the first bytes, as many as `memory` has, which must not be more than `count`.
  package func read(into memory: UnsafeMutableRawBufferPointer) throws(SQLiteError) {
    guard memory.count > 0 else { return }
    let code =
      handle == nil
      ? SQLITE_MISUSE
      : sqlite3_blob_read(handle, memory.baseAddress, Int32(clamping: memory.count), 0)
    guard code == SQLITE_OK else { throw connection.error(code) }
  }
}
