#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a database says of itself, with a checksum over all of it: damage to the salt or to the
/// text by which a key is known can be told from another key, and a damaged header of the file from
/// another format.
///
/// The table `facts` is the same in every format: a row with `format`, one with `seed`, one with
/// `seal`, which is empty where nothing is encrypted, and one with `mark`, their checksum. Rows
/// that name the codec of a suite have checksums of their own.
struct DiskFacts {
  static let table = "CREATE TABLE facts(name TEXT PRIMARY KEY, value)"

  var format: Int64
  /// What keys are hashed with.
  var seed: UInt64
  /// Salt and a sealed text; see `DiskSeal`. Empty where nothing is encrypted.
  var seal: Data

  init(format: Int64, seed: UInt64, seal: Data) {
    self.format = format
    self.seed = seed
    self.seal = seal
  }

  /// The facts of a database, or nil when they are not whole.
  init?(of connection: SQLiteConnection) throws(SQLiteError) {
    let scan = try connection.prepare("SELECT name, value FROM facts")
    defer { scan.finalize() }
    var numbers: [String: Int64] = [:]
    var seal: Data?
    while try scan.step() {
      let name = scan.text(0) ?? ""
      if name == "seal" {
        seal = Data(scan.blob(1))
      } else {
        numbers[name] = scan.number(1)
      }
    }
    guard let format = numbers["format"], let seed = numbers["seed"], let seal else { return nil }
    self.init(format: format, seed: UInt64(bitPattern: seed), seal: seal)
    guard numbers["mark"] == mark else { return nil }
  }

  /// The statements that write them.
  var inserts: String {
    let digits = seal.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return """
      INSERT INTO facts VALUES('format', \(format));
      INSERT INTO facts VALUES('seed', \(Int64(bitPattern: seed)));
      INSERT INTO facts VALUES('seal', x'\(digits)');
      INSERT INTO facts VALUES('mark', \(mark));
      """
  }

  var mark: Int64 {
    let numbers = [UInt64(bitPattern: format).littleEndian, seed.littleEndian]
    let hash = numbers.withUnsafeBytes { ByteHash.hash($0, seed: 0x4c61_7264_6572) }
    return Int64(bitPattern: seal.withUnsafeBytes { ByteHash.hash($0, seed: hash) })
  }
}
