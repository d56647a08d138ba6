import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The database of a disk cache: a row for each entry, and the names of the suites.
///
/// Statements are prepared once. The row's number is the object id that the policy knows.
final class DiskIndex {
  static let format: Int64 = 1
  /// "Lard", so that a database is known as one of ours.
  private static let application: Int64 = 0x4c61_7264

  let connection: SQLiteConnection
  /// What keys are hashed with: drawn once for each database.
  let seed: UInt64
  private let begin: SQLiteStatement
  private let commitStatement: SQLiteStatement
  private let putStatement: SQLiteStatement
  private let deleteStatement: SQLiteStatement
  private let getStatement: SQLiteStatement
  private let keyStatement: SQLiteStatement
  private let renewStatement: SQLiteStatement

  /// Opens or makes the database.
  init(path: String, _ configuration: DiskConfiguration) throws(DiskCacheError) {
    let found: Int64?
    do throws(SQLiteError) {
      connection = try SQLiteConnection(path: path, busyMilliseconds: 250)
      try Self.setUp(connection, configuration)
      found = try Self.otherFormat(connection)
    } catch {
      throw DiskCacheError(error)
    }
    if let found { throw .format(path: path, found: found, expected: Self.format) }
    do throws(SQLiteError) {
      try Self.makeTables(connection)
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
      keyStatement = try connection.prepare("SELECT key FROM entries WHERE id = ?")
      renewStatement = try connection.prepare(
        """
        UPDATE entries SET created = ?, expires = ?, version = coalesce(?, version) WHERE id = ?
        """)
    } catch {
      throw DiskCacheError(error)
    }
  }

  private static let columns =
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

  private static func makeTables(_ connection: SQLiteConnection) throws(SQLiteError) {
    let seed = Int64(bitPattern: UInt64.random(in: .min ... .max))
    try connection.execute(
      """
      BEGIN IMMEDIATE;
      CREATE TABLE IF NOT EXISTS facts(name TEXT PRIMARY KEY, value);
      CREATE TABLE IF NOT EXISTS suites(id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE);
      CREATE TABLE IF NOT EXISTS entries(
        id INTEGER PRIMARY KEY, suite INTEGER NOT NULL, permanent INTEGER NOT NULL,
        bytes INTEGER NOT NULL, inserted INTEGER NOT NULL, stored INTEGER NOT NULL,
        created INTEGER NOT NULL, expires INTEGER NOT NULL, cost REAL NOT NULL,
        checksum INTEGER NOT NULL, file INTEGER NOT NULL, version TEXT, type TEXT,
        key BLOB NOT NULL, value BLOB);
      INSERT OR IGNORE INTO facts VALUES('seed', \(seed));
      PRAGMA application_id = \(application);
      PRAGMA user_version = \(format);
      COMMIT;
      """)
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

  // MARK: Entries

  /// Stores a row over whatever has its id. `value` is nil when it stands in a file.
  func put(
    _ id: ObjectID, _ row: DiskRow, _ options: DiskStoreOptions, key: UnsafeRawBufferPointer,
    value: UnsafeRawBufferPointer?
  ) throws(SQLiteError) {
    try putStatement.bind(1, Int64(id))
    try putStatement.bind(2, Int64(row.suite))
    try putStatement.bind(3, Int64(row.isPermanent ? 1 : 0))
    try putStatement.bind(4, Int64(row.bytes))
    try putStatement.bind(5, Int64(bitPattern: row.inserted))
    try putStatement.bind(6, Int64(bitPattern: row.stored))
    try putStatement.bind(7, Int64(bitPattern: row.created))
    try putStatement.bind(8, Int64(bitPattern: row.expires))
    try putStatement.bind(9, Double(row.cost))
    try putStatement.bind(10, Int64(bitPattern: row.checksum))
    try putStatement.bind(11, Int64(bitPattern: row.file))
    try putStatement.bind(12, options.version)
    try putStatement.bind(13, options.contentType)
    try putStatement.bindBytes(14, key)
    try putStatement.bindBytes(15, value)
    try putStatement.run()
  }

  func delete(_ id: ObjectID) throws(SQLiteError) {
    try deleteStatement.bind(1, Int64(id))
    try deleteStatement.run()
  }

  /// Gives a row another life, and another version where there is one. Its value is not written
  /// again: SQLite changes, in place, the page on which the row begins.
  func renew(_ id: ObjectID, _ life: DiskLife, version: String?) throws(SQLiteError) {
    try renewStatement.bind(1, Int64(bitPattern: life.created))
    try renewStatement.bind(2, Int64(bitPattern: life.expires))
    try renewStatement.bind(3, version)
    try renewStatement.bind(4, Int64(id))
    try renewStatement.run()
  }

  /// Calls `body` with the key of a row, whose bytes live as long as the call.
  func withKey(
    of id: ObjectID, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(SQLiteError) {
    try keyStatement.bind(1, Int64(id))
    defer { keyStatement.reset() }
    if try keyStatement.step() { body(keyStatement.blob(0)) }
  }

  /// Whether the entry of an id is this key's, and not that of another with the same digest.
  func isKey(
    _ key: UnsafeRawBufferPointer, of id: ObjectID, _ slot: DiskSlot
  ) throws(SQLiteError) -> Bool {
    if let stored = slot.key { return stored.elementsEqual(key) }
    var isSame = false
    try withKey(of: id) { isSame = $0.count == key.count && $0.elementsEqual(key) }
    return isSame
  }

  /// The entry with this id, or nil when there is none or it is another key's.
  ///
  /// A value in the row is checked, and copied when it is whole.
  func read(
    _ id: ObjectID, _ slot: DiskSlot, _ key: DiskKey
  ) throws(SQLiteError) -> DiskReading? {
    try getStatement.bind(1, Int64(id))
    defer { getStatement.reset() }
    guard try getStatement.step() else { return nil }
    let stored = getStatement.blob(2)
    guard stored.count == key.bytes.count, stored.elementsEqual(key.bytes) else { return nil }
    var reading = DiskReading(
      version: getStatement.text(0), contentType: getStatement.text(1))
    if slot.file == 0 {
      let value = getStatement.blob(3)
      if value.count == Int(slot.bytes),
        ByteHash.hash(value, seed: key.digest.checksumSeed) == slot.checksum
      {
        reading.value = value.baseAddress.map { Data(bytes: $0, count: value.count) } ?? Data()
      }
    }
    return reading
  }

  /// Calls `body` with every row, its key, whose bytes live as long as the call, and whether the
  /// row has a version or a content type. O(entries).
  func scan(
    _ body: (ObjectID, DiskRow, UnsafeRawBufferPointer, _ hasText: Bool) -> Void
  ) throws(SQLiteError) {
    let scan = try connection.prepare(
      "SELECT id, \(Self.columns), key, version IS NOT NULL OR type IS NOT NULL FROM entries")
    while try scan.step() {
      guard let id = ObjectID(exactly: scan.number(0)) else { continue }
      body(id, row(scan, from: 1), scan.blob(11), scan.number(12) != 0)
    }
    scan.reset()
  }

  private func row(_ statement: SQLiteStatement, from first: Int32) -> DiskRow {
    DiskRow(
      suite: UInt32(truncatingIfNeeded: statement.number(first)),
      isPermanent: statement.number(first + 1) != 0,
      bytes: UInt32(truncatingIfNeeded: statement.number(first + 2)),
      inserted: UInt64(bitPattern: statement.number(first + 3)),
      stored: UInt64(bitPattern: statement.number(first + 4)),
      created: UInt64(bitPattern: statement.number(first + 5)),
      expires: UInt64(bitPattern: statement.number(first + 6)),
      cost: Float(statement.double(first + 7)),
      checksum: UInt64(bitPattern: statement.number(first + 8)),
      file: UInt64(bitPattern: statement.number(first + 9)))
  }

  // MARK: Suites

  /// The names of the suites, by number.
  func suites() throws(SQLiteError) -> [(UInt32, String)] {
    let scan = try connection.prepare("SELECT id, name FROM suites ORDER BY id")
    var suites: [(UInt32, String)] = []
    while try scan.step() {
      suites.append((UInt32(scan.number(0)), String(decoding: scan.blob(1), as: UTF8.self)))
    }
    scan.reset()
    return suites
  }

  func addSuite(_ number: UInt32, _ name: String) throws(SQLiteError) {
    let insert = try connection.prepare("INSERT OR REPLACE INTO suites VALUES(?, ?)")
    try insert.bind(1, Int64(number))
    let bytes = Array(name.utf8)
    try bytes.withUnsafeBufferPointer { (buffer) throws(SQLiteError) in
      try insert.bindBytes(2, UnsafeRawBufferPointer(buffer))
      try insert.run()
    }
  }

  /// Gives pages that nothing stands in back to the file system.
  func shrink() throws(SQLiteError) {
    try connection.execute("PRAGMA incremental_vacuum")
    try connection.checkpoint()
  }
}
