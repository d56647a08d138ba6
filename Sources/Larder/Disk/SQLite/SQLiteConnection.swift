import CLarderFiles

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// One connection to a database file, used by one thread at a time.
///
/// Every result code is checked. Statements are prepared once by the connection's owner, and are
/// finalized before it is closed. After `close` every call fails.
package final class SQLiteConnection {
  package let path: String
  private(set) var handle: OpaquePointer?
  // Must outlive the files that are open in it.
  private let gathering: GatheringLayer?
  private let logPages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
  private lazy var pageBytes = (try? number("PRAGMA page_size")) ?? 4096
  package private(set) var hasLog = false

  /// Opens the file, or creates it. Waits `busyMilliseconds` for another connection;
  /// `gathersWrites` if there is no log: see `GatheringLayer`.
  package convenience init(
    path: String, busyMilliseconds: Int32, layer: String? = nil, gathersWrites: Bool = false
  ) throws(SQLiteError) {
    let gathering = gathersWrites ? GatheringLayer(above: layer) : nil
    try self.init(
      path, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, gathering?.name ?? layer, gathering)
    sqlite3_busy_timeout(handle, busyMilliseconds)
  }

  /// Opens the file read-only and ignores a write-ahead log: no lock is taken, and the file must
  /// not change until the connection is closed. Contents that are only in the log are not visible.
  package convenience init(
    unchanging path: String, pageCacheBytes: Int, layer: String? = nil
  ) throws(SQLiteError) {
    try self.init(
      path, "\(Self.address(of: path))?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, layer)
    try execute("PRAGMA cache_size = -\(max(64, pageCacheBytes >> 10)); PRAGMA mmap_size = 0")
  }

  /// Opens the file read-only, with its log, next to a connection of another process; writes
  /// nothing. The log and the shared memory must exist. Locks that exclude only changes by another
  /// owner are held until it is closed.
  ///
  /// In a process, no other connection to the file may be opened meanwhile: it would be read-only,
  /// too.
  package convenience init(shared path: String, busyMilliseconds: Int32) throws(SQLiteError) {
    try self.init(
      path, "\(Self.address(of: path))?readonly_shm=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
      nil)
    sqlite3_busy_timeout(handle, busyMilliseconds)
  }

  private init(
    _ path: String, _ address: String, _ flags: Int32, _ layer: String?,
    _ gathering: GatheringLayer? = nil
  ) throws(SQLiteError) {
    self.path = path
    self.gathering = gathering
    logPages.initialize(to: 0)
    let code = sqlite3_open_v2(address, &handle, flags | SQLITE_OPEN_NOMUTEX, layer)
    guard code == SQLITE_OK else { throw error(code) }
    sqlite3_extended_result_codes(handle, 1)
  }

  private static func address(of path: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_.~".utf8)
    let hex = Array("0123456789ABCDEF".utf8)
    var address = Array("file:".utf8)
    // Two slashes at the beginning would introduce a host name.
    if path.hasPrefix("//") { address += Array("//".utf8) }
    for byte in path.utf8 {
      if plain.contains(byte) {
        address.append(byte)
      } else {
        address += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      }
    }
    return String(decoding: address, as: UTF8.self)
  }

  deinit {
    close()
    logPages.deallocate()
  }

  /// Closes the file now, even if the connection is still referenced. Closing writes to the files
  /// of the database by their names, so it must not be left to the last reference if those names
  /// are about to belong to another database. Statements must have been finalized.
  package func close() {
    sqlite3_close_v2(handle)
    handle = nil
  }

  func error(_ code: Int32) -> SQLiteError {
    guard let handle else {
      return SQLiteError(code: code, message: "the database is closed", path: path)
    }
    // An error that SQLite did not return is not its last one, which may be "not an error".
    let isItsOwn = sqlite3_errcode(handle) & 0xFF == code & 0xFF
    let message = String(cString: isItsOwn ? sqlite3_errmsg(handle) : sqlite3_errstr(code))
    return SQLiteError(code: code, message: message, path: path)
  }

  private func check() throws(SQLiteError) {
    if handle == nil { throw error(SQLITE_MISUSE) }
  }

  package func execute(_ sql: String) throws(SQLiteError) {
    try check()
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  package func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    try check()
    return try SQLiteStatement(sql, on: self)
  }

  package func openBlob(
    table: String, column: String, row: Int64
  ) throws(SQLiteError) -> SQLiteBlob {
    try check()
    return try SQLiteBlob(table: table, column: column, row: row, on: self)
  }

  package func number(_ sql: String) throws(SQLiteError) -> Int64 {
    let statement = try prepare(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.number(0) : 0
  }

  private func text(_ sql: String) throws(SQLiteError) -> String? {
    let statement = try prepare(sql)
    defer { statement.finalize() }
    return try statement.step() ? statement.text(0) : nil
  }

  package func findLog() throws(SQLiteError) { hasLog = try text("PRAGMA journal_mode") == "wal" }

  package func keepLog() throws(SQLiteError) {
    guard hasLog else {
      throw SQLiteError(
        code: SQLITE_CANTOPEN, message: "the file system does not support a shared log", path: path)
    }
    var keeps: Int32 = 1
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
  }

  /// The error of a transaction that SQLite has rolled back by itself.
  var rollBackError: SQLiteError { error(SQLITE_IOERR) }

  package var isInTransaction: Bool { handle != nil && sqlite3_get_autocommit(handle) == 0 }

  /// True once the path of the database no longer leads to the open file. One system call; false if
  /// the file layer cannot tell.
  package var hasMoved: Bool {
    var answer: Int32 = 0
    return handle != nil
      && sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &answer) == SQLITE_OK
      && answer != 0
  }

  package var isReadOnly: Bool { handle != nil && sqlite3_db_readonly(handle, "main") == 1 }

  @discardableResult package func checkpoint(
    empties: Bool = true, of pages: Int = 0
  ) throws(SQLiteError) -> Bool {
    try check()
    let mode = empties ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    var (logged, moved): (Int32, Int32) = (-1, -1)
    let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &logged, &moved)
    guard code == SQLITE_OK else { throw error(code) }
    logPages.pointee = 0
    guard pages == 0 || logged >= pages else {
      throw SQLiteError(
        code: SQLITE_CORRUPT, message: "part of its log did not reach the disk", path: path)
    }
    return logged == moved && logged >= 0
  }

  /// Makes `close` leave the log as it is: SQLite would sync it, move its pages and remove it.
  package func leaveLog() { larder_leave_log(handle) }

  package var pagesInLog: Int { Int(logPages.pointee) }

  package func countLogPages() throws(SQLiteError) {
    try execute("PRAGMA wal_autocheckpoint = 0")
    let count:
      @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32
      ) -> Int32 = { place, _, _, pages in
        place?.storeBytes(of: pages, as: Int32.self)
        return SQLITE_OK
      }
    sqlite3_wal_hook(handle, count, logPages)
  }

  package var bytesWritten: UInt64 {
    guard handle != nil else { return 0 }
    var (pages, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 0)
    // A frame of the log is a page and 24 bytes.
    return UInt64(max(0, pages)) * (UInt64(max(0, pageBytes)) + (hasLog ? 24 : 0))
  }

  package var pageCacheBytes: Int {
    guard handle != nil else { return 0 }
    var (used, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &used, &highest, 0)
    return Int(used)
  }

  /// Makes SQLite remove the journal that it keeps, unless it is still needed. The connection loses
  /// its lock and may only be closed afterwards.
  package func removeJournal() {
    try? execute(
      "PRAGMA locking_mode = NORMAL; SELECT 1 FROM sqlite_master; PRAGMA journal_mode = DELETE")
  }
}

/// A file layer of one connection whose database has a journal, no log, and is never synced: it
/// combines consecutive writes to a file. See CLarderFiles.h for the order that it preserves.
final class GatheringLayer {
  private let layer: OpaquePointer

  init?(above below: String?) {
    guard let layer = larder_gathering_make(below) else { return nil }
    self.layer = layer
  }

  deinit { larder_gathering_free(layer) }

  var name: String { String(cString: larder_gathering_name(layer)) }
}

package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  package let code: Int32
  package let message: String
  package let path: String

  package var primaryCode: Int32 { code & 0xff }

  package var isCorruption: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

  package var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

  package var isFull: Bool { primaryCode == SQLITE_FULL }

  package var isWriteFailure: Bool { isFull || primaryCode == SQLITE_IOERR }

  package var isSyncFailure: Bool {
    // SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC, macros that Swift cannot import.
    [SQLITE_IOERR | 4 << 8, SQLITE_IOERR | 5 << 8].contains(code)
  }

  package var isPassing: Bool {
    let codes = [
      SQLITE_FULL, SQLITE_IOERR, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_INTERRUPT,
      SQLITE_TOOBIG, SQLITE_CONSTRAINT,
    ]
    return codes.contains(primaryCode)
  }

  /// True if an error at opening means that the database will never be usable again: its pages are
  /// damaged, or its schema cannot be parsed.
  static func isDamage(_ code: Int32) -> Bool {
    let codes = [
      SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_INTERNAL, SQLITE_EMPTY, SQLITE_SCHEMA,
      SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_FORMAT, SQLITE_RANGE,
    ]
    return codes.contains(code & 0xff)
  }

  package var description: String { "\(path): SQLite error \(code): \(message)" }
}
