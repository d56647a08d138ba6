import LarderEngine

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
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

/// How a database is made, and known as one of ours.
extension DiskIndex {
  static let format: Int64 = 3
  /// "Lard", so that a database is known as one of ours.
  static let application: Int64 = 0x4c61_7264

  static let entriesTable = """
    CREATE TABLE entries(
      id INTEGER PRIMARY KEY, suite INTEGER NOT NULL, permanent INTEGER NOT NULL,
      bytes INTEGER NOT NULL, inserted INTEGER NOT NULL, stored INTEGER NOT NULL,
      created INTEGER NOT NULL, expires INTEGER NOT NULL, cost REAL NOT NULL,
      checksum INTEGER NOT NULL, file INTEGER NOT NULL, mark INTEGER NOT NULL,
      version TEXT, type TEXT, key BLOB NOT NULL, value BLOB)
    """
  static let suitesTable =
    "CREATE TABLE suites(id INTEGER PRIMARY KEY, mark INTEGER NOT NULL, name BLOB NOT NULL UNIQUE)"

  static func setUp(
    _ connection: SQLiteConnection, _ configuration: DiskConfiguration
  ) throws(SQLiteError) {
    // What is never synced needs no log that is synced in place of the database. With a journal of
    // what pages were, a new page is written once, where a log has it written twice and read once.
    let (journal, synchronous) =
      switch configuration.durability {
      case .none: ("PERSIST", "OFF")
      case .normal: ("WAL", "NORMAL")
      case .full: ("WAL", "FULL")
      }
    // Apple's fsync leaves bytes in the drive's cache; elsewhere these say nothing to SQLite.
    let full = configuration.durability == .full ? "ON" : "OFF"
    try connection.execute(
      """
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = \(journal);
      PRAGMA journal_size_limit = \(configuration.durability == .none ? journalBytesMax : -1);
      PRAGMA synchronous = \(synchronous);
      PRAGMA fullfsync = \(full);
      PRAGMA checkpoint_fullfsync = \(full);
      PRAGMA cache_size = -\(max(64, configuration.pageCacheBytes >> 10));
      PRAGMA temp_store = MEMORY;
      PRAGMA secure_delete = FAST;
      """)
    try connection.findLog()
    // Readers see the database's file, which without a log must not change before a commit.
    if !connection.hasLog { try connection.execute("PRAGMA cache_spill = OFF") }
    // SQLite's own checkpoints say nothing of a failure, and do it again as if nothing had been.
    try connection.countLogPages()
    // SQLite makes the log with the first read.
    if connection.hasLog { _ = try connection.number("PRAGMA schema_version") }
  }

  /// Bytes that a journal keeps after a commit, to be written over by the next.
  private static var journalBytesMax: Int { 8 << 20 }

  /// The facts of a database, which are made where it is empty.
  static func findFacts(
    _ connection: SQLiteConnection, _ configuration: DiskConfiguration
  ) throws(DiskCacheError) -> DiskFacts {
    do throws(SQLiteError) {
      let tables = try readTables(connection)
      if tables.isEmpty { return try makeTables(connection, configuration.encryption) }
      let isOurs = try connection.number("PRAGMA application_id") == application
      let version = try connection.number("PRAGMA user_version")
      let hasEntries = tables["entries"] == entriesTable
      if tables["facts"] == DiskFacts.table, let facts = try DiskFacts(of: connection) {
        guard facts.format == format else { return facts }
        guard hasEntries, tables["suites"] == suitesTable, tables.count == 5 else {
          throw damage(connection, "it does not have the tables of a cache")
        }
        if !isOurs || version != format { repairHeader(connection) }
        return facts
      }
      // Another program's database, or another format's, is nothing to be set aside. One with a
      // table of ours is ours, unless its header names a format that there may be one day.
      let hasTable =
        hasEntries || tables["suites"] == suitesTable || tables["facts"] == DiskFacts.table
      let isOtherFormat = isOurs && version != format && 1...1000 ~= version
      if hasTable ? isOtherFormat && !hasEntries : !isOurs || version != format {
        return DiskFacts(format: isOurs ? version : 0, seed: 0, seal: Data())
      }
      throw damage(connection, "its facts table is incomplete")
    } catch {
      throw DiskCacheError(error)
    }
  }

  /// An error that says the same of the database as SQLite's own when it finds damage.
  private static func damage(_ connection: SQLiteConnection, _ message: String) -> SQLiteError {
    SQLiteError(code: SQLITE_CORRUPT, message: message, path: connection.path)
  }

  static func cannotEncrypt(_ connection: SQLiteConnection) -> SQLiteError {
    SQLiteError(code: SQLITE_NOMEM, message: "cannot encrypt", path: connection.path)
  }

  /// The texts that made everything in a database, by name; that of what SQLite makes is empty.
  private static func readTables(
    _ connection: SQLiteConnection
  ) throws(SQLiteError) -> [String: String] {
    let scan = try connection.prepare("SELECT name, sql FROM sqlite_master")
    defer { scan.finalize() }
    var tables: [String: String] = [:]
    while try scan.step() { tables[scan.text(0) ?? ""] = scan.text(1) ?? "" }
    return tables
  }

  /// Should it fail, the database is as good as before, and the next opening tries again.
  private static func repairHeader(_ connection: SQLiteConnection) {
    try? connection.execute(
      "PRAGMA application_id = \(application); PRAGMA user_version = \(format)")
  }

  private static func makeTables(
    _ connection: SQLiteConnection, _ encryption: DiskEncryption?
  ) throws(SQLiteError) -> DiskFacts {
    var facts = DiskFacts(format: format, seed: UInt64.random(in: .min ... .max), seal: Data())
    if let encryption {
      guard let seal = DiskSeal.newFact(encryption) else { throw cannotEncrypt(connection) }
      facts.seal = seal
    }
    // All at once: a database that is to be encrypted never exists without its salt.
    try connection.execute(
      """
      BEGIN IMMEDIATE;
      \(DiskFacts.table);
      \(suitesTable);
      \(entriesTable);
      \(facts.inserts)
      PRAGMA application_id = \(application);
      PRAGMA user_version = \(format);
      COMMIT;
      """)
    return facts
  }

  /// What opens and seals what the database holds, nil when it is not encrypted.
  static func findSeal(
    _ path: String, _ facts: DiskFacts, _ encryption: DiskEncryption?
  ) throws(DiskCacheError) -> DiskSeal? {
    guard let encryption else {
      guard facts.seal.isEmpty else { throw .encryption(path: path, .keyMissing) }
      return nil
    }
    guard !facts.seal.isEmpty else { throw .encryption(path: path, .notEncrypted) }
    // The fact is whole: it is the key that does not fit it.
    guard let seal = facts.seal.withUnsafeBytes({ DiskSeal(encryption, fact: $0) }) else {
      throw .encryption(path: path, .wrongKey)
    }
    return seal
  }

  /// What an error met when opening means: a file that was opened for writing and then is for
  /// reading alone has a header that says so, which is damage.
  static func failure(_ error: SQLiteError, _ connection: SQLiteConnection) -> DiskCacheError {
    guard error.primaryCode == SQLITE_READONLY, connection.isReadOnly else {
      return DiskCacheError(error)
    }
    return .database(
      path: error.path, code: SQLITE_CORRUPT, message: "the header of the file forbids writing")
  }
}

/// What a database says of itself, with a checksum over all of it: damage to the salt or to the
/// text by which a key is known can be told from another key, and a damaged header of the file from
/// another format.
///
/// The table `facts` is the same in every format: a row with `format`, one with `seed`, one with
/// `seal`, which is empty where nothing is encrypted, and one with `mark`, their checksum. Rows
/// that name the codec of a suite have checksums of their own.
struct DiskFacts {
  static let table = "CREATE TABLE facts(name TEXT PRIMARY KEY, value)"

  var format: Int64
  /// What keys are hashed with.
  var seed: UInt64
  /// Salt and a sealed text; see `DiskSeal`. Empty where nothing is encrypted.
  var seal: Data

  init(format: Int64, seed: UInt64, seal: Data) {
    self.format = format
    self.seed = seed
    self.seal = seal
  }

  /// The facts of a database, or nil when they are not whole.
  init?(of connection: SQLiteConnection) throws(SQLiteError) {
    let scan = try connection.prepare("SELECT name, value FROM facts")
    defer { scan.finalize() }
    var numbers: [String: Int64] = [:]
    var seal: Data?
    while try scan.step() {
      let name = scan.text(0) ?? ""
      if name == "seal" {
        seal = Data(scan.blob(1))
      } else {
        numbers[name] = scan.number(1)
      }
    }
    guard let format = numbers["format"], let seed = numbers["seed"], let seal else { return nil }
    self.init(format: format, seed: UInt64(bitPattern: seed), seal: seal)
    guard numbers["mark"] == mark else { return nil }
  }

  /// The statements that write them.
  var inserts: String {
    let digits = seal.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return """
      INSERT INTO facts VALUES('format', \(format));
      INSERT INTO facts VALUES('seed', \(Int64(bitPattern: seed)));
      INSERT INTO facts VALUES('seal', x'\(digits)');
      INSERT INTO facts VALUES('mark', \(mark));
      """
  }

  var mark: Int64 {
    let numbers = [UInt64(bitPattern: format).littleEndian, seed.littleEndian]
    let hash = numbers.withUnsafeBytes { ByteHash.hash($0, seed: 0x4c61_7264_6572) }
    return Int64(bitPattern: seal.withUnsafeBytes { ByteHash.hash($0, seed: hash) })
  }
}

extension DiskIndex {
  /// The names of the suites, by number. Those that are damaged or were tampered with are only
  /// counted.
  func suites() throws(SQLiteError) -> (names: [(UInt32, String)], damaged: Int) {
    let scan = try connection.prepare("SELECT id, mark, name FROM suites ORDER BY id")
    defer { scan.finalize() }
    var suites: [(UInt32, String)] = []
    var damaged = 0
    while try scan.step() {
      let bytes = scan.blob(2)
      guard let number = UInt32(exactly: scan.number(0)), number > 0,
        suiteMark(number, bytes) == scan.number(1)
      else {
        damaged += 1
        continue
      }
      let name = seal.map { $0.openSuite(bytes, number: number) }
      switch name {
      case .none: suites.append((number, String(decoding: bytes, as: UTF8.self)))
      case .some(.some(let name)): suites.append((number, name))
      case .some(.none): damaged += 1
      }
    }
    return (suites, damaged)
  }

  private func suiteMark(_ number: UInt32, _ name: UnsafeRawBufferPointer) -> Int64 {
    Int64(bitPattern: ByteHash.hash(name, seed: seed ^ UInt64(number) << 32 ^ 0x7375_6974))
  }

  private static var largestFact: String { "largest suite" }

  /// The largest number of a suite that was removed, 0 where none was.
  func largestSuite() throws(SQLiteError) -> UInt32 {
    let number = try connection.number(
      "SELECT value FROM facts WHERE name = '\(Self.largestFact)'")
    return UInt32(exactly: number) ?? 0
  }

  /// Removes suites in the open transaction, with what is recorded of their codecs.
  func removeSuites(_ numbers: [UInt32], largest: UInt32) throws(SQLiteError) {
    try connection.execute(
      "INSERT OR REPLACE INTO facts VALUES('\(Self.largestFact)', \(largest))")
    for number in numbers {
      try connection.execute(
        """
        DELETE FROM suites WHERE id = \(number);
        DELETE FROM facts WHERE name = '\(Self.codecFact)\(number)'
        """)
    }
  }

  /// Writes the names of all suites anew, over zeros: pages that were split hold copies of names
  /// that deleting a row does not reach. O(suites).
  func wipeSuites() throws(SQLiteError) {
    defer { try? connection.execute("PRAGMA secure_delete = FAST") }
    try connection.execute("PRAGMA secure_delete = ON")
    try connection.execute(
      """
      CREATE TEMP TABLE kept AS SELECT * FROM suites;
      DELETE FROM suites;
      INSERT INTO suites SELECT * FROM kept;
      DROP TABLE kept
      """)
  }

  func addSuite(_ number: UInt32, _ name: String) throws(SQLiteError) {
    var bytes = Data(name.utf8)
    if let seal {
      guard let sealed = seal.sealSuite(name, number: number) else {
        throw Self.cannotEncrypt(connection)
      }
      bytes = sealed
    }
    let insert = try connection.prepare("INSERT OR REPLACE INTO suites VALUES(?, ?, ?)")
    defer { insert.finalize() }
    try insert.bind(1, Int64(number))
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(SQLiteError) in
        try insert.bind(2, suiteMark(number, buffer))
        try insert.bindBytes(3, buffer)
        try commitAlone { () throws(SQLiteError) in try insert.run() }
      }
    }
    try result.get()
  }
}

extension DiskIndex {
  static var codecFact: String { "codec " }

  /// The identities of the codecs whose values the suites hold, by the number of the suite. In an
  /// encrypted database, too, they are plain text. A damaged one is left out: it must not keep the
  /// suite from being used.
  func codecs() throws(SQLiteError) -> [UInt32: String] {
    let scan = try connection.prepare(
      "SELECT substr(name, \(Self.codecFact.utf8.count + 1)), value FROM facts "
        + "WHERE name LIKE '\(Self.codecFact)%'")
    defer { scan.finalize() }
    var codecs: [UInt32: String] = [:]
    while try scan.step() {
      guard let number = scan.text(0).flatMap({ UInt32($0) }),
        let parts = scan.text(1)?.split(separator: " ", maxSplits: 1), parts.count == 2,
        parts[0] == codecMark(String(parts[1]), number)
      else { continue }
      codecs[number] = String(parts[1])
    }
    return codecs
  }

  /// What stands before an identity, so that a damaged one is known.
  private func codecMark(_ identity: String, _ suite: UInt32) -> String {
    let hash = Array(identity.utf8).withUnsafeBytes {
      ByteHash.hash($0, seed: seed ^ UInt64(suite))
    }
    return String(hash, radix: 16)
  }

  /// Records the codec whose values a suite holds.
  func setCodec(_ identity: String, suite: UInt32) throws(SQLiteError) {
    let insert = try connection.prepare("INSERT OR REPLACE INTO facts VALUES(?, ?)")
    defer { insert.finalize() }
    try insert.bind(1, "\(Self.codecFact)\(suite)")
    try insert.bind(2, "\(codecMark(identity, suite)) \(identity)")
    try commitAlone { () throws(SQLiteError) in try insert.run() }
  }
}
