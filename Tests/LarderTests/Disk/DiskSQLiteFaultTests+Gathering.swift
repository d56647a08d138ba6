import CSQLiteFaults
import Testing

@testable import Larder

/// The layer that combines writes, directly under SQLite: some consecutive calls fail, and the next
/// ones do not.
extension DiskSQLiteFaultTests {
  private static let rows = 40

  private func openGathering(_ folder: ScratchFolder) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(
      path: "\(folder.path)/database", busyMilliseconds: 0,
      layer: String(cString: larder_faults_name()), gathersWrites: true)
    // Pages are written before the commit, with their old contents in the journal.
    try connection.execute(
      """
      PRAGMA journal_mode = PERSIST; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA cache_size = 10; PRAGMA cache_spill = 10;
      """)
    return connection
  }

  /// Runs a transaction that changes every page, in which call `first` and the `count` after it
  /// fail, and closes the connection; false if there was no such call. Afterwards all pages are
  /// either old or new.
  private func update(first: Int, count: Int) throws -> Bool {
    let folder = try ScratchFolder(isSmall: true)
    larder_faults_arm(0, 0, 0, 0)
    defer { larder_faults_arm(0, 0, 0, 0) }
    var connection = try openGathering(folder)
    try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, version INT, value BLOB)")
    for row in 0..<Self.rows {
      try connection.execute("INSERT INTO t VALUES (\(row), 1, randomblob(3000))")
    }
    larder_faults_arm(Int32(LARDER_FAULT_WRITE), first, count, 0)
    let isDone = (try? connection.execute("UPDATE t SET version = 2")) != nil
    connection.close()
    let failures = larder_faults_failures()
    larder_faults_arm(0, 0, 0, 0)
    connection = try openGathering(folder)
    let context = "\(count) calls from \(first) on"
    let check = try connection.prepare("PRAGMA integrity_check(1)")
    #expect(try check.step() && check.text(0) == "ok", "\(context)")
    check.finalize()
    let changed = try connection.number("SELECT count(*) FROM t WHERE version = 2")
    #expect(isDone ? changed == Self.rows : changed == 0 || changed == Self.rows, "\(context)")
    return failures > 0
  }

  @Test(arguments: 1...16)
  func callsThatFailInARowNeverMixTwoVersions(count: Int) throws {
    var first = 1
    while try update(first: first, count: count) { first += 1 }
    #expect(first > 5)
  }
}
