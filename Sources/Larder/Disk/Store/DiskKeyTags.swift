import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The tags of the keys in the database of a shared cache, by which readers in other processes find
/// rows. A cache finds its own rows in memory.
///
/// A tag is a hash of suite and key; with encryption it depends on the app's key. Several keys may
/// have one tag: the row has the key itself. Tags change in the transactions of their rows.
final class DiskKeyTags {
  // In this order a store changes one page, near others only by chance, and no second table.
  private static let table = """
    CREATE TABLE tags(
      tag INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY(tag, id)) WITHOUT ROWID
    """
  /// The snapshot of a shared cache is one of its tags, too.
  static let removal = "\(DiskFacts.name(snapshot: 0)); DROP TABLE tags"
  static let rowQuery = """
    SELECT \(DiskIndex.columns), mark, version, type, key, value, id
    FROM tags JOIN entries USING(id) WHERE tag = ?
    """

  private let connection: SQLiteConnection
  private let seed: UInt64
  private let seal: DiskSeal?
  private let putStatement: SQLiteStatement
  private let deleteStatement: SQLiteStatement

  init(_ connection: SQLiteConnection, seed: UInt64, seal: DiskSeal?) throws(SQLiteError) {
    self.connection = connection
    self.seed = seed
    self.seal = seal
    if !Self.areIn(try DiskIndex.readTables(connection)) { try connection.execute(Self.table) }
    // The tag of a replaced value is there already: its page does not change.
    putStatement = try connection.prepare("INSERT OR IGNORE INTO tags VALUES(?, ?)")
    deleteStatement = try connection.prepare("DELETE FROM tags WHERE tag = ? AND id = ?")
  }

  static func areIn(_ tables: [String: String]) -> Bool { tables["tags"] == table }

  func close() {
    for statement in [putStatement, deleteStatement] { statement.finalize() }
  }

  func tag(of key: UnsafeRawBufferPointer, suite: UInt32) -> Int64 {
    Self.tag(DiskKey(key, suite: suite, seed: seed), seal)
  }

  static func tag(_ key: DiskKey, _ seal: DiskSeal?) -> Int64 {
    seal.map { $0.tag(DiskSeal.binding(key)) } ?? Int64(bitPattern: key.digest.checksumSeed)
  }

  func put(_ id: ObjectID, suite: UInt32, _ key: UnsafeRawBufferPointer) throws(SQLiteError) {
    try run(putStatement, tag(of: key, suite: suite), Int64(id))
  }

  func delete(_ id: ObjectID, suite: UInt32, _ key: [UInt8]) throws(SQLiteError) {
    let tag = key.withUnsafeBytes { self.tag(of: $0, suite: suite) }
    try run(deleteStatement, tag, Int64(id))
  }

  private func run(_ statement: SQLiteStatement, _ tag: Int64, _ id: Int64) throws(SQLiteError) {
    try statement.bind(1, tag)
    try statement.bind(2, id)
    try statement.run()
  }

  func deleteAll() throws(SQLiteError) { try connection.execute("DELETE FROM tags") }

  func match(_ rows: some Sequence<(Int64, Int64)>) throws(SQLiteError) {
    let tags = Dictionary(rows, uniquingKeysWith: { first, _ in first })
    if try areEqual(to: tags) { return }
    try connection.execute("BEGIN IMMEDIATE; DELETE FROM tags")
    for (id, tag) in tags.sorted(by: { $0.value < $1.value }) { try run(putStatement, tag, id) }
    try connection.execute("COMMIT")
  }

  private func areEqual(to tags: [Int64: Int64]) throws(SQLiteError) -> Bool {
    let scan = try connection.prepare("SELECT tag, id FROM tags")
    defer { scan.finalize() }
    var found = 0
    while try scan.step() {
      guard tags[scan.number(1)] == scan.number(0) else { return false }
      found += 1
    }
    return found == tags.count
  }
}
