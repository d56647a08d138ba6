import Foundation
import Larder

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// The checksums of the rows of a database.
enum RowMarks {
  static func write(_ database: OpaquePointer?) throws {
    let seed = number("SELECT value FROM facts WHERE name = 'seed'", database) ?? 0
    try markEntries(database, seed: UInt64(bitPattern: seed))
    try markSuites(database, seed: UInt64(bitPattern: seed))
    try markFacts(database, seed: UInt64(bitPattern: seed))
  }

  private static func markSuites(_ database: OpaquePointer?, seed: UInt64) throws {
    try each("SELECT id, name FROM suites", database) { row in
      let number = sqlite3_column_int64(row, 0)
      guard let suite = UInt32(exactly: number) else { return nil }
      let mark = ByteHash.hash(bytes(row, 1), seed: seed ^ UInt64(suite) << 32 ^ 0x7375_6974)
      return "UPDATE suites SET mark = \(Int64(bitPattern: mark)) WHERE id = \(number)"
    }
  }

  private static func markFacts(_ database: OpaquePointer?, seed: UInt64) throws {
    let format = number("SELECT value FROM facts WHERE name = 'format'", database) ?? 0
    let words = [UInt64(bitPattern: format).littleEndian, seed.littleEndian]
    let start = words.withUnsafeBytes { ByteHash.hash($0, seed: 0x4c61_7264_6572) }
    try each("SELECT value FROM facts WHERE name = 'seal'", database) { row in
      let mark = Int64(bitPattern: ByteHash.hash(bytes(row, 0), seed: start))
      return "UPDATE facts SET value = \(mark) WHERE name = 'mark'"
    }
    // The text after the first space is the identity of the codec.
    let codecs =
      "SELECT CAST(substr(name, 7) AS INTEGER), substr(value, instr(value, ' ') + 1) "
      + "FROM facts WHERE name LIKE 'codec %'"
    try each(codecs, database) { row in
      let suite = UInt64(bitPattern: sqlite3_column_int64(row, 0))
      let mark = String(ByteHash.hash(bytes(row, 1), seed: seed ^ suite), radix: 16)
      return "UPDATE facts SET value = '\(mark) ' || substr(value, instr(value, ' ') + 1) "
        + "WHERE name LIKE 'codec %' AND CAST(substr(name, 7) AS INTEGER) = "
        + "\(Int64(bitPattern: suite))"
    }
  }

  private static func number(_ query: String, _ database: OpaquePointer?) -> Int64? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW
    else { return nil }
    return sqlite3_column_int64(statement, 0)
  }

  private static func bytes(_ row: OpaquePointer?, _ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(row, column)
    let count = Int(sqlite3_column_bytes(row, column))
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
  }

  /// Reads all rows of a query, then executes the statements that `make` returns for them.
  private static func each(
    _ query: String, _ database: OpaquePointer?, _ make: (OpaquePointer?) -> String?
  ) throws {
    var scan: OpaquePointer?
    guard sqlite3_prepare_v2(database, query, -1, &scan, nil) == SQLITE_OK else {
      throw FuzzFinding("cannot read the rows: \(query)")
    }
    var updates: [String] = []
    while sqlite3_step(scan) == SQLITE_ROW {
      if let update = make(scan) { updates.append(update) }
    }
    sqlite3_finalize(scan)
    for update in updates {
      guard sqlite3_exec(database, update, nil, nil, nil) == SQLITE_OK else {
        throw FuzzFinding("cannot write a mark: \(update)")
      }
    }
  }

  private static func markEntries(_ database: OpaquePointer?, seed: UInt64) throws {
    let query =
      "SELECT id, suite, permanent, bytes, inserted, stored, created, expires, cost, checksum, "
      + "file, version, type, key FROM entries"
    try each(query, database) { row in
      func word(_ column: Int32) -> UInt64 { UInt64(bitPattern: sqlite3_column_int64(row, column)) }
      let cost = Float(sqlite3_column_double(row, 8)).bitPattern
      let hasVersion = sqlite3_column_type(row, 11) != SQLITE_NULL
      let hasType = sqlite3_column_type(row, 12) != SQLITE_NULL
      let words: [UInt64] = [
        word(0), UInt64(UInt32(truncatingIfNeeded: word(1))) | (word(2) & 3) << 32,
        UInt64(UInt32(truncatingIfNeeded: word(3))), word(4), word(5), word(6), word(7),
        UInt64(cost), word(9), word(10), (hasVersion ? 1 : 0) | (hasType ? 2 : 0),
      ].map(\.littleEndian)
      var hash = words.withUnsafeBytes { ByteHash.hash($0, seed: seed) }
      for column in [13, 11, 12] as [Int32]
      where column == 13 || (column == 11 ? hasVersion : hasType) {
        hash = ByteHash.hash(bytes(row, column), seed: hash)
      }
      return "UPDATE entries SET mark = \(Int64(bitPattern: hash)) "
        + "WHERE id = \(sqlite3_column_int64(row, 0))"
    }
  }
}
