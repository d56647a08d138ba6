import Foundation
import Larder

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// Changes columns of rows through SQLite.
enum RowEditor {
  private static let columns = [
    "suite", "permanent", "bytes", "inserted", "stored", "created", "expires", "cost", "checksum",
    "file", "version", "type", "key", "value", "id",
  ]

  /// Updates some columns of some rows, and their marks.
  static func edit(_ path: String, _ choices: inout FuzzInput) throws {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    guard sqlite3_open(path, &database) == SQLITE_OK else { throw FuzzFinding("cannot open") }
    let seed = number("SELECT value FROM facts WHERE name = 'seed'", database) ?? 0
    for _ in 0..<(1 + choices.below(4)) {
      let row = 1 + choices.below(8)
      let column = choices.pick(columns)
      let value = literal(&choices)
      // What the schema refuses stays as it is.
      sqlite3_exec(
        database, "UPDATE OR REPLACE entries SET \(column) = \(value) WHERE id = \(row)", nil, nil,
        nil)
    }
    try mark(database, seed: UInt64(bitPattern: seed))
  }

  private static func literal(_ choices: inout FuzzInput) -> String {
    switch choices.byte() % 8 {
    case 0: "NULL"
    case 1: "\(choices.share())".replacing("inf", with: "9e999").replacing("nan", with: "NULL")
    case 2: "x'\(choices.text(upTo: 8).utf8.map { String(format: "%02x", $0) }.joined())'"
    case 3: "'\(choices.text(upTo: 8).filter { $0 != "'" && $0 != "\0" })'"
    case 4: "zeroblob(\(choices.below(256) * 16))"
    case 5: "\(choices.below(256))"
    default: "\(choices.integer(below: 5000))"
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

  /// Gives every row the mark that belongs to it: the checksum over its columns.
  private static func mark(_ database: OpaquePointer?, seed: UInt64) throws {
    var scan: OpaquePointer?
    defer { sqlite3_finalize(scan) }
    let query =
      "SELECT id, suite, permanent, bytes, inserted, stored, created, expires, cost, checksum, "
      + "file, version, type, key FROM entries"
    guard sqlite3_prepare_v2(database, query, -1, &scan, nil) == SQLITE_OK else {
      throw FuzzFinding("cannot read the rows")
    }
    var marks: [(Int64, UInt64)] = []
    while sqlite3_step(scan) == SQLITE_ROW {
      func word(_ column: Int32) -> UInt64 {
        UInt64(bitPattern: sqlite3_column_int64(scan, column))
      }
      let cost = Float(sqlite3_column_double(scan, 8)).bitPattern
      let hasVersion = sqlite3_column_type(scan, 11) != SQLITE_NULL
      let hasType = sqlite3_column_type(scan, 12) != SQLITE_NULL
      let words: [UInt64] = [
        UInt64(UInt32(truncatingIfNeeded: word(1))) | (word(2) != 0 ? 1 << 32 : 0),
        UInt64(UInt32(truncatingIfNeeded: word(3))), word(4), word(5), word(6), word(7),
        UInt64(cost), word(9), word(10), (hasVersion ? 1 : 0) | (hasType ? 2 : 0),
      ].map(\.littleEndian)
      var hash = words.withUnsafeBytes { ByteHash.hash($0, seed: seed) }
      for column in [13, 11, 12] as [Int32]
      where column == 13 || (column == 11 ? hasVersion : hasType) {
        let bytes = sqlite3_column_blob(scan, column)
        let count = Int(sqlite3_column_bytes(scan, column))
        hash = ByteHash.hash(
          UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count), seed: hash)
      }
      marks.append((sqlite3_column_int64(scan, 0), hash))
    }
    for (id, mark) in marks {
      let update =
        "UPDATE entries SET mark = \(Int64(bitPattern: mark)) WHERE id = \(id)"
      guard sqlite3_exec(database, update, nil, nil, nil) == SQLITE_OK else {
        throw FuzzFinding("cannot write a mark")
      }
    }
  }
}
