import Foundation
import Larder

/// Changes columns of the rows of a database through SQLite: of entries, suites and facts.
enum RowEditor {
  private static let columns = [
    "suite", "permanent", "bytes", "inserted", "stored", "created", "expires", "cost", "checksum",
    "file", "version", "type", "key", "value", "id",
  ]

  /// Updates columns of some rows `times` times, then the checksums of all rows.
  static func edit(_ path: String, times: Int, _ choices: inout FuzzInput) throws {
    let database = try SQLiteConnection(path: path, busyMilliseconds: 0)
    for _ in 0..<times {
      // Updates that the schema rejects have no effect.
      try? database.execute(update(&choices))
    }
    try RowMarks.write(database)
  }

  private static func update(_ choices: inout FuzzInput) -> String {
    let table = choices.byte() % 16
    if table == 0 {
      let column = choices.pick(["id", "name"])
      return "UPDATE OR REPLACE suites SET \(column) = \(literal(&choices)) WHERE id = "
        + "\(choices.below(3))"
    }
    if table == 1 {
      let name = choices.pick(["format", "seed", "seal", "codec 1", "codec 2"])
      let column = choices.pick(["value", "value", "name"])
      return "UPDATE OR REPLACE facts SET \(column) = \(literal(&choices)) WHERE name = '\(name)'"
    }
    let row = 1 + choices.below(9)
    let column = choices.pick(columns)
    return "UPDATE OR REPLACE entries SET \(column) = \(literal(&choices)) WHERE id = \(row)"
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
}
