import LarderEngine
import LarderLibc

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

/// The database of a shared cache, opened read-only for one call next to the cache that owns it.
///
/// Each lookup sees the latest commit. Nothing is written: not even the memory that SQLite's
/// connections share, of which this one makes its own copy if the owner has ended.
final class SharedDatabase {
  enum Absence: Error {
    case empty
    case unreadable
    case failure(DiskCacheError)

    init(_ error: FileFailure) { self = .failure(DiskCacheError(error)) }

    init(_ error: SQLiteError) {
      if error.isBusy || error.primaryCode == SQLITE_READONLY {
        // The owner recovers its log, or has locked the database for itself.
        self = .unreadable
      } else if error.isCorruption {
        self = .failure(.damaged(path: error.path, message: error.message))
      } else {
        self = .failure(DiskCacheError(error))
      }
    }
  }

  private struct Found {
    var row: DiskRow
    var reading: DiskReading
  }

  /// Held in this process while a database is open here, and while a shared cache opens its own.
  static let gate = SleepingLock()

  private let folder: String
  private let files = SystemFiles()
  private let connection: SQLiteConnection
  private let statement: SQLiteStatement
  private let seed: UInt64
  private let seal: DiskSeal?
  private var suites: [ExactName: UInt32]?

  init(folder: String, _ encryption: DiskEncryption?) throws(Absence) {
    self.folder = folder
    let path = DiskFolder.databasePath(in: folder)
    try Self.findFiles(path, files)
    try Self.checkOwner([folder, path, path + "-wal", path + "-shm"], files)
    do throws(SQLiteError) {
      connection = try SQLiteConnection(shared: path, busyMilliseconds: Self.busyMilliseconds)
    } catch {
      // They may have been removed since.
      try Self.findFiles(path, files)
      throw Absence(error)
    }
    do throws(Absence) {
      let facts = try Self.findFacts(connection)
      seed = facts.seed
      seal = try Self.findSeal(path, facts, encryption)
      statement = try Self.reading { [connection] () throws(SQLiteError) in
        try connection.prepare(DiskKeyTags.rowQuery)
      }
    } catch {
      let hasMoved = connection.hasMoved
      connection.close()
      try Self.findFiles(path, files)
      throw hasMoved ? .unreadable : error
    }
  }

  private static var busyMilliseconds: Int32 { 10 }

  func close() {
    statement.finalize()
    connection.close()
  }

  /// True if the path no longer leads to this database, whose contents may be mixed with those of
  /// another one's log.
  var hasMoved: Bool { connection.hasMoved }

  private static func findFiles(_ path: String, _ files: SystemFiles) throws(Absence) {
    do throws(FileFailure) {
      // An empty file is just being created; the size of a missing one is 0.
      let (kind, bytes) = (try files.kind(path), try files.size(path))
      if bytes == 0 { throw FileFailure("", path, ENOENT) }
      guard kind == .file else { throw FileFailure("open", path, EINVAL) }
      for name in ["-wal", "-shm"] where try files.kind(path + name) != .file {
        throw FileFailure("", path, EAGAIN)
      }
    } catch {
      guard error.call.isEmpty else { throw Absence(error) }
      throw error.isMissing ? .empty : .unreadable
    }
  }

  private static func checkOwner(_ paths: [String], _ files: SystemFiles) throws(Absence) {
    for path in paths {
      let exposure: DiskCacheError?
      do throws(FileFailure) { exposure = try files.exposure(path) } catch { throw Absence(error) }
      if let exposure { throw .failure(exposure) }
    }
  }

  private static func findFacts(_ connection: SQLiteConnection) throws(Absence) -> DiskFacts {
    let (tables, found) = try reading { () throws(SQLiteError) in
      let tables = try DiskIndex.readTables(connection)
      return (tables, tables["facts"] == DiskFacts.table ? try DiskFacts(of: connection) : nil)
    }
    if tables.isEmpty { throw .empty }
    let path = connection.path
    guard let facts = found else {
      throw .failure(.damaged(path: path, message: "its facts table is incomplete"))
    }
    guard facts.format == DiskIndex.format else {
      throw .failure(.format(path: path, found: facts.format, expected: DiskIndex.format))
    }
    guard DiskKeyTags.areIn(tables) else { throw .unreadable }
    return facts
  }

  private static func findSeal(
    _ path: String, _ facts: DiskFacts, _ encryption: DiskEncryption?
  ) throws(Absence) -> DiskSeal? {
    do throws(DiskCacheError) {
      return try DiskIndex.findSeal(path, facts, encryption)
    } catch {
      throw .failure(error)
    }
  }

  private static func reading<Result>(
    _ body: () throws(SQLiteError) -> Result
  ) throws(Absence) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw Absence(error) }
  }

  // MARK: Suites

  func suiteNumber(_ name: String) throws(Absence) -> UInt32? {
    if name.isEmpty { return 0 }
    if let suites { return suites[ExactName(name)] }
    let found = try Self.reading { () throws(SQLiteError) in
      try DiskIndex.suites(in: connection, seed: seed, seal: seal)
    }
    let suites = Dictionary(
      found.map { (ExactName($0.1), $0.0) }, uniquingKeysWith: { _, last in last })
    self.suites = suites
    return suites[ExactName(name)]
  }

  func checkCodec(_ identity: String, suite number: UInt32, _ name: String) throws(Absence) {
    let codecs = try Self.reading { () throws(SQLiteError) in
      try DiskIndex.codecs(in: connection, seed: seed)
    }
    guard let stored = codecs[number], stored != identity else { return }
    throw .failure(.codecMismatch(suite: name, stored: stored, given: identity))
  }

  // MARK: Entries

  func metadata(for key: String, suite: UInt32, now: UInt64) throws(Absence) -> DiskMetadata? {
    try withKey(key, suite) { (key) throws(Absence) in
      try find(key).map { DiskMetadata($0.row, $0.reading, now: now) }
    }
  }

  func entry(for key: String, suite: UInt32, now: UInt64) throws(Absence) -> DiskEntry? {
    try withKey(key, suite) { (key) throws(Absence) in
      var before: DiskRow?
      while let found = try find(key) {
        let (row, metadata) = (found.row, DiskMetadata(found.row, found.reading, now: now))
        if let value = found.reading.value { return DiskEntry(data: value, metadata: metadata) }
        // If the row is still the same, its value is damaged; otherwise it was replaced or moved.
        if row.file == 0 || before?.stored == row.stored && before?.file == row.file { return nil }
        if let value = try fileValue(row, key, metadata) {
          return DiskEntry(data: value, metadata: metadata)
        }
        before = row
      }
      return nil
    }
  }

  private func withKey<Result>(
    _ key: String, _ suite: UInt32, _ body: (DiskKey) throws(Absence) -> Result?
  ) throws(Absence) -> Result? {
    var key = key.diskKey
    let answer = key.withUTF8 { bytes in
      Swift.Result { () throws(Absence) in
        try body(DiskKey(UnsafeRawBufferPointer(bytes), suite: suite, seed: seed))
      }
    }
    return try answer.get()
  }

  private func find(_ key: DiskKey) throws(Absence) -> Found? {
    try Self.reading { () throws(SQLiteError) -> Found? in
      try statement.bind(1, DiskKeyTags.tag(key, seal))
      defer { statement.reset() }
      while try statement.step() {
        if let found = current(key) { return found }
      }
      return nil
    }
  }

  private func current(_ key: DiskKey) -> Found? {
    guard
      let (row, header) = DiskIndex.contents(
        statement, from: 0, of: statement.number(15), seed, seal),
      row.suite == key.suite, header.key.elementsEqual(key.bytes)
    else { return nil }
    var reading = DiskReading(version: header.version, contentType: header.contentType)
    if row.file == 0 {
      reading.value = DiskIndex.value(statement.blob(14), of: row, key, seal)
    }
    return Found(row: row, reading: reading)
  }

  private func fileValue(
    _ row: DiskRow, _ key: DiskKey, _ metadata: DiskMetadata
  ) throws(Absence) -> Data? {
    do throws(FileFailure) {
      let location = ValueLocation(
        of: row.file, in: try OpenFolder(folder + "/files"), files)
      return try DiskFileReading(
        stored: row.stored, file: row.file, bytes: row.bytes, checksum: row.checksum, key: key,
        at: location, seal: seal, metadata: metadata
      ).value()
    } catch {
      if error.isNoFile { return nil }
      throw Absence(error)
    }
  }
}

extension DiskMetadata {
  init(_ row: DiskRow, _ reading: DiskReading, now: UInt64) {
    let isExpired =
      !row.isPermanent
      && (row.expiry.isOver(at: now) || CacheInstant.isAhead(row.created, of: now))
    self.init(
      version: reading.version, contentType: reading.contentType, creation: row.created,
      expiry: row.isPermanent ? .never : row.expiry, fetchCost: row.cost,
      isPermanent: row.isPermanent, isExpired: isExpired)
    mustRevalidate = row.mustRevalidate
  }
}
