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

extension DiskIndex {
  /// Stores a row, replacing any row with its id. `body` is the value as it is stored; nil if it is
  /// in a file.
  func put(
    _ id: ObjectID, _ row: DiskRow, _ options: DiskStoreOptions, key: UnsafeRawBufferPointer,
    body: UnsafeRawBufferPointer?
  ) throws(SQLiteError) {
    try putStatement.bind(1, Int64(id))
    try putStatement.bind(2, Int64(row.suite))
    try putStatement.bind(3, Int64(row.flags))
    try putStatement.bind(4, Int64(row.bytes))
    try putStatement.bind(5, Int64(bitPattern: row.inserted))
    try putStatement.bind(6, Int64(bitPattern: row.stored))
    try putStatement.bind(7, Int64(bitPattern: row.created))
    try putStatement.bind(8, Int64(bitPattern: row.expiry.microseconds))
    try putStatement.bind(9, Double(row.cost))
    try putStatement.bind(10, Int64(bitPattern: row.checksum))
    try putStatement.bind(11, Int64(bitPattern: row.file))
    try putStatement.bindBytes(16, body)
    if seal == nil {
      let (version, type) = (options.version, options.contentType)
      let mark = row.mark(key: key, version: version, type: type, seed: seed)
      try putStatement.bind(12, Int64(bitPattern: mark))
      try putStatement.bind(13, version)
      try putStatement.bind(14, type)
      try putStatement.bindBytes(15, key)
      try putStatement.run()
      try tags?.put(id, suite: row.suite, key)
    } else {
      let header = DiskHeader(
        key: key, version: options.version, contentType: options.contentType)
      try withSealed(header, row) { (sealed) throws(SQLiteError) in
        try putStatement.bind(12, Int64(bitPattern: sealedMark(row, sealed)))
        try putStatement.bindBytes(15, sealed)
        try putStatement.run()
        try tags?.put(id, suite: row.suite, key)
      }
    }
  }

  func withSealed(
    _ header: DiskHeader, _ row: DiskRow,
    _ body: (UnsafeRawBufferPointer) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    guard let sealed = seal?.sealHeader(header, row) else {
      throw Self.cannotEncrypt(connection)
    }
    let result = sealed.withUnsafeBytes { bytes in
      Result { () throws(SQLiteError) in try body(bytes) }
    }
    try result.get()
  }

  func sealedMark(_ row: DiskRow, _ sealed: UnsafeRawBufferPointer) -> UInt64 {
    row.mark(key: sealed, version: UnsafeRawBufferPointer?.none, type: nil, seed: seed)
  }

  func delete(_ id: ObjectID) throws(SQLiteError) {
    try tags?.delete(id)
    try deleteStatement.bind(1, Int64(id))
    try deleteStatement.run()
  }

  /// Deletes all rows at once.
  func deleteAll() throws(SQLiteError) {
    try connection.execute("DELETE FROM entries")
    try tags?.deleteAll()
  }

  /// Changes the lifetime of a row, and its version if one is given; false if its key differs. The
  /// value is not rewritten: SQLite updates the first page of the row in place.
  func renew(
    _ id: ObjectID, _ key: UnsafeRawBufferPointer, _ slot: DiskSlot, _ life: DiskLife,
    version: String?
  ) throws(SQLiteError) -> Bool {
    try renewStatement.bind(1, Int64(bitPattern: life.created))
    try renewStatement.bind(2, Int64(bitPattern: life.expiry.microseconds))
    try renewStatement.bind(6, Int64(id))
    if seal == nil {
      guard let texts = try texts(of: id, key, slot) else { return false }
      let row = DiskRow(slot, life)
      let mark = row.mark(
        key: key, version: version ?? texts.version, type: texts.contentType, seed: seed)
      try renewStatement.bind(3, version)
      try renewStatement.bindBytes(4, nil)
      try renewStatement.bind(5, Int64(bitPattern: mark))
      try renewStatement.run()
      return true
    }
    guard var (row, header) = try sealedRow(id), key.elementsEqual(header.key) else {
      return false
    }
    row.created = life.created
    row.expiry = life.expiry
    header.version = version ?? header.version
    try renewStatement.bind(3, nil)
    try withSealed(header, row) { (sealed) throws(SQLiteError) in
      try renewStatement.bindBytes(4, sealed)
      try renewStatement.bind(5, Int64(bitPattern: sealedMark(row, sealed)))
      try renewStatement.run()
    }
    return true
  }

  private func sealedRow(_ id: ObjectID) throws(SQLiteError) -> (DiskRow, DiskHeader)? {
    try rowStatement.bind(1, Int64(id))
    defer { rowStatement.reset() }
    guard try rowStatement.step(), let row = Self.row(rowStatement, from: 0) else { return nil }
    return seal?.openHeader(rowStatement.blob(10), row).map { (row, $0) }
  }

  /// Calls `body` with the key of a row, whose bytes are valid during the call.
  func withKey(
    of id: ObjectID, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(SQLiteError) {
    if seal != nil {
      if let (_, header) = try sealedRow(id) { header.key.withUnsafeBytes { body($0) } }
      return
    }
    try keyStatement.bind(1, Int64(id))
    defer { keyStatement.reset() }
    if try keyStatement.step() { body(keyStatement.blob(0)) }
  }

  /// True if the entry of an id has a version.
  func hasVersion(_ id: ObjectID, _ slot: DiskSlot) throws(SQLiteError) -> Bool {
    // The key is kept only if the row has no other data, so no version.
    if slot.key != nil { return false }
    if seal != nil { return try sealedRow(id)?.1.version != nil }
    try getStatement.bind(1, Int64(id))
    defer { getStatement.reset() }
    return try getStatement.step() && getStatement.text(0) != nil
  }

  /// Version and content type of an entry, or nil if it belongs to another key with the same
  /// digest.
  private func texts(
    of id: ObjectID, _ key: UnsafeRawBufferPointer, _ slot: DiskSlot
  ) throws(SQLiteError) -> DiskReading? {
    if let stored = slot.key { return stored.elementsEqual(key) ? DiskReading() : nil }
    try keyStatement.bind(1, Int64(id))
    defer { keyStatement.reset() }
    guard try keyStatement.step() else { return nil }
    let stored = keyStatement.blob(0)
    guard stored.count == key.count, stored.elementsEqual(key) else { return nil }
    return DiskReading(version: keyStatement.text(1), contentType: keyStatement.text(2))
  }

  /// Reads the entry with this id; nil if there is none or it is another key's.
  ///
  /// A value in the row is checked, and copied if it is intact.
  func read(
    _ id: ObjectID, _ slot: DiskSlot, _ key: DiskKey
  ) throws(SQLiteError) -> DiskReading? {
    guard let seal else { return try Self.read(id, slot, key, with: getStatement) }
    return try Self.read(id, slot, key, seal, with: rowStatement)
  }

  static func read(
    _ id: ObjectID, _ slot: DiskSlot, _ key: DiskKey, with statement: SQLiteStatement
  ) throws(SQLiteError) -> DiskReading? {
    try statement.bind(1, Int64(id))
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let stored = statement.blob(2)
    guard stored.count == key.bytes.count, stored.elementsEqual(key.bytes) else { return nil }
    var reading = DiskReading(version: statement.text(0), contentType: statement.text(1))
    if slot.file == 0 {
      let value = statement.blob(3)
      if value.count == Int(slot.bytes),
        ByteHash.hash(value, seed: key.digest.checksumSeed) == slot.checksum
      {
        reading.value = value.baseAddress.map { Data(bytes: $0, count: value.count) } ?? Data()
      }
    }
    return reading
  }

  static func read(
    _ id: ObjectID, _ slot: DiskSlot, _ key: DiskKey, _ seal: DiskSeal,
    with statement: SQLiteStatement
  ) throws(SQLiteError) -> DiskReading? {
    try statement.bind(1, Int64(id))
    defer { statement.reset() }
    guard try statement.step(), let row = row(statement, from: 0) else { return nil }
    guard let header = seal.openHeader(statement.blob(10), row),
      key.bytes.elementsEqual(header.key)
    else { return nil }
    var reading = DiskReading(version: header.version, contentType: header.contentType)
    if slot.file == 0 {
      reading.value = seal.openValue(
        statement.blob(11), bytes: Int(slot.bytes), mark: slot.checksum, DiskSeal.binding(key))
    }
    return reading
  }

  /// Calls `body` with every row: its id, and its contents if it is intact. O(entries).
  func scan(
    _ body: (Int64, (row: DiskRow, key: UnsafeRawBufferPointer, hasText: Bool)?) -> Void
  ) throws(SQLiteError) {
    let scan = try connection.prepare(
      "SELECT id, \(Self.columns), mark, version, type, key FROM entries")
    defer { scan.finalize() }
    while try scan.step() {
      let id = scan.number(0)
      let (version, type, key) = (scan.textBytes(12), scan.textBytes(13), scan.blob(14))
      guard let row = Self.row(scan, from: 1),
        row.mark(key: key, version: version, type: type, seed: seed)
          == UInt64(bitPattern: scan.number(11))
      else {
        body(id, nil)
        continue
      }
      guard let seal else {
        body(id, (row, key, version != nil || type != nil))
        continue
      }
      guard let header = seal.openHeader(key, row) else {
        body(id, nil)
        continue
      }
      header.key.withUnsafeBytes {
        body(id, (row, $0, header.version != nil || header.contentType != nil))
      }
    }
  }

  /// Contents of a row, or nil if a number is out of range.
  static func row(_ statement: SQLiteStatement, from first: Int32) -> DiskRow? {
    guard let suite = UInt32(exactly: statement.number(first)),
      let bytes = UInt32(exactly: statement.number(first + 2)), bytes < .max
    else { return nil }
    let row = DiskRow(
      suite: suite, isPermanent: statement.number(first + 1) & 1 != 0, bytes: bytes,
      inserted: UInt64(bitPattern: statement.number(first + 3)),
      stored: UInt64(bitPattern: statement.number(first + 4)),
      created: UInt64(bitPattern: statement.number(first + 5)),
      expiry: Expiry(UInt64(bitPattern: statement.number(first + 6))),
      cost: Float(statement.double(first + 7)),
      checksum: UInt64(bitPattern: statement.number(first + 8)),
      file: UInt64(bitPattern: statement.number(first + 9)),
      mustRevalidate: statement.number(first + 1) & 2 != 0)
    let isInRange =
      row.inserted <= row.stored && row.stored <= DiskRow.sequenceMax
      && row.file <= DiskFolder.numberMax
    return isInRange ? row : nil
  }

  // MARK: Repair

  func move(_ id: Int64, to other: ObjectID) throws(SQLiteError) {
    let statement = try connection.prepare("UPDATE entries SET id = ? WHERE id = ?")
    defer { statement.finalize() }
    try statement.bind(1, Int64(other))
    try statement.bind(2, id)
    try statement.run()
  }

  func deleteForeignIDs() throws(SQLiteError) {
    try connection.execute(
      "DELETE FROM entries WHERE id NOT BETWEEN 1 AND \(ObjectID.max - 1)")
  }
}

extension DiskIndex {
  static let moveRowQuery = "SELECT \(columns), mark, version, type, key FROM entries WHERE id = ?"
  static let moveUpdate =
    "UPDATE entries SET file = ?, key = coalesce(?, key), mark = ? WHERE id = ?"

  /// Number of the file or segment offset that the row of an id names; nil without a row.
  func place(of id: ObjectID) throws(SQLiteError) -> UInt64? {
    let scan = try connection.prepare("SELECT file FROM entries WHERE id = ?")
    defer { scan.finalize() }
    try scan.bind(1, Int64(id))
    return try scan.step() ? UInt64(bitPattern: scan.number(0)) : nil
  }

  /// Changes a row to name another copy of its value; false if the row is damaged or does not match
  /// the slot.
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
