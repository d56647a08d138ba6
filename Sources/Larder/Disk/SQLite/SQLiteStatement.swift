#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// A prepared statement. Indexes are SQLite's: parameters from 1, columns from 0.
///
/// Bytes in `bindBytes` and `blob` are not copied: bound bytes must be valid until `reset`, read
/// bytes are valid until the next `step` or `reset`.
package final class SQLiteStatement {
  private let connection: SQLiteConnection
  // SQLite's functions accept a null statement: they fail or return null.
  private var handle: OpaquePointer?

  init(_ sql: String, on connection: SQLiteConnection) throws(SQLiteError) {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw connection.error(code) }
    self.connection = connection
    handle = prepared
  }

  deinit { finalize() }

  package func finalize() {
    sqlite3_finalize(handle)
    handle = nil
  }

  package func bind(_ place: Int32, _ value: Int64) throws(SQLiteError) {
    try check(sqlite3_bind_int64(handle, place, value))
  }

  package func bind(_ place: Int32, _ value: Double) throws(SQLiteError) {
    try check(sqlite3_bind_double(handle, place, value))
  }

  package func bind(_ place: Int32, _ value: String?) throws(SQLiteError) {
    guard var value else { return try check(sqlite3_bind_null(handle, place)) }
    // SQLITE_TRANSIENT ("make a copy"), a macro that Swift cannot import.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    let code = value.withUTF8 {
      $0.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text64(
          handle, place, $0.baseAddress ?? UnsafePointer(bitPattern: 1), UInt64($0.count),
          transient, UInt8(SQLITE_UTF8))
      }
    }
    try check(code)
  }

  /// Binds bytes that must be valid until `reset`; nil binds null.
  package func bindBytes(_ place: Int32, _ bytes: UnsafeRawBufferPointer?) throws(SQLiteError) {
    guard let bytes else { return try check(sqlite3_bind_null(handle, place)) }
    guard let base = bytes.baseAddress, !bytes.isEmpty else {
      return try check(sqlite3_bind_zeroblob(handle, place, 0))
    }
    try check(sqlite3_bind_blob64(handle, place, base, UInt64(bytes.count), nil))
  }

  package func step() throws(SQLiteError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else {
      let error = connection.error(code)
      sqlite3_reset(handle)
      throw error
    }
    return false
  }

  package func run() throws(SQLiteError) {
    defer { sqlite3_reset(handle) }
    while try step() {}
  }

  package func reset() { sqlite3_reset(handle) }

  package func number(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  package func text(_ column: Int32) -> String? {
    guard let text = sqlite3_column_text(handle, column) else { return nil }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  package func textBytes(_ column: Int32) -> UnsafeRawBufferPointer? {
    guard let text = sqlite3_column_text(handle, column) else { return nil }
    return UnsafeRawBufferPointer(
      start: text, count: Int(sqlite3_column_bytes(handle, column)))
  }

  package func blob(_ column: Int32) -> UnsafeRawBufferPointer {
    let base = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(
      start: base, count: Int(sqlite3_column_bytes(handle, column)))
  }

  private func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw connection.error(code) }
  }
}

/// The bytes of one column of one row, read without a statement: moving to another row and reading
/// takes half the time of a prepared statement, and no memory from SQLite's allocator, whose
/// statistics are behind one lock for all connections of the process.
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

  package func close() {
    sqlite3_blob_close(handle)
    handle = nil
  }

  package func move(to row: Int64) throws(SQLiteError) {
    let code = handle == nil ? SQLITE_MISUSE : sqlite3_blob_reopen(handle, row)
    guard code == SQLITE_OK else { throw connection.error(code) }
  }

  package var count: Int { handle == nil ? 0 : Int(sqlite3_blob_bytes(handle)) }

  package func read(into memory: UnsafeMutableRawBufferPointer) throws(SQLiteError) {
    guard memory.count > 0 else { return }
    let code =
      handle == nil
      ? SQLITE_MISUSE
      : sqlite3_blob_read(handle, memory.baseAddress, Int32(clamping: memory.count), 0)
    guard code == SQLITE_OK else { throw connection.error(code) }
  }
}
