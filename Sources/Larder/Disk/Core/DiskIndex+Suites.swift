import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DiskIndex {
  /// The names of the suites, by number. One that was tampered with is left out.
  func suites() throws(SQLiteError) -> [(UInt32, String)] {
    let scan = try connection.prepare("SELECT id, name FROM suites ORDER BY id")
    defer { scan.reset() }
    var suites: [(UInt32, String)] = []
    while try scan.step() {
      guard let number = UInt32(exactly: scan.number(0)) else { continue }
      if let seal {
        if let name = seal.openSuite(scan.blob(1), number: number) {
          suites.append((number, name))
        }
      } else {
        suites.append((number, String(decoding: scan.blob(1), as: UTF8.self)))
      }
    }
    return suites
  }

  func addSuite(_ number: UInt32, _ name: String) throws(SQLiteError) {
    var bytes = Data(name.utf8)
    if let seal {
      guard let sealed = seal.sealSuite(name, number: number) else {
        throw SQLiteError(code: SQLITE_ERROR, message: "cannot encrypt", path: connection.path)
      }
      bytes = sealed
    }
    let insert = try connection.prepare("INSERT OR REPLACE INTO suites VALUES(?, ?)")
    try insert.bind(1, Int64(number))
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(SQLiteError) in
        try insert.bindBytes(2, buffer)
        try insert.run()
      }
    }
    try result.get()
  }
}
