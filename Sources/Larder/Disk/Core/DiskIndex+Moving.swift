import LarderEngine

extension DiskIndex {
  static let moveRowQuery = "SELECT \(columns), mark, version, type, key FROM entries WHERE id = ?"
  static let moveUpdate =
    "UPDATE entries SET file = ?, key = coalesce(?, key), mark = ? WHERE id = ?"

  /// The place that the row of an id names; nil where there is no row.
  func place(of id: ObjectID) throws(SQLiteError) -> UInt64? {
    let scan = try connection.prepare("SELECT file FROM entries WHERE id = ?")
    defer { scan.finalize() }
    try scan.bind(1, Int64(id))
    return try scan.step() ? UInt64(bitPattern: scan.number(0)) : nil
  }

  /// Has a row name another place of the same value; false when the row is not whole or not that
  /// of the slot.
  func move(
    _ id: ObjectID, _ slot: DiskSlot, toPlace file: UInt64
  ) throws(SQLiteError) -> Bool {
    try moveRowStatement.bind(1, Int64(id))
    defer { moveRowStatement.reset() }
    guard try moveRowStatement.step(), var row = Self.row(moveRowStatement, from: 0),
      row.stored == slot.stored, row.file == slot.file
    else { return false }
    let (version, type) = (moveRowStatement.textBytes(11), moveRowStatement.textBytes(12))
    let key = moveRowStatement.blob(13)
    guard
      row.mark(key: key, version: version, type: type, seed: seed)
        == UInt64(bitPattern: moveRowStatement.number(10))
    else { return false }
    try moveStatement.bind(1, Int64(bitPattern: file))
    try moveStatement.bind(4, Int64(id))
    guard let seal else {
      row.file = file
      let mark = row.mark(key: key, version: version, type: type, seed: seed)
      try moveStatement.bindBytes(2, nil)
      try moveStatement.bind(3, Int64(bitPattern: mark))
      moveRowStatement.reset()
      try moveStatement.run()
      return true
    }
    guard let header = seal.openHeader(key, row) else { return false }
    row.file = file
    moveRowStatement.reset()
    try withSealed(header, row) { (sealed) throws(SQLiteError) in
      try moveStatement.bindBytes(2, sealed)
      try moveStatement.bind(3, Int64(bitPattern: sealedMark(row, sealed)))
      try moveStatement.run()
    }
    return true
  }
}
