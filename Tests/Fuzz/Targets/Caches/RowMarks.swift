import Foundation
import Larder

/// The checksums of the rows of a database.
enum RowMarks {
  static func write(_ database: SQLiteConnection) throws {
    let seed = (try? database.number("SELECT value FROM facts WHERE name = 'seed'")) ?? 0
    try markEntries(database, seed: UInt64(bitPattern: seed))
    try markSuites(database, seed: UInt64(bitPattern: seed))
    try markFacts(database, seed: UInt64(bitPattern: seed))
  }

  private static func markSuites(_ database: SQLiteConnection, seed: UInt64) throws {
    try each("SELECT id, name FROM suites", database) { row in
      let number = row.number(0)
      guard let suite = UInt32(exactly: number) else { return nil }
      let mark = ByteHash.hash(row.blob(1), seed: seed ^ UInt64(suite) << 32 ^ 0x7375_6974)
      return "UPDATE suites SET mark = \(Int64(bitPattern: mark)) WHERE id = \(number)"
    }
  }

  private static func markFacts(_ database: SQLiteConnection, seed: UInt64) throws {
    let format = (try? database.number("SELECT value FROM facts WHERE name = 'format'")) ?? 0
    let words = [UInt64(bitPattern: format).littleEndian, seed.littleEndian]
    let start = words.withUnsafeBytes { ByteHash.hash($0, seed: 0x4c61_7264_6572) }
    try each("SELECT value FROM facts WHERE name = 'seal'", database) { row in
      let mark = Int64(bitPattern: ByteHash.hash(row.blob(0), seed: start))
      return "UPDATE facts SET value = \(mark) WHERE name = 'mark'"
    }
    // The text after the first space is the identity of the codec.
    let codecs =
      "SELECT CAST(substr(name, 7) AS INTEGER), substr(value, instr(value, ' ') + 1) "
      + "FROM facts WHERE name LIKE 'codec %'"
    try each(codecs, database) { row in
      let suite = UInt64(bitPattern: row.number(0))
      let mark = String(ByteHash.hash(row.blob(1), seed: seed ^ suite), radix: 16)
      return "UPDATE facts SET value = '\(mark) ' || substr(value, instr(value, ' ') + 1) "
        + "WHERE name LIKE 'codec %' AND CAST(substr(name, 7) AS INTEGER) = "
        + "\(Int64(bitPattern: suite))"
    }
  }

  /// Reads all rows of a query, then executes the statements that `make` returns for them.
  private static func each(
    _ query: String, _ database: SQLiteConnection, _ make: (SQLiteStatement) -> String?
  ) throws {
    let scan = try database.prepare(query)
    var updates: [String] = []
    while try scan.step() {
      if let update = make(scan) { updates.append(update) }
    }
    scan.finalize()
    for update in updates { try database.execute(update) }
  }

  private static func markEntries(_ database: SQLiteConnection, seed: UInt64) throws {
    let query =
      "SELECT id, suite, permanent, bytes, inserted, stored, created, expires, cost, checksum, "
      + "file, version, type, key FROM entries"
    try each(query, database) { row in
      func word(_ column: Int32) -> UInt64 { UInt64(bitPattern: row.number(column)) }
      let cost = Float(row.double(8)).bitPattern
      let hasVersion = row.textBytes(11) != nil
      let hasType = row.textBytes(12) != nil
      let words: [UInt64] = [
        word(0), UInt64(UInt32(truncatingIfNeeded: word(1))) | (word(2) & 3) << 32,
        UInt64(UInt32(truncatingIfNeeded: word(3))), word(4), word(5), word(6), word(7),
        UInt64(cost), word(9), word(10), (hasVersion ? 1 : 0) | (hasType ? 2 : 0),
      ].map(\.littleEndian)
      var hash = words.withUnsafeBytes { ByteHash.hash($0, seed: seed) }
      for column in [13, 11, 12] as [Int32]
      where column == 13 || (column == 11 ? hasVersion : hasType) {
        hash = ByteHash.hash(row.blob(column), seed: hash)
      }
      return "UPDATE entries SET mark = \(Int64(bitPattern: hash)) "
        + "WHERE id = \(row.number(0))"
    }
  }
}
