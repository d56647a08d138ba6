import CLarderFiles

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// One connection to a database file, used from one thread at a time.
///
/// Every result code is checked. Statements are prepared once by whoever holds the connection, and
/// are finalized before it is closed. After `close` every call fails.
package final class SQLiteConnection {
  /// The database file.
  package let path: String
  private(set) var handle: OpaquePointer?
  // Lives as long as the files that are open in it.
  private let gathering: GatheringLayer?
  private let logPages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
  private lazy var pageBytes = (try? number("PRAGMA page_size")) ?? 4096
  /// True if commits go to a write-ahead log, and not to the file at once; set by `findLog`.
  package private(set) var hasLog = false

  /// Opens the file, or makes it.
  ///
  /// - Parameters:
  ///   - busyMilliseconds: how long to wait for another connection before giving up.
  ///   - layer: the name of the file layer to use, nil for SQLite's own.
  ///   - gathersWrites: whether writes are gathered where there is no log: see `GatheringLayer`.
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

  /// Opens the file to read it as it is, whatever a write-ahead log says: no lock is taken, and the
  /// file must not change until the connection is closed. One that only works together with a log
  /// is what its latest checkpoint left.
  ///
  /// - Parameters:
  ///   - pageCacheBytes: memory for pages.
  ///   - layer: the name of the file layer to use, nil for SQLite's own.
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

  /// A path as an address, in which `?`, `#` and `%` would have a meaning.
  private static func address(of path: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_.~".utf8)
    let hex = Array("0123456789ABCDEF".utf8)
    var address = Array("file:".utf8)
    // Two slashes at its beginning would begin the name of a host.
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

  /// Closes the file now, whoever still holds the connection. Closing writes to the files of the
  /// database by their names, so it must not be left to the last reference where those names are
  /// about to belong to another database. Statements must have been finalized.
  package func close() {
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// The error of the call that has just failed.
  func error(_ code: Int32) -> SQLiteError {
    let message = handle == nil ? "the database is closed" : String(cString: sqlite3_errmsg(handle))
    return SQLiteError(code: code, message: message, path: path)
  }

  /// Throws where the connection is closed: not all of SQLite's calls check that themselves.
  private func check() throws(SQLiteError) {
    if handle == nil { throw error(SQLITE_MISUSE) }
  }

  /// Runs statements that take no values and whose rows nobody wants.
  package func execute(_ sql: String) throws(SQLiteError) {
    try check()
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// A statement to be run many times.
  package func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    try check()
    return try SQLiteStatement(sql, on: self)
  }

  /// A value of a table without an index of its own, to be read in place and moved to other rows.
  package func openBlob(
    table: String, column: String, row: Int64
  ) throws(SQLiteError) -> SQLiteBlob {
    try check()
    return try SQLiteBlob(table: table, column: column, row: row, on: self)
  }

  /// The first column of the first row, as a number; 0 when there is no row.
  package func number(_ sql: String) throws(SQLiteError) -> Int64 {
    let statement = try prepare(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.number(0) : 0
  }

  /// The first column of the first row, as a text, or nil.
  private func text(_ sql: String) throws(SQLiteError) -> String? {
    let statement = try prepare(sql)
    defer { statement.finalize() }
    return try statement.step() ? statement.text(0) : nil
  }

  /// Finds out whether commits go to a write-ahead log.
  package func findLog() throws(SQLiteError) { hasLog = try text("PRAGMA journal_mode") == "wal" }

  /// Whether every page belongs where it is. O(database).
  package func isSound() throws(SQLiteError) -> Bool {
    let check = try prepare("PRAGMA integrity_check(1)")
    defer { check.finalize() }
    return try check.step() && check.text(0) == "ok"
  }

  /// Whether a transaction is open.
  package var isInTransaction: Bool { handle != nil && sqlite3_get_autocommit(handle) == 0 }

  /// True once the path of the database no longer leads to the file that is open. One system call;
  /// false where the file layer cannot tell.
  package var hasMoved: Bool {
    var answer: Int32 = 0
    return handle != nil
      && sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &answer) == SQLITE_OK
      && answer != 0
  }

  /// Whether the database cannot be written: at once where its file could be opened for reading
  /// alone, and where its header says so, once something of it has been read.
  package var isReadOnly: Bool { handle != nil && sqlite3_db_readonly(handle, "main") == 1 }

  /// Moves the write-ahead log into the database, and says whether all of it.
  ///
  /// - Parameter empties: whether the log is cut off. Without that it is written over from its
  ///   beginning.
  @discardableResult package func checkpoint(empties: Bool = true) throws(SQLiteError) -> Bool {
    try check()
    let mode = empties ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    logPages.pointee = 0
    var (logged, moved): (Int32, Int32) = (-1, -1)
    let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &logged, &moved)
    guard code == SQLITE_OK else { throw error(code) }
    return logged == moved && logged >= 0
  }

  /// Pages in the write-ahead log after the latest commit that has not been followed by a
  /// checkpoint; 0 before `countLogPages`.
  package var pagesInLog: Int { Int(logPages.pointee) }

  /// From now on nothing but `checkpoint` moves the log into the database, until it is closed.
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

  /// Bytes of pages that this connection has written, with their headers where it has written them
  /// into a write-ahead log; without copies of what they were before.
  package var bytesWritten: UInt64 {
    guard handle != nil else { return 0 }
    var (pages, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 0)
    // A frame of the log is a page and 24 bytes.
    return UInt64(max(0, pages)) * (UInt64(max(0, pageBytes)) + (hasLog ? 24 : 0))
  }

  /// Memory for pages that is in use, in bytes.
  package var pageCacheBytes: Int {
    guard handle != nil else { return 0 }
    var (used, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &used, &highest, 0)
    return Int(used)
  }

  /// Has SQLite remove the journal that it keeps; it stays where it is needed. The connection gives
  /// up its lock and is only to be closed.
  package func removeJournal() {
    try? execute(
      "PRAGMA locking_mode = NORMAL; SELECT 1 FROM sqlite_master; PRAGMA journal_mode = DELETE")
  }

  /// Gives the memory back in which pages of the database are kept.
  package func releaseMemory() {
    if handle != nil { sqlite3_db_release_memory(handle) }
  }
}

/// The file layer of one connection whose database has a journal and no log, and is never synced:
/// it writes together what follows on in a file. See CLarderFiles.h for the order that it keeps.
final class GatheringLayer {
  private let layer: OpaquePointer

  /// A layer above another; nil where there is no memory for it.
  ///
  /// - Parameter below: the name of the other, nil for SQLite's own.
  init?(above below: String?) {
    guard let layer = larder_gathering_make(below) else { return nil }
    self.layer = layer
  }

  deinit { larder_gathering_free(layer) }

  /// What SQLite knows it by.
  var name: String { String(cString: larder_gathering_name(layer)) }
}

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
