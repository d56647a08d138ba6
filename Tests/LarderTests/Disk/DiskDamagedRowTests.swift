import Foundation
import Testing

@testable import Larder

/// Rows with other contents than were stored: the cache starts empty, and never crashes, has
/// another key's value, or takes memory for as many ids as one row claims.
@Suite struct DiskDamagedRowTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder(isSmall: true) }

  private func open(isEncrypted: Bool = false) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(bytes: 1 << 20, freeBytes: 0), inlineBytesMax: 100,
        encryption: isEncrypted ? try DiskEncryption(key: Data(count: 32)) : nil))
  }

  private func value(_ key: Int) -> Data {
    Data(repeating: UInt8(key), count: key % 2 == 0 ? 80 : 3_000)
  }

  private func raw(_ sql: String) throws {
    folder.removeSnapshot()
    try SQLiteConnection(path: folder.path + "/index.sqlite", busyMilliseconds: 0).execute(sql)
  }

  private func fill(isEncrypted: Bool) throws {
    let cache = try open(isEncrypted: isEncrypted)
    for key in 1...8 {
      try cache.set(
        value(key), for: "\(key)", suite: key > 4 ? "s" : "",
        options: DiskStoreOptions(timeToLive: .seconds(9_000), version: "v\(key)"))
    }
    try cache.close()
  }

  /// Checks that each key has its value and version, or nothing.
  private func check(_ cache: BlockingDiskCache, lost: Set<Int>) throws {
    for key in 1...8 {
      let entry = try cache.entry(for: "\(key)", suite: key > 4 ? "s" : "")
      #expect(entry?.data == (lost.contains(key) ? nil : value(key)), "\(key)")
      if let entry { #expect(entry.metadata.version == "v\(key)") }
    }
  }

  private static let damages = [
    "file = -1", "file = 9223372036854775807", "file = 4611686018427387905", "file = 'x'",
    "stored = -1", "stored = 9223372036854775807", "inserted = -1", "inserted = stored + 1",
    "suite = 4294967295", "suite = -1", "suite = 4294967296", "suite = 1", "bytes = -1",
    "bytes = 4294967295", "bytes = 4000000000", "bytes = 9223372036854775807", "permanent = 1",
    "created = -1", "expires = -1", "expires = 9223372036854775807", "cost = -1e300",
    "cost = 9e999", "cost = 'text'", "checksum = 0", "mark = 0", "version = 'v9'",
    "version = NULL", "version = x'00ff'", "type = 'text'", "key = x''", "key = 'other'",
    "value = NULL, file = 0", "bytes = 'text'", "stored = 1e300", "suite = 0.5",
    "key = zeroblob(100000)", "key = zeroblob(length(key))", "key = x'00'",
    "expires = expires + 1", "created = created + 1", "bytes = bytes + 1",
    "checksum = checksum + 1", "suite = 0", "suite = 77",
    "(key, value, checksum) = (SELECT key, value, checksum FROM entries WHERE id = 2)",
    "(value, checksum) = (SELECT value, checksum FROM entries WHERE id = 2)",
  ]

  /// Damage to entry 5, which is in a suite and has a file, to its id, or to a suite.
  private static let statements =
    damages.map { "UPDATE entries SET \($0) WHERE id = 5" }
    + [100_000_000, 4_294_967_294, 4_294_967_295, 0, -1, Int64.max, Int64.min].map {
      "UPDATE entries SET id = \($0) WHERE id = 5"
    }
    + [
      "name = CAST('t' AS BLOB)", "name = zeroblob(length(name))", "id = 7", "id = 4294967295",
      "id = -1", "mark = 1",
    ].map {
      "UPDATE suites SET \($0)"
    }

  @Test(arguments: statements, [false, true])
  func cacheWithDamagedRowStartsEmpty(statement: String, isEncrypted: Bool) throws {
    try fill(isEncrypted: isEncrypted)
    try raw(statement)
    var cache = try open(isEncrypted: isEncrypted)
    // Not damage if the row had this content anyway: texts of encrypted entries are sealed.
    let isSame =
      statement.contains("entries SET suite = 1 ")
      || isEncrypted && statement.contains("version = NULL")
    try check(cache, lost: isSame ? [] : Set(1...8))
    #expect(cache.statistics.rebuilds == (isSame ? 0 : 1))
    #expect(cache.core.slots.count < 2_000)
    try cache.set(Data(count: 3_000), for: "new", suite: "t")
    try cache.set(value(5), for: "5", suite: "s", options: DiskStoreOptions(version: "v5"))
    try cache.close()
    cache = try open(isEncrypted: isEncrypted)
    try check(cache, lost: isSame ? [] : [1, 2, 3, 4, 6, 7, 8])
    #expect(try cache.value(for: "new", suite: "t") == Data(count: 3_000))
    #expect(cache.statistics.damages == 0 && cache.statistics.rebuilds == 0)
  }

  /// One bit of a row's header flips, as by damage to a page: the 127th id was stored in one byte
  /// as 0x7f.
  @Test func everySingleBitOfSmallRowsMayFlip() throws {
    let cache = try open()
    for key in 0..<130 { try cache.set(Data([UInt8(key), 1, 2]), for: "key \(key)") }
    try cache.close()
    let path = URL(fileURLWithPath: folder.path + "/index.sqlite")
    let whole = try Data(contentsOf: path)
    var random = TestRandom(seed: 5)
    for _ in 0..<60 {
      var bytes = whole
      let place = 4_096 + random.below(bytes.count - 4_096)
      bytes[place] ^= 1 << UInt8(random.below(8))
      try bytes.write(to: path)
      let again = try open()
      for key in 0..<130 {
        let found = try again.value(for: "key \(key)")
        #expect(found == nil || found == Data([UInt8(key), 1, 2]))
      }
      try again.set(Data([1]), for: "new")
      try again.close()
      #expect(try open().value(for: "new") == Data([1]))
    }
  }
}
