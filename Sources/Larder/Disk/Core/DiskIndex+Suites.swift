import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DiskIndex {
  /// The names of the suites, by number. One that is damaged or was tampered with is left out.
  func suites() throws(SQLiteError) -> [(UInt32, String)] {
    let scan = try connection.prepare("SELECT id, mark, name FROM suites ORDER BY id")
    defer { scan.finalize() }
    var suites: [(UInt32, String)] = []
    while try scan.step() {
      let bytes = scan.blob(2)
      guard let number = UInt32(exactly: scan.number(0)), number > 0,
        suiteMark(number, bytes) == scan.number(1)
      else { continue }
      if let seal {
        if let name = seal.openSuite(bytes, number: number) { suites.append((number, name)) }
      } else {
        suites.append((number, String(decoding: bytes, as: UTF8.self)))
      }
    }
    return suites
  }

  private func suiteMark(_ number: UInt32, _ name: UnsafeRawBufferPointer) -> Int64 {
    Int64(bitPattern: ByteHash.hash(name, seed: seed ^ UInt64(number) << 32 ^ 0x7375_6974))
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
        try insert.run()
      }
    }
    try result.get()
  }
}
