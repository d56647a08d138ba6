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

final class DiskIndex {
  let connection: SQLiteConnection
  let seed: UInt64
  let seal: DiskSeal?
  let readers: DiskReaders
  let log: DiskLog
  let tags: DiskKeyTags?
  /// The snapshot that the database named when it was opened.
  let snapshot: UInt64?
  let putStatement: SQLiteStatement
  let deleteStatement: SQLiteStatement
  let scanStatement: SQLiteStatement
  let rowStatement: SQLiteStatement
  let updateStatement: SQLiteStatement

  /// Opens or creates the database.
  ///
  /// - Parameter syncNames: Called once all of its files exist, and before SQLite syncs its log
  ///   together with the folder. If that sync failed, SQLite would treat it as success, and the
  ///   system would report success the second time.
  init(
    path: String, _ configuration: DiskConfiguration, layer: String?,
    syncNames: () throws(DiskCacheError) -> Void = {}
  ) throws(DiskCacheError) {
    do throws(SQLiteError) {
      connection = try SQLiteConnection(
        path: path, busyMilliseconds: 250, layer: layer,
        gathersWrites: configuration.durability == .none)
      // SQLite opens for reading what it cannot open for writing, for lack of permission or of a
      // file descriptor. That is no evidence of the file's content.
      if connection.isReadOnly { throw connection.error(SQLITE_READONLY) }
    } catch {
      throw DiskCacheError(error)
    }
    do throws(SQLiteError) {
      try Self.setUp(connection, configuration)
      // Otherwise the first set would be the first to fail.
      if connection.isReadOnly { throw connection.error(SQLITE_READONLY) }
    } catch {
      throw Self.failure(error, connection)
    }
    try syncNames()
    let facts = try Self.findFacts(connection, configuration)
    guard facts.format == Self.format else {
      throw .format(path: path, found: facts.format, expected: Self.format)
    }
    (seed, snapshot) = (facts.seed, facts.snapshot)
    seal = try Self.findSeal(path, facts, configuration.encryption)
    readers = DiskReaders(path: path, configuration, seed: seed, seal: seal, layer: layer)
    do throws(SQLiteError) {
      log = try DiskLog(connection, configuration, readers)
      tags = try configuration.isShared ? DiskKeyTags(connection, seed: seed, seal: seal) : nil
      putStatement = try connection.prepare(
        """
        INSERT OR REPLACE INTO entries(id, suite, permanent, bytes, inserted, stored,
          created, expires, cost, checksum, file, mark, version, type, key, value)
        VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
        """)
      deleteStatement = try connection.prepare("DELETE FROM entries WHERE id = ?")
      scanStatement = try connection.prepare(Self.scanQuery)
      rowStatement = try connection.prepare(Self.rowQuery)
      updateStatement = try connection.prepare(
        """
        UPDATE entries SET created = ?, expires = ?, file = ?, version = coalesce(?, version),
          key = coalesce(?, key), mark = ?
        WHERE id = ?
        """)
    } catch {
      throw DiskCacheError(error)
    }
  }

  static let columns =
    "suite, permanent, bytes, inserted, stored, created, expires, cost, checksum, file"
  private static let scanQuery = """
    SELECT \(columns), mark, version, type, key, id FROM entries WHERE id BETWEEN ? AND ?
      ORDER BY id LIMIT ?
    """
  static let rowQuery =
    "SELECT \(columns), mark, version, type, key, value FROM entries WHERE id = ?"

  func close() {
    readers.close()
    log.rollBack()
    for statement in [putStatement, deleteStatement, scanStatement, rowStatement, updateStatement] {
      statement.finalize()
    }
    tags?.close()
    log.close()
    connection.close()
  }

  var hasFreePages: Bool { freePages > 0 }

  var freePages: Int64 { (try? connection.number("PRAGMA freelist_count")) ?? 0 }

  var isMostlyFree: Bool {
    let free = freePages
    return free > 256 && free * 2 > (try? connection.number("PRAGMA page_count")) ?? .max
  }

  func shrink(pages: Int) throws(SQLiteError) {
    try log.commitAlone { () throws(SQLiteError) in
      try connection.execute("PRAGMA incremental_vacuum(\(pages))")
    }
  }

  func shrink() throws(SQLiteError) {
    try log.commitAlone { () throws(SQLiteError) in
      try connection.execute("PRAGMA incremental_vacuum")
    }
    try log.checkpoint()
  }
}

extension DiskIndex {
  static let format: Int64 = 4
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
    // Apple's fsync leaves bytes in the drive's cache; elsewhere these pragmas have no effect.
    let full = configuration.durability == .full ? "ON" : "OFF"
    try connection.execute(
      "PRAGMA locking_mode = \(configuration.isShared ? "NORMAL" : "EXCLUSIVE")")
    // Otherwise it would be written, and the log synced with the folder, before `syncNames`.
    if try connection.number("PRAGMA auto_vacuum") == 0 {
      try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    }
    try connection.execute(
      """
      \(DiskLog.settings(configuration.durability))
      PRAGMA fullfsync = \(full);
      PRAGMA checkpoint_fullfsync = \(full);
      PRAGMA cache_size = -\(max(64, configuration.pageCacheBytes >> 10));
      PRAGMA temp_store = MEMORY;
      PRAGMA secure_delete = FAST;
      """)
    try DiskLog.setUp(connection)
    if configuration.isShared { try connection.keepLog() }
  }

  static func findFacts(
    _ connection: SQLiteConnection, _ configuration: DiskConfiguration
  ) throws(DiskCacheError) -> DiskFacts {
    do throws(SQLiteError) {
      let tables = try readTables(connection)
      if tables.isEmpty { return try makeTables(connection, configuration.encryption) }
      if tables["facts"] == DiskFacts.table, let facts = try DiskFacts(of: connection) {
        guard facts.format == format else { return facts }
        let hasTags = DiskKeyTags.areIn(tables)
        guard tables["entries"] == entriesTable, tables["suites"] == suitesTable,
          tables.count == (hasTags ? 6 : 5)
        else {
          throw damage(connection, "it does not have the tables of a cache")
        }
        // Without them the cache works as well, so a full disk may keep them.
        if hasTags, !configuration.isShared { try? connection.execute(DiskKeyTags.removal) }
        return facts
      }
      // Another program's database must not be set aside.
      let isMarked = try connection.number("PRAGMA application_id") == application
      let isOurs =
        isMarked || tables["entries"] == entriesTable || tables["suites"] == suitesTable
        || tables["facts"] == DiskFacts.table
      guard isOurs else { return DiskFacts(format: 0, seed: 0, seal: Data()) }
      throw damage(connection, "its facts table is incomplete")
    } catch {
      throw DiskCacheError(error)
    }
  }

  private static func damage(_ connection: SQLiteConnection, _ message: String) -> SQLiteError {
    SQLiteError(code: SQLITE_CORRUPT, message: message, path: connection.path)
  }

  static func cannotEncrypt(_ connection: SQLiteConnection) -> SQLiteError {
    SQLiteError(code: SQLITE_NOMEM, message: "cannot encrypt", path: connection.path)
  }

  static func readTables(
    _ connection: SQLiteConnection
  ) throws(SQLiteError) -> [String: String] {
    let scan = try connection.prepare("SELECT name, sql FROM sqlite_master")
    defer { scan.finalize() }
    var tables: [String: String] = [:]
    while try scan.step() { tables[scan.text(0) ?? ""] = scan.text(1) ?? "" }
    return tables
  }

  private static func makeTables(
    _ connection: SQLiteConnection, _ encryption: DiskEncryption?
  ) throws(SQLiteError) -> DiskFacts {
    var facts = DiskFacts(format: format, seed: UInt64.random(in: .min ... .max), seal: Data())
    if let encryption {
      guard let seal = DiskSeal.newFact(encryption) else { throw cannotEncrypt(connection) }
      facts.seal = seal
    }
    // In one transaction: a database that is to be encrypted never exists without its salt.
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

  static func findSeal(
    _ path: String, _ facts: DiskFacts, _ encryption: DiskEncryption?
  ) throws(DiskCacheError) -> DiskSeal? {
    guard let encryption else {
      guard facts.seal.isEmpty else { throw .keyMissing(path: path) }
      return nil
    }
    guard !facts.seal.isEmpty else { throw .notEncrypted(path: path) }
    // The fact passed its checksum, so the key is wrong.
    guard let seal = facts.seal.withUnsafeBytes({ DiskSeal(encryption, fact: $0) }) else {
      throw .wrongKey(path: path)
    }
    return seal
  }

  static func failure(_ error: SQLiteError, _ connection: SQLiteConnection) -> DiskCacheError {
    guard error.primaryCode == SQLITE_READONLY, connection.isReadOnly else {
      return DiskCacheError(error)
    }
    return .database(
      path: error.path, code: SQLITE_CORRUPT, message: "the header of the file forbids writing")
  }
}

/// Facts about a database, with a checksum over all of them: damage to the salt or to the text that
/// verifies the key can be distinguished from another key, and a damaged file header from another
/// format.
///
/// The table `facts` is the same in every format: a row with `format`, one with `seed`, one with
/// `seal`, which is empty without encryption, and one with `mark`, their checksum. Rows that name
/// the codec of a suite have their own checksums, and `snapshot` names one, or is 0.
struct DiskFacts {
  static let table = "CREATE TABLE facts(name TEXT PRIMARY KEY, value)"

  var format: Int64
  var seed: UInt64
  var seal: Data
  /// Generation of the snapshot that describes the rows; not in the checksum, as a wrong one only
  /// names no file.
  var snapshot: UInt64?

  init(format: Int64, seed: UInt64, seal: Data) {
    self.format = format
    self.seed = seed
    self.seal = seal
  }

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
    snapshot = numbers["snapshot"].map { UInt64(bitPattern: $0) }
  }

  /// Names a snapshot, or none with 0, in the table's pages alone: those of its index may be
  /// damaged, as opening does not read them.
  static func name(snapshot: UInt64) -> String {
    """
    UPDATE facts NOT INDEXED SET value = \(Int64(bitPattern: snapshot)) WHERE name = 'snapshot'
    """
  }

  var inserts: String {
    let digits = seal.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return """
      INSERT INTO facts VALUES('format', \(format));
      INSERT INTO facts VALUES('seed', \(Int64(bitPattern: seed)));
      INSERT INTO facts VALUES('seal', x'\(digits)');
      INSERT INTO facts VALUES('mark', \(mark));
      INSERT INTO facts VALUES('snapshot', 0);
      """
  }

  var mark: Int64 {
    let numbers = [UInt64(bitPattern: format).littleEndian, seed.littleEndian]
    let hash = numbers.withUnsafeBytes { ByteHash.hash($0, seed: 0x4c61_7264_6572) }
    return Int64(bitPattern: seal.withUnsafeBytes { ByteHash.hash($0, seed: hash) })
  }
}

extension DiskIndex {
  static func suites(
    in connection: SQLiteConnection, seed: UInt64, seal: DiskSeal?
  ) throws(SQLiteError) -> [(UInt32, String)] {
    let scan = try connection.prepare("SELECT id, mark, name FROM suites ORDER BY id")
    defer { scan.finalize() }
    var suites: [(UInt32, String)] = []
    while try scan.step() {
      let bytes = scan.blob(2)
      guard let number = UInt32(exactly: scan.number(0)), 1..<UInt32.max ~= number,
        suiteMark(number, bytes, seed) == scan.number(1),
        let name = seal.map({ $0.openSuite(bytes, number: number) })
          ?? String(decoding: bytes, as: UTF8.self)
      else { throw damage(connection, "the name of a suite is damaged") }
      suites.append((number, name))
    }
    return suites
  }

  private static func suiteMark(
    _ number: UInt32, _ name: UnsafeRawBufferPointer, _ seed: UInt64
  ) -> Int64 {
    Int64(bitPattern: ByteHash.hash(name, seed: seed ^ UInt64(number) << 32 ^ 0x7375_6974))
  }

  func removeSuites(_ numbers: [UInt32]) throws(SQLiteError) {
    for number in numbers {
      try connection.execute(
        """
        DELETE FROM suites WHERE id = \(number);
        DELETE FROM facts WHERE name = '\(Self.codecFact)\(number)'
        """)
    }
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
        try insert.bind(2, Self.suiteMark(number, buffer, seed))
        try insert.bindBytes(3, buffer)
        try log.commitAlone { () throws(SQLiteError) in try insert.run() }
      }
    }
    try result.get()
  }
}

extension DiskIndex {
  static var codecFact: String { "codec " }

  /// Identities of the codecs of the suites' values, by the number of the suite. They are plain
  /// text even in an encrypted database. A damaged one is skipped: it must not make the suite
  /// unusable.
  static func codecs(
    in connection: SQLiteConnection, seed: UInt64
  ) throws(SQLiteError) -> [UInt32: String] {
    let scan = try connection.prepare(
      "SELECT substr(name, \(codecFact.utf8.count + 1)), value FROM facts "
        + "WHERE name LIKE '\(codecFact)%'")
    defer { scan.finalize() }
    var codecs: [UInt32: String] = [:]
    while try scan.step() {
      guard let number = scan.text(0).flatMap({ UInt32($0) }),
        let parts = scan.text(1)?.split(
          separator: " ", maxSplits: 1, omittingEmptySubsequences: false), parts.count == 2,
        parts[0] == codecMark(String(parts[1]), number, seed)
      else { continue }
      codecs[number] = String(parts[1])
    }
    return codecs
  }

  private static func codecMark(_ identity: String, _ suite: UInt32, _ seed: UInt64) -> String {
    let hash = Array(identity.utf8).withUnsafeBytes {
      ByteHash.hash($0, seed: seed ^ UInt64(suite))
    }
    return String(hash, radix: 16)
  }

  func setCodec(_ identity: String, suite: UInt32) throws(SQLiteError) {
    let insert = try connection.prepare("INSERT OR REPLACE INTO facts VALUES(?, ?)")
    defer { insert.finalize() }
    try insert.bind(1, "\(Self.codecFact)\(suite)")
    try insert.bind(2, "\(Self.codecMark(identity, suite, seed)) \(identity)")
    try log.commitAlone { () throws(SQLiteError) in try insert.run() }
  }
}
