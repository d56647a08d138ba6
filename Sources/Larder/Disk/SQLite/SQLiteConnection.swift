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
  /// True if commits go to a write-ahead log, not directly to the file; set by `findLog`.
  package private(set) var hasLog = false

  /// Opens the file, or creates it.
  ///
  /// - Parameters:
  ///   - busyMilliseconds: Time limit of waiting for another connection.
  ///   - layer: Name of the file layer, nil for SQLite's own.
  ///   - gathersWrites: True to gather writes if there is no log: see `GatheringLayer`.
  package init(
    path: String, busyMilliseconds: Int32, layer: String? = nil, gathersWrites: Bool = false
  ) throws(SQLiteError) {
    gathering = gathersWrites ? GatheringLayer(above: layer) : nil
    handle = try Self.open(
      path, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, gathering?.name ?? layer)
    self.path = path
    logPages.initialize(to: 0)
    sqlite3_busy_timeout(handle, busyMilliseconds)
  }

  /// Opens the file read-only and ignores a write-ahead log: no lock is taken, and the file must
  /// not change until the connection is closed. Contents that are only in the log are not visible.
  ///
  /// - Parameters:
  ///   - pageCacheBytes: Memory for pages.
  ///   - layer: Name of the file layer, nil for SQLite's own.
  package init(
    unchanging path: String, pageCacheBytes: Int, layer: String? = nil
  ) throws(SQLiteError) {
    gathering = nil
    let address = "\(Self.address(of: path))?immutable=1"
    handle = try Self.open(path, address, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, layer)
    self.path = path
    logPages.initialize(to: 0)
    try execute("PRAGMA cache_size = -\(max(64, pageCacheBytes >> 10)); PRAGMA mmap_size = 0")
  }

  /// Opens the file read-only, with its log, next to a connection of another process; writes
  /// nothing. The log and the shared memory must exist. Locks that exclude only changes by another
  /// owner are held until it is closed.
  ///
  /// In a process, no other connection to the file may be opened meanwhile: it would be read-only,
  /// too.
  package init(shared path: String, busyMilliseconds: Int32) throws(SQLiteError) {
    gathering = nil
    let address = "\(Self.address(of: path))?readonly_shm=1"
    handle = try Self.open(path, address, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
    self.path = path
    logPages.initialize(to: 0)
    sqlite3_busy_timeout(handle, busyMilliseconds)
  }

  private static func open(
    _ path: String, _ address: String, _ flags: Int32, _ layer: String?
  ) throws(SQLiteError) -> OpaquePointer {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(address, &opened, flags | SQLITE_OPEN_NOMUTEX, layer)
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw SQLiteError(code: code, message: message, path: path)
    }
    sqlite3_extended_result_codes(opened, 1)
    return opened
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
    let message = handle == nil ? "the database is closed" : String(cString: sqlite3_errmsg(handle))
    return SQLiteError(code: code, message: message, path: path)
  }

  /// Throws if the connection is closed: not all of SQLite's calls check that.
  private func check() throws(SQLiteError) {
    if handle == nil { throw error(SQLITE_MISUSE) }
  }

  /// Runs statements without parameters, ignoring their rows.
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

  /// Returns the first column of the first row as a number; 0 without a row.
  package func number(_ sql: String) throws(SQLiteError) -> Int64 {
    let statement = try prepare(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.number(0) : 0
  }

  /// Returns the first column of the first row as a string, or nil.
  private func text(_ sql: String) throws(SQLiteError) -> String? {
    let statement = try prepare(sql)
    defer { statement.finalize() }
    return try statement.step() ? statement.text(0) : nil
  }

  /// Finds out if commits go to a write-ahead log.
  package func findLog() throws(SQLiteError) { hasLog = try text("PRAGMA journal_mode") == "wal" }

  /// Keeps the log and the shared memory when the database is closed, for readers.
  ///
  /// - Throws: If there is no log.
  package func keepLog() throws(SQLiteError) {
    guard hasLog else {
      throw SQLiteError(
        code: SQLITE_CANTOPEN, message: "the file system does not support a shared log", path: path)
    }
    var keeps: Int32 = 1
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
  }

  /// True if every page is consistent. O(database).
  ///
  /// - Throws: If a page cannot be read, which is no evidence of its content.
  package func isSound() throws(SQLiteError) -> Bool {
    let check = try prepare("PRAGMA integrity_check(1)")
    defer { check.finalize() }
    guard try check.step(), let answer = check.text(0) else { return false }
    // SQLite describes such a failure as if it were damage.
    let code = answer.firstRange(of: "error code=").map {
      Int32(answer[$0.upperBound...].prefix { $0.isNumber }) ?? SQLITE_IOERR
    }
    let unread = code ?? (answer.contains("failed to get page") ? SQLITE_IOERR : nil)
    if let unread {
      let error = SQLiteError(code: unread, message: answer, path: path)
      if !error.isCorruption { throw error }
    }
    return answer == "ok"
  }

  package var isInTransaction: Bool { handle != nil && sqlite3_get_autocommit(handle) == 0 }

  /// True once the path of the database no longer leads to the open file. One system call; false if
  /// the file layer cannot tell.
  package var hasMoved: Bool {
    var answer: Int32 = 0
    return handle != nil
      && sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &answer) == SQLITE_OK
      && answer != 0
  }

  /// True if the database is read-only: immediately if its file could only be opened for reading,
  /// and once part of it has been read if its header says so.
  package var isReadOnly: Bool { handle != nil && sqlite3_db_readonly(handle, "main") == 1 }

  /// Moves the write-ahead log into the database; returns true if all of it was moved.
  ///
  /// - Parameter empties: True to truncate the log. Otherwise it is overwritten from its beginning.
  @discardableResult package func checkpoint(empties: Bool = true) throws(SQLiteError) -> Bool {
    try check()
    let mode = empties ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    logPages.pointee = 0
    var (logged, moved): (Int32, Int32) = (-1, -1)
    let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &logged, &moved)
    guard code == SQLITE_OK else { throw error(code) }
    return logged == moved && logged >= 0
  }

  /// Pages in the write-ahead log since the latest checkpoint; 0 before `countLogPages`.
  package var pagesInLog: Int { Int(logPages.pointee) }

  /// From now on only `checkpoint` moves the log into the database, until it is closed.
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

  /// Bytes of pages written by this connection, with their headers in a write-ahead log; without a
  /// rollback journal's copies of old pages.
  package var bytesWritten: UInt64 {
    guard handle != nil else { return 0 }
    var (pages, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 0)
    // A frame of the log is a page and 24 bytes.
    return UInt64(max(0, pages)) * (UInt64(max(0, pageBytes)) + (hasLog ? 24 : 0))
  }

  /// Memory in use for pages, in bytes.
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

  package func releaseMemory() {
    if handle != nil { sqlite3_db_release_memory(handle) }
  }
}

/// A file layer of one connection whose database has a journal, no log, and is never synced: it
/// combines consecutive writes to a file. See CLarderFiles.h for the order that it preserves.
final class GatheringLayer {
  private let layer: OpaquePointer

  /// Creates a layer above another; nil if memory is short.
  ///
  /// - Parameter below: Name of the other layer, nil for SQLite's own.
  init?(above below: String?) {
    guard let layer = larder_gathering_make(below) else { return nil }
    self.layer = layer
  }

  deinit { larder_gathering_free(layer) }

  var name: String { String(cString: larder_gathering_name(layer)) }
}

/// A failed call to SQLite.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  package let code: Int32
  package let message: String
  package let path: String

  package var primaryCode: Int32 { code & 0xff }

  /// True if the file is not a database, or a damaged one.
  package var isCorruption: Bool {
    primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB
  }

  /// True if another connection holds the database.
  package var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

  /// True if the disk is full.
  package var isFull: Bool { primaryCode == SQLITE_FULL }

  /// True if a write failed: the disk is full, or another error of the system for files that may
  /// not grow.
  package var isWriteFailure: Bool { isFull || primaryCode == SQLITE_IOERR }

  /// True if written data could not be synced.
  package var isSyncFailure: Bool {
    // SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC, macros that Swift cannot import.
    [SQLITE_IOERR | 4 << 8, SQLITE_IOERR | 5 << 8].contains(code)
  }

  /// True if the connection is not affected: the next call may succeed on it.
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
