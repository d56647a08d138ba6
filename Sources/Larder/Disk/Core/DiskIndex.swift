import LarderEngine

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// The database of a disk cache: a row for each entry, and the names of the suites.
///
/// Statements are prepared once. The row's number is the object id that the policy knows.
final class DiskIndex {
  let connection: SQLiteConnection
  /// What keys are hashed with: drawn once for each database.
  let seed: UInt64
  /// Nil where nothing is encrypted.
  let seal: DiskSeal?
  /// Whether the log has to be on the disk before its pages are moved, and is not yet: with
  /// `normal`. With `full` each commit has put it there, and with `none` nothing does.
  private let syncsLogLate: Bool
  private let checkpointPages: Int
  /// Whether commits go to a log. Without one they change the file that readers see.
  var hasLog: Bool { connection.hasLog }
  /// How much memory changed pages and others may take before they are committed, where the file
  /// cannot be changed earlier.
  private let pageBytesMax: Int
  /// Whether some of the log may never reach the disk.
  private(set) var isLogLost = false
  /// Connections that read without the cache's lock.
  let readers: DiskReaders
  /// How often the log has been moved into the database, or without a log, how often something was
  /// committed. Rows written at a lower age are in the database's file as they were written.
  private(set) var age: UInt32 = 0
  /// Whether the database's file is what a checkpoint, or without a log a commit, left that was
  /// finished.
  private var isSettled = false
  /// Reads of rows that readers did not see, since the latest checkpoint.
  private var unsettledReads = 0
  private var hasSettledForReads = false
  private let begin: SQLiteStatement
  private let commitStatement: SQLiteStatement
  let putStatement: SQLiteStatement
  let deleteStatement: SQLiteStatement
  let getStatement: SQLiteStatement
  let rowStatement: SQLiteStatement
  let keyStatement: SQLiteStatement
  let renewStatement: SQLiteStatement
  let moveRowStatement: SQLiteStatement
  let moveStatement: SQLiteStatement

  /// Opens or makes the database.
  ///
  /// - Parameter syncNames: Called once all of its files exist, and before SQLite syncs its log,
  ///   and with that the folder. Were that to fail, SQLite would take it for success, and so would
  ///   the system a second time.
  init(
    path: String, _ configuration: DiskConfiguration, layer: String?,
    syncNames: () throws(DiskCacheError) -> Void = {}
  ) throws(DiskCacheError) {
    do throws(SQLiteError) {
      connection = try SQLiteConnection(
        path: path, busyMilliseconds: 250, layer: layer,
        gathersWrites: configuration.durability == .none)
      // SQLite opens what it cannot open for writing, be it for want of permission or of a file
      // descriptor, for reading. That says nothing of the file's content.
      if connection.isReadOnly { throw connection.error(SQLITE_READONLY) }
    } catch {
      throw DiskCacheError(error)
    }
    do throws(SQLiteError) {
      try Self.setUp(connection, configuration)
      // Otherwise the first to notice would be a set.
      if connection.isReadOnly { throw connection.error(SQLITE_READONLY) }
    } catch {
      throw Self.failure(error, connection)
    }
    try syncNames()
    syncsLogLate = configuration.durability == .normal
    checkpointPages = max(1, configuration.checkpointPages)
    pageBytesMax = 2 * max(64 << 10, configuration.pageCacheBytes)
    let facts = try Self.findFacts(connection, configuration)
    guard facts.format == Self.format else {
      throw .format(path: path, found: facts.format, expected: Self.format)
    }
    seed = facts.seed
    seal = try Self.findSeal(path, facts, configuration.encryption)
    readers = DiskReaders(path: path, configuration, seal: seal, layer: layer)
    do throws(SQLiteError) {
      begin = try connection.prepare("BEGIN IMMEDIATE")
      commitStatement = try connection.prepare("COMMIT")
      putStatement = try connection.prepare(
        """
        INSERT OR REPLACE INTO entries(id, suite, permanent, bytes, inserted, stored,
          created, expires, cost, checksum, file, mark, version, type, key, value)
        VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
        """)
      deleteStatement = try connection.prepare("DELETE FROM entries WHERE id = ?")
      getStatement = try connection.prepare(Self.getQuery)
      rowStatement = try connection.prepare(Self.rowQuery)
      keyStatement = try connection.prepare("SELECT key, version, type FROM entries WHERE id = ?")
      renewStatement = try connection.prepare(
        """
        UPDATE entries SET created = ?, expires = ?, version = coalesce(?, version),
          key = coalesce(?, key), mark = ?
        WHERE id = ?
        """)
      moveRowStatement = try connection.prepare(Self.moveRowQuery)
      moveStatement = try connection.prepare(Self.moveUpdate)
    } catch {
      throw DiskCacheError(error)
    }
  }

  static let columns =
    "suite, permanent, bytes, inserted, stored, created, expires, cost, checksum, file"
  static let getQuery = "SELECT version, type, key, value FROM entries WHERE id = ?"
  static let rowQuery = "SELECT \(columns), key, value FROM entries WHERE id = ?"

  /// Closes the database now, whoever still holds the index; an open transaction is taken back.
  func close() {
    readers.close()
    rollBack()
    let statements = [
      begin, commitStatement, putStatement, deleteStatement, getStatement, rowStatement,
      keyStatement, renewStatement, moveRowStatement, moveStatement,
    ]
    for statement in statements { statement.finalize() }
    // By its path, which may lead to another cache's journal.
    if !hasLog, !connection.hasMoved { connection.removeJournal() }
    connection.close()
  }

  // MARK: Transactions

  func beginIfNeeded() throws(SQLiteError) {
    if !connection.isInTransaction { try begin.run() }
  }

  func commit() throws(SQLiteError) {
    if isLogLost { throw logLoss }
    guard connection.isInTransaction else { return }
    try commitAlone { () throws(SQLiteError) in try commitStatement.run() }
  }

  /// Does what ends a transaction, or is one of its own. Without a log nobody reads the file
  /// meanwhile, and what was written before it is in the file afterwards.
  func commitAlone(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
    if hasLog { return try body() }
    readers.close()
    isSettled = false
    try body()
    (age, isSettled) = (age &+ 1, true)
  }

  /// Whether the open transaction has to be committed because its pages take too much memory.
  var holdsTooMuch: Bool { !hasLog && connection.pageCacheBytes > pageBytesMax }

  /// Moves the log into the database where it has become long. A failure is of no account: the next
  /// commit tries again.
  ///
  /// - Throws: when some of the log may never reach the disk.
  func checkpointLongLog() throws(SQLiteError) {
    guard connection.pagesInLog >= checkpointPages else { return }
    try? checkpoint(empties: false)
    if isLogLost { throw logLoss }
  }

  /// Moves all of the log into the database.
  ///
  /// A log that could not be synced is not synced once more: the system may then say that it is on
  /// the disk without having written it. Were its pages moved, a power cut could leave a database
  /// of which some pages are older than others.
  func checkpoint(empties: Bool = true) throws(SQLiteError) {
    if isLogLost { throw logLoss }
    guard hasLog else { return try settle() }
    let isChanged = !isSettled || connection.pagesInLog > 0
    if isChanged {
      // Readers see the database's file, which is about to change.
      readers.close()
      isSettled = false
    }
    unsettledReads = 0
    do throws(SQLiteError) {
      guard try connection.checkpoint(empties: empties) else { return }
      if isChanged { (age, isSettled) = (age &+ 1, true) }
    } catch {
      guard syncsLogLate, error.isSyncFailure else { throw error }
      isLogLost = true
      throw logLoss
    }
  }

  /// Lets readers see the file where there is no log, once what a failed commit may have left in it
  /// was taken back.
  private func settle() throws(SQLiteError) {
    unsettledReads = 0
    guard !isSettled, !connection.isInTransaction else { return }
    _ = try connection.number("PRAGMA schema_version")
    (age, isSettled) = (age &+ 1, true)
  }

  /// Whether readers find a row that was written at this age in the database's file.
  func isSettled(_ age: UInt32) -> Bool { isSettled && age < self.age }

  /// Notes that a row was read with the cache's lock because it is still in the log. Once that has
  /// cost about as much as a checkpoint does, the log is moved into the database. A failure is of
  /// no account to who reads.
  func noteUnsettledRead() {
    unsettledReads += 1
    let pages = connection.pagesInLog
    // What an earlier process left in the log, if anything, is not counted in its pages.
    let isFirst = pages == 0 && !isSettled && !hasSettledForReads
    guard unsettledReads >= (isFirst ? readers.firstRead : max(5_000, pages * 4)),
      !connection.isInTransaction
    else { return }
    hasSettledForReads = true
    try? checkpoint(empties: false)
  }

  /// What is to be done is the same as with a damaged database.
  var logLoss: SQLiteError {
    SQLiteError(
      code: SQLITE_CORRUPT, message: "its log could not be flushed to the disk",
      path: connection.path)
  }

  /// Takes an open transaction back. Nothing to say when that fails: SQLite has done it then.
  func rollBack() {
    if connection.isInTransaction { try? connection.execute("ROLLBACK") }
  }

  /// Whether every page of the database belongs where it is. O(database): for when rows or values
  /// were found damaged. Rows that say what none can must have been deleted.
  func isSound() throws(SQLiteError) -> Bool { try connection.isSound() }

  /// True where the file has pages that hold nothing. O(1).
  var hasFreePages: Bool { freePages > 0 }

  private var freePages: Int64 { (try? connection.number("PRAGMA freelist_count")) ?? 0 }

  /// True where more than half of a file of some size holds nothing. O(1).
  var isMostlyFree: Bool {
    let free = freePages
    return free > 256 && free * 2 > (try? connection.number("PRAGMA page_count")) ?? .max
  }

  /// Gives pages that nothing stands in back to the file system.
  func shrink() throws(SQLiteError) {
    try commitAlone { () throws(SQLiteError) in
      try connection.execute("PRAGMA incremental_vacuum")
    }
    try checkpoint()
  }
}
