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
  /// The names of the suites, by number. Those that are damaged or were tampered with are only
  /// counted.
  func suites() throws(SQLiteError) -> (names: [(UInt32, String)], damaged: Int) {
    let scan = try connection.prepare("SELECT id, mark, name FROM suites ORDER BY id")
    defer { scan.finalize() }
    var suites: [(UInt32, String)] = []
    var damaged = 0
    while try scan.step() {
      let bytes = scan.blob(2)
      guard let number = UInt32(exactly: scan.number(0)), number > 0,
        suiteMark(number, bytes) == scan.number(1)
      else {
        damaged += 1
        continue
      }
      let name = seal.map { $0.openSuite(bytes, number: number) }
      switch name {
      case .none: suites.append((number, String(decoding: bytes, as: UTF8.self)))
      case .some(.some(let name)): suites.append((number, name))
      case .some(.none): damaged += 1
      }
    }
    return (suites, damaged)
  }

  private func suiteMark(_ number: UInt32, _ name: UnsafeRawBufferPointer) -> Int64 {
    Int64(bitPattern: ByteHash.hash(name, seed: seed ^ UInt64(number) << 32 ^ 0x7375_6974))
  }

  private static var largestFact: String { "largest suite" }

  /// The largest number of a suite that was removed, 0 where none was.
  func largestSuite() throws(SQLiteError) -> UInt32 {
    let number = try connection.number(
      "SELECT value FROM facts WHERE name = '\(Self.largestFact)'")
    return UInt32(exactly: number) ?? 0
  }

  /// Removes suites in the open transaction, with what is recorded of their codecs.
  func removeSuites(_ numbers: [UInt32], largest: UInt32) throws(SQLiteError) {
    try connection.execute(
      "INSERT OR REPLACE INTO facts VALUES('\(Self.largestFact)', \(largest))")
    for number in numbers {
      try connection.execute(
        """
        DELETE FROM suites WHERE id = \(number);
        DELETE FROM facts WHERE name = '\(Self.codecFact)\(number)'
        """)
    }
  }

  /// Writes the names of all suites anew, over zeros: pages that were split hold copies of names
  /// that deleting a row does not reach. O(suites).
  func wipeSuites() throws(SQLiteError) {
    defer { try? connection.execute("PRAGMA secure_delete = FAST") }
    try connection.execute("PRAGMA secure_delete = ON")
    try connection.execute(
      """
      CREATE TEMP TABLE kept AS SELECT * FROM suites;
      DELETE FROM suites;
      INSERT INTO suites SELECT * FROM kept;
      DROP TABLE kept
      """)
  }

  func addSuite(_ number: UInt32, _ name: String) throws(SQLiteError) {
    var bytes = Data(name.utf8)
    if let seal {
      guard let sealed = seal.sealSuite(name, number: number) else {
        throw Self.cannotEncrypt(connection)
      }
      bytes = sealed
    }
    let insert = try connection.prepare("INSERT OR REPLACE INTO suites VALUES(?, ?, ?)")
    defer { insert.finalize() }
    try insert.bind(1, Int64(number))
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(SQLiteError) in
        try insert.bind(2, suiteMark(number, buffer))
        try insert.bindBytes(3, buffer)
        try commitAlone { () throws(SQLiteError) in try insert.run() }
      }
    }
    try result.get()
  }
}
