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
  func put(
    _ id: ObjectID, _ row: DiskRow, _ options: DiskStoreOptions, key: UnsafeRawBufferPointer,
    body: UnsafeRawBufferPointer?
  ) throws(SQLiteError) {
    let numbers = [
      UInt64(id), UInt64(row.suite), UInt64(row.flags), UInt64(row.bytes), row.inserted, row.stored,
      row.created, row.expiry.microseconds,
    ]
    for (place, number) in zip(Int32(1)..., numbers) {
      try putStatement.bind(place, Int64(bitPattern: number))
    }
    try putStatement.bind(9, Double(row.cost))
    try putStatement.bind(10, Int64(bitPattern: row.checksum))
    try putStatement.bind(11, Int64(bitPattern: row.file))
    try putStatement.bindBytes(16, body)
    try withTexts(id, row, key, options.version, options.contentType) {
      (mark, key, version, type) throws(SQLiteError) in
      try putStatement.bind(12, Int64(bitPattern: mark))
      try putStatement.bind(13, version)
      try putStatement.bind(14, type)
      try putStatement.bindBytes(15, key)
      try putStatement.run()
    }
    try tags?.put(id, suite: row.suite, key)
  }

  /// Calls `body` with the mark of a row, and its key, version and content type as they are stored.
  private func withTexts(
    _ id: ObjectID, _ row: DiskRow, _ key: UnsafeRawBufferPointer, _ version: String?,
    _ type: String?,
    _ body: (UInt64, UnsafeRawBufferPointer, String?, String?) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    guard let seal else {
      let mark = row.mark(of: id, key: key, version: version, type: type, seed: seed)
      return try body(mark, key, version, type)
    }
    let header = DiskHeader(key: key, version: version, contentType: type)
    guard let sealed = seal.sealHeader(header, row) else { throw Self.cannotEncrypt(connection) }
    let result = sealed.withUnsafeBytes { bytes in
      Result { () throws(SQLiteError) in
        let mark = row.mark(of: id, key: bytes, version: nil, type: nil, seed: seed)
        try body(mark, bytes, nil, nil)
      }
    }
    try result.get()
  }

  func delete(_ id: ObjectID) throws(SQLiteError) {
    if let tags, let (row, header) = try stored(id) {
      try tags.delete(id, suite: row.suite, header.key)
    }
    try deleteStatement.bind(1, Int64(id))
    try deleteStatement.run()
  }

  func deleteAll() throws(SQLiteError) {
    try connection.execute("DELETE FROM entries")
    try tags?.deleteAll()
  }

  /// Changes the lifetime of a row, and its version if one is given; false if its key differs. The
  /// value is not rewritten: SQLite updates the first page of the row in place.
  func renew(
    _ id: ObjectID, _ key: UnsafeRawBufferPointer, _ life: DiskLife, version: String?
  ) throws(SQLiteError) -> Bool {
    guard var (row, header) = try stored(id), key.elementsEqual(header.key) else { return false }
    row.created = life.created
    row.expiry = life.expiry
    header.version = version ?? header.version
    try update(id, row, header)
    return true
  }

  /// Changes a row to name another copy of its value; false if the row is damaged or does not match
  /// the slot.
  func move(
    _ id: ObjectID, _ slot: DiskSlot, toPlace file: UInt64
  ) throws(SQLiteError) -> Bool {
    guard let (found, header) = try stored(id), found.stored == slot.stored,
      found.file == slot.file
    else { return false }
    var row = found
    row.file = file
    try update(id, row, header)
    return true
  }

  private func update(
    _ id: ObjectID, _ row: DiskRow, _ header: DiskHeader
  ) throws(SQLiteError) {
    let numbers = [row.created, row.expiry.microseconds, row.file]
    for (place, number) in zip(Int32(1)..., numbers) {
      try updateStatement.bind(place, Int64(bitPattern: number))
    }
    try updateStatement.bind(7, Int64(id))
    let result = header.key.withUnsafeBytes { key in
      Result { () throws(SQLiteError) in
        try withTexts(id, row, key, header.version, header.contentType) {
          (mark, key, version, _) throws(SQLiteError) in
          try updateStatement.bind(4, version)
          try updateStatement.bindBytes(5, seal == nil ? nil : key)
          try updateStatement.bind(6, Int64(bitPattern: mark))
          try updateStatement.run()
        }
      }
    }
    try result.get()
  }

  /// Contents of the row of an id, except its value; nil if there is none, or it is damaged.
  func stored(_ id: ObjectID) throws(SQLiteError) -> (row: DiskRow, header: DiskHeader)? {
    try rowStatement.bind(1, Int64(id))
    defer { rowStatement.reset() }
    guard try rowStatement.step() else { return nil }
    return Self.contents(rowStatement, from: 0, of: Int64(id), seed, seal)
  }

  static func contents(
    _ statement: SQLiteStatement, from first: Int32, of id: Int64, _ seed: UInt64, _ seal: DiskSeal?
  ) -> (row: DiskRow, header: DiskHeader)? {
    let (version, type) = (statement.textBytes(first + 11), statement.textBytes(first + 12))
    let key = statement.blob(first + 13)
    guard let row = row(statement, from: first),
      row.mark(of: id, key: key, version: version, type: type, seed: seed)
        == UInt64(bitPattern: statement.number(first + 10))
    else { return nil }
    if let seal { return seal.openHeader(key, row).map { (row, $0) } }
    let texts = (statement.text(first + 11), statement.text(first + 12))
    return (row, DiskHeader(key: key, version: texts.0, contentType: texts.1))
  }

  func hasVersion(_ id: ObjectID, _ slot: DiskSlot) throws(SQLiteError) -> Bool {
    guard slot.hasTexts else { return false }
    return try stored(id)?.header.version != nil
  }

  func read(
    _ id: ObjectID, _ slot: DiskSlot, _ key: DiskKey
  ) throws(SQLiteError) -> DiskReading? {
    try Self.read(id, slot, key, seed, seal, with: rowStatement)
  }

  /// Contents of the row of an entry; nil if it is damaged or not the row that the slot describes.
  static func read(
    _ id: ObjectID, _ slot: DiskSlot, _ key: DiskKey, _ seed: UInt64, _ seal: DiskSeal?,
    with statement: SQLiteStatement
  ) throws(SQLiteError) -> DiskReading? {
    try statement.bind(1, Int64(id))
    defer { statement.reset() }
    guard try statement.step(),
      let (row, header) = contents(statement, from: 0, of: Int64(id), seed, seal),
      row.stored == slot.stored, key.bytes.elementsEqual(header.key)
    else { return nil }
    var reading = DiskReading(version: header.version, contentType: header.contentType)
    if slot.file == 0 { reading.value = value(statement.blob(14), of: row, key, seal) }
    return reading
  }

  static func value(
    _ stored: UnsafeRawBufferPointer, of row: DiskRow, _ key: DiskKey, _ seal: DiskSeal?
  ) -> Data? {
    if let seal {
      return seal.openValue(
        stored, bytes: Int(row.bytes), mark: row.checksum, DiskSeal.binding(key))
    }
    return intact(stored, row.bytes, row.checksum, key)
  }

  private static func intact(
    _ value: UnsafeRawBufferPointer, _ bytes: UInt32, _ checksum: UInt64, _ key: DiskKey
  ) -> Data? {
    guard value.count == Int(bytes),
      ByteHash.hash(value, seed: key.digest.checksumSeed) == checksum
    else { return nil }
    return value.baseAddress.map { Data(bytes: $0, count: value.count) } ?? Data()
  }

  /// Calls `body` with up to `count` rows of ids in a range, by ascending id, and nil for one that
  /// is damaged. Returns the id after the last, nil at the end.
  @discardableResult func scan(
    _ ids: ClosedRange<Int64> = .min ... .max, count: Int = -1,
    _ body: ((ObjectID, DiskRow, DiskHeader)?) -> Void
  ) throws(SQLiteError) -> ObjectID? {
    defer { scanStatement.reset() }
    try scanStatement.bind(1, ids.lowerBound)
    try scanStatement.bind(2, ids.upperBound)
    try scanStatement.bind(3, Int64(count))
    var (rows, last) = (0, max(1, ids.lowerBound) - 1)
    while try scanStatement.step() {
      rows += 1
      let number = scanStatement.number(14)
      defer { last = number }
      guard number > last, let id = ObjectID(exactly: number), id < .max,
        let (row, header) = Self.contents(scanStatement, from: 0, of: number, seed, seal)
      else {
        body(nil)
        continue
      }
      body((id, row, header))
    }
    return rows == count && 1...(.max - 1) ~= last ? ObjectID(exactly: last + 1) : nil
  }

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
}
