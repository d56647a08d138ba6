import Foundation
import Larder

/// Changes rows of the database to arbitrary values.
enum DamageRowsScenario: Scenario {
  static let name = "damage-rows"
  static let summary = "any value in any column of any row of the database"
  static let rounds = 500

  private static let columns = [
    "id", "suite", "permanent", "bytes", "inserted", "stored", "created", "expires", "cost",
    "checksum", "file", "mark", "version", "type", "key", "value",
  ]

  static func round(_ random: inout Random, _ counts: inout Counts) throws {
    var cache = try DamagedCache(&random, isKilled: false)
    let path = cache.scratch.path + "/index.sqlite"
    // Without it every row is read by the opening, with it by the first get.
    if random.oneIn(2) {
      try FileManager.default.removeItem(atPath: cache.scratch.path + "/snapshot")
    }
    let allowsNull = random.oneIn(3)
    if allowsNull { try setNotNull(path, isOn: false) }
    do {
      let database = try RawDatabase(path)
      let edits = random.oneIn(2) ? 1 : 1 + random.below(8)
      for _ in 0..<edits {
        if database.run(edit(&random)) { counts["edits", default: 0] += 1 }
      }
    }
    if allowsNull { try setNotNull(path, isOn: true) }
    try cache.check(&random, allowsOld: false, &counts)
  }

  /// Removes `NOT NULL` from the schema, or restores it, without checking rows.
  private static func setNotNull(_ path: String, isOn: Bool) throws {
    let database = try RawDatabase(path)
    // A comment of the same length replaces the words, so that they can be restored.
    let (old, new) = isOn ? ("/*N*/", " NOT NULL") : (" NOT NULL", "/*N*/")
    database.run(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = replace(sql, '\(old)', '\(new)');
      """)
  }

  private static func edit(_ random: inout Random) -> String {
    let row = "SELECT id FROM entries ORDER BY random() LIMIT 1"
    switch random.below(20) {
    case 0: return "DELETE FROM entries WHERE id = (\(row))"
    case 1:
      let rest = columns.dropFirst().joined(separator: ", ")
      return """
        INSERT OR REPLACE INTO entries(id, \(rest))
        SELECT \(value(&random)), \(rest) FROM entries WHERE id = (\(row))
        """
    case 2:
      return "UPDATE OR REPLACE suites SET \(random.pick(["id", "name", "mark"])) = "
        + "\(value(&random)) WHERE id = (SELECT id FROM suites ORDER BY random() LIMIT 1)"
    case 3:
      return "UPDATE OR REPLACE facts SET \(random.pick(["name", "value"])) = \(value(&random)) "
        + "WHERE rowid = (SELECT rowid FROM facts ORDER BY random() LIMIT 1)"
    case 4:
      return "PRAGMA \(random.pick(["user_version", "application_id"])) = "
        + "\(Int32(truncatingIfNeeded: random.next()))"
    case 5:
      let column = random.pick(columns.dropFirst().map { $0 })
      return "UPDATE entries SET \(column) = (SELECT \(column) FROM entries WHERE id = (\(row))) "
        + "WHERE id = (\(row))"
    case 6:
      let table = random.pick(["DROP TABLE entries", "DROP TABLE suites", "DROP TABLE facts"])
      return random.oneIn(4) ? table : "UPDATE entries SET \(random.pick(columns)) = id + 1"
    default:
      return "UPDATE OR REPLACE entries SET \(random.pick(columns)) = \(value(&random)) "
        + "WHERE id = (\(row))"
    }
  }

  private static func value(_ random: inout Random) -> String {
    switch random.below(9) {
    case 0: "NULL"
    case 1: "\(random.pick([0, -1, 1, 2, 127, 128, 255, 65_536, 100_000_000, 4_294_967_295]))"
    case 2: "\(random.pick([Int64.min, .max, Int64(1) << 62, 1 << 40, -(1 << 40)]))"
    case 3: "\(Int64(bitPattern: random.next()))"
    case 4: random.pick(["1e300", "-1e300", "9e999", "-9e999", "0.5", "1e-320"])
    case 5: "'\(String(repeating: "text", count: random.below(40)))'"
    case 6: "zeroblob(\(random.pick([0, 1, 8, 28, 5_000, 300_000])))"
    case 7: "randomblob(\(1 + random.below(200)))"
    default: "\(random.below(300))"
    }
  }
}
