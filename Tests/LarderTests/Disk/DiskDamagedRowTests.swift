import Foundation
import Testing

@testable import Larder

/// Rows with impossible contents: a miss, and never a crash, another key's value or memory for as
/// many ids as one row claims.
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
    "key = zeroblob(100000)",
  ]

  /// Entry 5 is in a suite and has a file; all other entries stay.
  @Test(arguments: damages, [false, true])
  func onlyTheDamagedRowIsLost(damage: String, isEncrypted: Bool) throws {
    try fill(isEncrypted: isEncrypted)
    try raw("UPDATE entries SET \(damage) WHERE id = 5")
    var cache = try open(isEncrypted: isEncrypted)
    // Not damage if the row had this content anyway: texts of encrypted entries are sealed.
    let isSame = damage == "suite = 1" || isEncrypted && damage == "version = NULL"
    try check(cache, lost: isSame ? [] : [5])
    #expect(cache.statistics.damages == (isSame ? 0 : 1))
    #expect(cache.statistics.rebuilds == 0)
    try cache.set(Data(count: 3_000), for: "new", suite: "t")
    try cache.set(value(5), for: "5", suite: "s", options: DiskStoreOptions(version: "v5"))
    try cache.close()
    cache = try open(isEncrypted: isEncrypted)
    try check(cache, lost: [])
    #expect(try cache.value(for: "new", suite: "t") == Data(count: 3_000))
    #expect(cache.statistics.damages == 0)
  }

  /// Rows with large ids get other ids; rows with invalid ids are deleted.
  @Test(arguments: [100_000_000, 4_294_967_294, 4_294_967_295, 0, -1, Int64.max, Int64.min])
  func aRowWithAnyIDNeedsLittleMemory(id: Int64) throws {
    try fill(isEncrypted: false)
    try raw("UPDATE entries SET id = \(id) WHERE id = 5")
    var cache = try open()
    #expect(cache.core.slots.count < 100_000)
    try check(cache, lost: [])
    for key in 9..<40 { try cache.set(Data(count: 50), for: "\(key)") }
    try check(cache, lost: [])
    try cache.close()
    cache = try open()
    try check(cache, lost: [])
    #expect(cache.count == 39 && cache.statistics.damages == 0)
  }

  /// The order of use of a trimmed cache is preserved for rows that get other ids.
  @Test func orderOfUseSurvivesChangedIDs() throws {
    func open(entriesMax: Int) throws -> BlockingDiskCache {
      try BlockingDiskCache(
        path: folder.path,
        configuration: DiskConfiguration(
          limits: DiskLimits(bytes: nil, count: entriesMax, freeBytes: 0)))
    }
    var cache = try open(entriesMax: 100)
    for key in 1...3 { try cache.set(value(key), for: "\(key)") }
    #expect(try cache.value(for: "1") == value(1))
    try cache.close()
    try raw("UPDATE entries SET id = id + 1000000")
    // The file `order` has the previous ids.
    try raw("UPDATE entries SET id = id - 1000000 WHERE id <> 1000002")
    cache = try open(entriesMax: 2)
    #expect(try cache.contains("1") && cache.contains("3") && !cache.contains("2"))
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

  /// A damaged suite name may be another suite's; its entries must not move there.
  @Test(arguments: ["name = CAST('t' AS BLOB)", "id = 7", "id = 4294967295", "id = -1", "mark = 1"])
  func aDamagedSuiteIsLost(damage: String) throws {
    try fill(isEncrypted: false)
    try raw("UPDATE suites SET \(damage)")
    let cache = try open()
    try check(cache, lost: [5, 6, 7, 8])
    for name in ["s", "t", "u"] {
      #expect(try cache.value(for: "5", suite: name) == nil)
      try cache.set(Data([9]), for: "5", suite: name)
      #expect(try cache.value(for: "6", suite: name) == nil)
    }
    try cache.close()
    let again = try open()
    for name in ["s", "t", "u"] { #expect(try again.value(for: "5", suite: name) == Data([9])) }
    #expect(again.statistics.damages == 0 && again.count == 7)
  }
}
