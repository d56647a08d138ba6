/// Commits of a database, and the state of its file, which readers see without the cache's lock.
///
/// Commits go to a write-ahead log, which a checkpoint moves into the file. With durability `none`
/// there is no log: a rollback journal makes commits atomic, and they change the file itself. All
/// that differs between the two is here.
final class DiskLog {
  private let connection: SQLiteConnection
  private let readers: DiskReaders
  private let isAhead: Bool
  /// True if the log must be synced before its pages are moved, and is not synced yet: with
  /// `normal`. With `full` each commit has synced it, and with `none` nothing is synced.
  private let syncsLate: Bool
  private let checkpointPages: Int
  private let isShared: Bool
  private let pageBytesMax: Int
  private let begin: SQLiteStatement
  private let commitStatement: SQLiteStatement
  /// True if part of the log may never reach the disk: the next call closes the database, which
  /// leaves the log in place, and opens it, which rewrites the log.
  private(set) var isLost = false
  private(set) var age: UInt32 = 0
  /// True if the database's file is the result of a finished checkpoint, or without a log of a
  /// finished commit.
  private var isSettled = false
  /// Number of transactions begun that may change rows.
  private(set) var transactions = 0
  /// True until a transaction is committed or rolled back here: SQLite ends it by itself when a
  /// page cannot be read, also where that is ignored.
  private var hasBegun = false
  private var mayNameSnapshot = true
  private var unsettledReads = 0
  private var hasSettledForReads = false

  init(
    _ connection: SQLiteConnection, _ configuration: DiskConfiguration, _ readers: DiskReaders
  ) throws(SQLiteError) {
    self.connection = connection
    self.readers = readers
    isAhead = connection.hasLog
    syncsLate = configuration.durability == .normal
    checkpointPages = max(1, configuration.checkpointPages)
    isShared = configuration.isShared
    pageBytesMax = 2 * max(64 << 10, configuration.pageCacheBytes)
    begin = try connection.prepare("BEGIN IMMEDIATE")
    commitStatement = try connection.prepare("COMMIT")
  }

  static func settings(_ durability: DiskDurability) -> String {
    // Without syncs a log that is synced in place of the database has no use. With a rollback
    // journal a new page is written once, where a log writes it twice and reads it once.
    let (journal, synchronous) =
      switch durability {
      case .none: ("PERSIST", "OFF")
      case .normal: ("WAL", "NORMAL")
      case .full: ("WAL", "FULL")
      }
    return """
      PRAGMA journal_mode = \(journal);
      PRAGMA journal_size_limit = \(durability == .none ? journalBytesMax : -1);
      PRAGMA synchronous = \(synchronous);
      """
  }

  private static var journalBytesMax: Int { 8 << 20 }

  static func setUp(_ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.findLog()
    // Readers see the database's file, which without a log must not change before a commit.
    if !connection.hasLog { try connection.execute("PRAGMA cache_spill = OFF") }
    // SQLite's own checkpoints report no failure, and are repeated as if nothing had happened.
    try connection.countLogPages()
    // SQLite creates the log with the first read.
    if connection.hasLog { _ = try connection.number("PRAGMA schema_version") }
  }

  func close() {
    begin.finalize()
    commitStatement.finalize()
    if isLost { connection.leaveLog() }
    // SQLite empties the log that it keeps.
    if isShared { try? connection.execute("PRAGMA journal_size_limit = 0") }
    // By its path, which may lead to another cache's journal.
    if !isAhead, !connection.hasMoved { connection.removeJournal() }
  }

  /// Removes the journal that a process with durability `none` left when it was killed: once the
  /// database has a log, every necessary rollback has been done.
  func removeJournal(in folder: DiskFolder) { if isAhead { folder.removeJournal() } }

  func emptyJournal(in folder: DiskFolder) { if !isAhead { folder.emptyJournal() } }

  /// Begins a transaction, from whose commit on no snapshot is named.
  func beginIfNeeded() throws(SQLiteError) {
    if try isInTransaction() { return }
    transactions += 1
    try begin.run()
    hasBegun = true
    guard mayNameSnapshot else { return }
    do throws(SQLiteError) {
      try connection.execute(DiskFacts.name(snapshot: 0))
    } catch {
      rollBack()
      throw error
    }
  }

  /// Names the snapshot whose slots are what the rows are.
  func name(snapshot generation: UInt64) throws(SQLiteError) {
    mayNameSnapshot = true
    try commitAlone { () throws(SQLiteError) in
      try connection.execute(DiskFacts.name(snapshot: generation))
    }
  }

  func commit() throws(SQLiteError) {
    guard try isInTransaction() else { return }
    try commitAlone { () throws(SQLiteError) in try commitStatement.run() }
    (mayNameSnapshot, hasBegun) = (false, false)
  }

  private func isInTransaction() throws(SQLiteError) -> Bool {
    if connection.isInTransaction { return true }
    if hasBegun { throw connection.rollBackError }
    return false
  }

  /// Runs a commit, or a change that is its own transaction. Without a log readers are excluded
  /// meanwhile, and everything written before is in the file afterwards.
  func commitAlone(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
    if isAhead { return try body() }
    readers.close()
    isSettled = false
    try body()
    (age, isSettled) = (age &+ 1, true)
  }

  var holdsTooMuch: Bool { !isAhead && connection.pageCacheBytes > pageBytesMax }

  func checkpointLongLog() {
    if connection.pagesInLog >= checkpointPages { try? checkpoint(empties: false) }
  }

  /// Pages of a log that is lost: if fewer are found later, the system has forgotten some.
  var pagesAtRisk: Int { isLost ? connection.pagesInLog : 0 }

  /// Moves all of the log into the database.
  ///
  /// A log whose sync failed is not synced again: the system may then report success without having
  /// written it. If its pages were moved, a power cut could leave a database with pages of
  /// different ages. A failed sync is no error: commits are in the log.
  ///
  /// - Parameter pages: Number of pages that the log must have, if it is not emptied.
  func checkpoint(empties: Bool = true, of pages: Int = 0) throws(SQLiteError) {
    if isLost { return }
    guard isAhead else { return try settle() }
    let isChanged = !isSettled || connection.pagesInLog > 0
    if isChanged {
      // Readers see the database's file, which is about to change.
      readers.close()
      isSettled = false
    }
    unsettledReads = 0
    do throws(SQLiteError) {
      guard try connection.checkpoint(empties: empties, of: pages) else { return }
      if isChanged { (age, isSettled) = (age &+ 1, true) }
    } catch {
      // A reader in another process needs a part of the log: the next checkpoint moves it.
      if error.isBusy { return }
      guard syncsLate, error.isSyncFailure else { throw error }
      isLost = true
    }
  }

  /// Admits readers to the file of a database without a log, after the remains of a failed commit
  /// were rolled back.
  private func settle() throws(SQLiteError) {
    unsettledReads = 0
    guard !isSettled, !connection.isInTransaction else { return }
    _ = try connection.number("PRAGMA schema_version")
    (age, isSettled) = (age &+ 1, true)
  }

  func isSettled(_ age: UInt32) -> Bool { isSettled && age < self.age }

  /// Counts a row read with the cache's lock because it is still in the log. Once such reads have
  /// cost about as much as a checkpoint, moves the log into the database. Failures do not concern
  /// the reader.
  func noteUnsettledRead() {
    unsettledReads += 1
    let pages = connection.pagesInLog
    // A log left by an earlier process is not counted in the pages.
    let isFirst = pages == 0 && !isSettled && !hasSettledForReads
    guard unsettledReads >= (isFirst ? readers.firstRead : max(5_000, pages * 4)),
      !connection.isInTransaction
    else { return }
    hasSettledForReads = true
    try? checkpoint(empties: false)
  }

  func rollBack() {
    if connection.isInTransaction { try? connection.execute("ROLLBACK") }
    hasBegun = false
  }
}
