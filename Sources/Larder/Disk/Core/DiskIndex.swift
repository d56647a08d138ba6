import LarderEngine

/// The database of a disk cache: a row for each entry, and the names of the suites.
///
/// Statements are prepared once. The row's number is the object id that the policy knows.
final class DiskIndex {
  static let format: Int64 = 2
  /// "Lard", so that a database is known as one of ours.
  private static let application: Int64 = 0x4c61_7264

  let connection: SQLiteConnection
  /// What keys are hashed with: drawn once for each database.
  let seed: UInt64
  /// Nil where nothing is encrypted.
  let seal: DiskSeal?
  private let begin: SQLiteStatement
  private let commitStatement: SQLiteStatement
  let putStatement: SQLiteStatement
  let deleteStatement: SQLiteStatement
  let getStatement: SQLiteStatement
  let rowStatement: SQLiteStatement
  let keyStatement: SQLiteStatement
  let renewStatement: SQLiteStatement

  /// Opens or makes the database.
  init(
    path: String, _ configuration: DiskConfiguration, layer: String?
  ) throws(DiskCacheError) {
    let found: Int64?
    do throws(SQLiteError) {
      connection = try SQLiteConnection(path: path, busyMilliseconds: 250, layer: layer)
      try Self.setUp(connection, configuration)
      found = try Self.otherFormat(connection)
    } catch {
      throw DiskCacheError(error)
    }
    if let found { throw .format(path: path, found: found, expected: Self.format) }
    do throws(SQLiteError) {
      try Self.makeTables(connection, configuration.encryption)
    } catch {
      throw DiskCacheError(error)
    }
    seal = try Self.findSeal(connection, configuration.encryption)
    do throws(SQLiteError) {
      seed = UInt64(
        bitPattern: try connection.number("SELECT value FROM facts WHERE name = 'seed'"))
      begin = try connection.prepare("BEGIN IMMEDIATE")
      commitStatement = try connection.prepare("COMMIT")
      putStatement = try connection.prepare(
        """
        INSERT OR REPLACE INTO entries(id, suite, permanent, bytes, inserted, stored,
          created, expires, cost, checksum, file, version, type, key, value)
        VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
        """)
      deleteStatement = try connection.prepare("DELETE FROM entries WHERE id = ?")
      getStatement = try connection.prepare(
        "SELECT version, type, key, value FROM entries WHERE id = ?")
      rowStatement = try connection.prepare(
        "SELECT \(Self.columns), key, value FROM entries WHERE id = ?")
      keyStatement = try connection.prepare("SELECT key FROM entries WHERE id = ?")
      renewStatement = try connection.prepare(
        """
        UPDATE entries SET created = ?, expires = ?, version = coalesce(?, version),
          key = coalesce(?, key)
        WHERE id = ?
        """)
    } catch {
      throw DiskCacheError(error)
    }
  }

  static let columns =
    "suite, permanent, bytes, inserted, stored, created, expires, cost, checksum, file"

  private static func setUp(
    _ connection: SQLiteConnection, _ configuration: DiskConfiguration
  ) throws(SQLiteError) {
    let synchronous =
      switch configuration.durability {
      case .none: "OFF"
      case .normal: "NORMAL"
      case .full: "FULL"
      }
    try connection.execute(
      """
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = \(synchronous);
      PRAGMA cache_size = -\(max(64, configuration.pageCacheBytes >> 10));
      PRAGMA wal_autocheckpoint = \(max(1, configuration.checkpointPages));
      PRAGMA temp_store = MEMORY;
      """)
  }

  /// The format of a database that is not one of ours, or not of this version; 0 is no cache.
  private static func otherFormat(_ connection: SQLiteConnection) throws(SQLiteError) -> Int64? {
    guard try connection.number("SELECT count(*) FROM sqlite_master") > 0 else { return nil }
    guard try connection.number("PRAGMA application_id") == application else { return 0 }
    let found = try connection.number("PRAGMA user_version")
    return found == format ? nil : found
  }

  private static func makeTables(
    _ connection: SQLiteConnection, _ encryption: DiskEncryption?
  ) throws(SQLiteError) {
    let tables = "SELECT count(*) FROM sqlite_master WHERE name = 'facts'"
    guard try connection.number(tables) == 0 else { return }
    let seed = Int64(bitPattern: UInt64.random(in: .min ... .max))
    // All at once: a database that is to be encrypted never is there without its salt.
    var seal = ""
    if let fact = encryption.flatMap({ DiskSeal.newFact($0) }) {
      let digits = fact.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      seal = "INSERT INTO facts VALUES('seal', x'\(digits)');"
    }
    try connection.execute(
      """
      BEGIN IMMEDIATE;
      CREATE TABLE facts(name TEXT PRIMARY KEY, value);
      CREATE TABLE suites(id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE);
      CREATE TABLE entries(
        id INTEGER PRIMARY KEY, suite INTEGER NOT NULL, permanent INTEGER NOT NULL,
        bytes INTEGER NOT NULL, inserted INTEGER NOT NULL, stored INTEGER NOT NULL,
        created INTEGER NOT NULL, expires INTEGER NOT NULL, cost REAL NOT NULL,
        checksum INTEGER NOT NULL, file INTEGER NOT NULL, version TEXT, type TEXT,
        key BLOB NOT NULL, value BLOB);
      INSERT INTO facts VALUES('seed', \(seed));
      \(seal)
      PRAGMA application_id = \(application);
      PRAGMA user_version = \(format);
      COMMIT;
      """)
  }

  /// What opens and seals what the database holds, nil when it is not encrypted.
  private static func findSeal(
    _ connection: SQLiteConnection, _ encryption: DiskEncryption?
  ) throws(DiskCacheError) -> DiskSeal? {
    var isSealed = false
    var seal: DiskSeal?
    do throws(SQLiteError) {
      let fact = try connection.prepare("SELECT value FROM facts WHERE name = 'seal'")
      isSealed = try fact.step()
      if isSealed, let encryption { seal = DiskSeal(encryption, fact: fact.blob(0)) }
      fact.reset()
    } catch {
      throw DiskCacheError(error)
    }
    switch (isSealed, encryption == nil) {
    case (false, true): return nil
    case (false, false): throw .encryption(path: connection.path, .notEncrypted)
    case (true, true): throw .encryption(path: connection.path, .keyMissing)
    case (true, false):
      guard let seal else { throw .encryption(path: connection.path, .wrongKey) }
      return seal
    }
  }

  // MARK: Transactions

  func beginIfNeeded() throws(SQLiteError) {
    if !connection.isInTransaction { try begin.run() }
  }

  func commit() throws(SQLiteError) {
    if connection.isInTransaction { try commitStatement.run() }
  }

  /// Takes an open transaction back. Nothing to say when that fails: SQLite has done it then.
  func rollBack() {
    if connection.isInTransaction { try? connection.execute("ROLLBACK") }
  }

  /// Gives pages that nothing stands in back to the file system.
  func shrink() throws(SQLiteError) {
    try connection.execute("PRAGMA incremental_vacuum")
    try connection.checkpoint()
  }
}
