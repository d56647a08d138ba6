#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// A prepared statement. Places are counted as SQLite does: values from 1, columns from 0.
///
/// What `bindBytes` and `blob` hand over is not copied: bytes bound must live until `reset`, bytes
/// read until the next `step` or `reset`.
package final class SQLiteStatement {
  private let connection: SQLiteConnection
  // SQLite's calls take a statement that is none: they fail, or say null.
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

  /// Gives up the statement, which must be done before the connection is closed. Every later call
  /// fails.
  package func finalize() {
    sqlite3_finalize(handle)
    handle = nil
  }

  /// Binds a whole number.
  package func bind(_ place: Int32, _ value: Int64) throws(SQLiteError) {
    try check(sqlite3_bind_int64(handle, place, value))
  }

  /// Binds a floating-point number.
  package func bind(_ place: Int32, _ value: Double) throws(SQLiteError) {
    try check(sqlite3_bind_double(handle, place, value))
  }

  /// Binds a text, copied, or null.
  package func bind(_ place: Int32, _ value: String?) throws(SQLiteError) {
    guard var value else { return try check(sqlite3_bind_null(handle, place)) }
    // SQLite's "make a copy", which is a macro that Swift does not see.
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

  /// Binds bytes that live until `reset`; nil binds null.
  package func bindBytes(_ place: Int32, _ bytes: UnsafeRawBufferPointer?) throws(SQLiteError) {
    guard let bytes else { return try check(sqlite3_bind_null(handle, place)) }
    guard let base = bytes.baseAddress, !bytes.isEmpty else {
      return try check(sqlite3_bind_zeroblob(handle, place, 0))
    }
    try check(sqlite3_bind_blob64(handle, place, base, UInt64(bytes.count), nil))
  }

  /// Goes to the next row, and says whether there is one.
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

  /// Runs a statement that has no rows to its end and makes it ready to be run again.
  package func run() throws(SQLiteError) {
    defer { sqlite3_reset(handle) }
    while try step() {}
  }

  /// Makes the statement ready to be run again. Values stay bound.
  package func reset() { sqlite3_reset(handle) }

  /// A column as a whole number.
  package func number(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// A column as a floating-point number.
  package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// A column as text, or nil where it is null.
  package func text(_ column: Int32) -> String? {
    guard let text = sqlite3_column_text(handle, column) else { return nil }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  /// The bytes of a column's text, in place, or nil where it is null.
  package func textBytes(_ column: Int32) -> UnsafeRawBufferPointer? {
    guard let text = sqlite3_column_text(handle, column) else { return nil }
    return UnsafeRawBufferPointer(
      start: text, count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// Whether a column is null.
  package func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  /// A column's bytes, in place.
  package func blob(_ column: Int32) -> UnsafeRawBufferPointer {
    let base = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(
      start: base, count: Int(sqlite3_column_bytes(handle, column)))
  }

  private func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw connection.error(code) }
  }
}

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
