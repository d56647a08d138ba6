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
  static var codecFact: String { "codec " }

  /// The identities of the codecs whose values the suites hold, by the number of the suite. In an
  /// encrypted database, too, they are plain text. A damaged one is left out: it must not keep the
  /// suite from being used.
  func codecs() throws(SQLiteError) -> [UInt32: String] {
    let scan = try connection.prepare(
      "SELECT substr(name, \(Self.codecFact.utf8.count + 1)), value FROM facts "
        + "WHERE name LIKE '\(Self.codecFact)%'")
    defer { scan.finalize() }
    var codecs: [UInt32: String] = [:]
    while try scan.step() {
      guard let number = scan.text(0).flatMap({ UInt32($0) }),
        let parts = scan.text(1)?.split(separator: " ", maxSplits: 1), parts.count == 2,
        parts[0] == codecMark(String(parts[1]), number)
      else { continue }
      codecs[number] = String(parts[1])
    }
    return codecs
  }

  /// What stands before an identity, so that a damaged one is known.
  private func codecMark(_ identity: String, _ suite: UInt32) -> String {
    let hash = Array(identity.utf8).withUnsafeBytes {
      ByteHash.hash($0, seed: seed ^ UInt64(suite))
    }
    return String(hash, radix: 16)
  }

  /// Records the codec whose values a suite holds.
  func setCodec(_ identity: String, suite: UInt32) throws(SQLiteError) {
    let insert = try connection.prepare("INSERT OR REPLACE INTO facts VALUES(?, ?)")
    defer { insert.finalize() }
    try insert.bind(1, "\(Self.codecFact)\(suite)")
    try insert.bind(2, "\(codecMark(identity, suite)) \(identity)")
    try commitAlone { () throws(SQLiteError) in try insert.run() }
  }
}
