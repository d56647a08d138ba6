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
