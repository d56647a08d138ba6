import Foundation
import Testing

@testable import Larder

/// Unreadable databases: set aside, reported and replaced by an empty one, or left unchanged and an
/// error.
@Suite struct DiskDamagedDatabaseTests {
  private let folder: ScratchFolder
  private let clock = ManualClock(seconds: 1_000)

  init() throws { folder = try ScratchFolder(isSmall: true) }

  private var path: String { folder.path + "/index.sqlite" }

  private func open(
    key: UInt8? = nil, _ handling: DiskTroubleHandling? = nil
  ) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(freeBytes: 0), inlineBytesMax: 100,
        encryption: try key.map { try DiskEncryption(key: Data(repeating: $0, count: 32)) },
        troubleHandling: handling),
      clock: clock)
  }

  private func fill(key: UInt8? = nil) throws {
    let cache = try open(key: key)
    for number in 0..<50 { try cache.set(Data([UInt8(number)]), for: "\(number)") }
    try cache.set(Data(count: 5_000), for: "large")
    try cache.close()
  }

  private func raw(_ sql: String) throws {
    folder.removeSnapshot()
    try SQLiteConnection(path: path, busyMilliseconds: 0).execute(sql)
  }

  private func change(_ body: (inout Data) -> Void) throws {
    folder.removeSnapshot()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    body(&bytes)
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  enum Harm: String, CaseIterable {
    case schemaText, noTable, missingColumn, header, pages, facts, seed, noFacts, format
    case readOnlyHeader, notADatabase
  }

  private func harm(_ harm: Harm) throws {
    switch harm {
    case .schemaText:
      try change { bytes in
        guard let place = bytes.range(of: Data("CREATE TABLE entries".utf8)) else { return }
        bytes[place.lowerBound + 3] ^= 1
      }
    case .noTable: try raw("DROP TABLE suites")
    case .missingColumn: try raw("ALTER TABLE entries RENAME COLUMN stored TO stared")
    case .header: try change { $0.replaceSubrange(0..<16, with: Data(count: 16)) }
    case .pages:
      try change { $0.replaceSubrange(100..<9_000, with: Data(repeating: 7, count: 8_900)) }
    case .facts: try raw("UPDATE facts SET value = x'0102' WHERE name = 'seal'")
    case .seed: try raw("UPDATE facts SET value = value + 1 WHERE name = 'seed'")
    case .noFacts: try raw("DELETE FROM facts")
    case .format: try raw("UPDATE facts SET value = 99 WHERE name = 'format'")
    // The write version: files with one above 2 must not be written.
    case .readOnlyHeader: try change { $0[18] = 7 }
    case .notADatabase: try Data("hello".utf8).write(to: URL(fileURLWithPath: path))
    }
  }

  @Test(arguments: Harm.allCases, [nil, 1] as [UInt8?])
  func unreadableDatabaseIsSetAside(_ harm: Harm, key: UInt8?) throws {
    try fill(key: key)
    try self.harm(harm)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    // With `fail` everything is left unchanged, on every attempt.
    for _ in 0..<2 {
      let error = #expect(throws: DiskCacheError.self) { try open(key: key, .fail) }
      guard case .damaged(let place, let message) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(place == path && !message.isEmpty)
      #expect(error?.description.contains("damaged") == true)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == bytes.count)
    let cache = try open(key: key)
    #expect(cache.count == 0 && cache.statistics.rebuilds == 1)
    #expect(cache.damage?.isEmpty == false)
    let kept = folder.path + "/damaged"
    #expect(FileManager.default.fileExists(atPath: kept + "/index.sqlite"))
    #expect(cache.diskBytes >= UInt64(bytes.count))
    #expect(try folder.valueFiles().isEmpty)
    try cache.set(Data([1]), for: "again")
    try cache.close()
    let again = try open(key: key)
    #expect(try again.value(for: "again") == Data([1]))
    #expect(again.damage == nil && again.statistics.rebuilds == 0)
    try again.removeAll()
    #expect(!FileManager.default.fileExists(atPath: kept))
  }

  /// Exchanged pages contain intact rows, but nothing may be stored in them any more.
  @Test(arguments: [false, true])
  func pagesOutOfOrderAreDamage(isCopied: Bool) throws {
    var random = TestRandom(seed: 3)
    var rebuilds: UInt64 = 0
    for _ in 0..<25 {
      try? FileManager.default.removeItem(atPath: folder.path)
      let cache = try open()
      for number in 0..<300 {
        try cache.set(Data(repeating: UInt8(number % 256), count: 90), for: "\(number)")
      }
      try cache.close()
      try change { bytes in
        let pages = bytes.count / 4_096
        let (one, other) = (random.below(pages) * 4_096, random.below(pages) * 4_096)
        let (first, second) = (bytes[one..<(one + 4_096)], bytes[other..<(other + 4_096)])
        if !isCopied { bytes.replaceSubrange(one..<(one + 4_096), with: second) }
        bytes.replaceSubrange(other..<(other + 4_096), with: first)
      }
      let again = try open()
      for number in 0..<300 {
        let found = try again.value(for: "\(number)")
        #expect(found == nil || found == Data(repeating: UInt8(number % 256), count: 90))
      }
      for number in 200..<600 { try again.set(Data(count: 50), for: "\(number)") }
      rebuilds += again.statistics.rebuilds
      try again.close()
      let last = try open()
      for number in 200..<600 { #expect(try last.value(for: "\(number)") == Data(count: 50)) }
      #expect(last.statistics.damages == 0)
      try last.close()
    }
    #expect(rebuilds > 10)
  }

  /// Damage to any byte of an encrypted database's facts is never permanently mistaken for another
  /// key.
  @Test func damagedFactsAreNotAWrongKey() throws {
    try fill(key: 1)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    // The seal is the only blob of 32 + 28 + 6 bytes that follows its name.
    let place = try #require(whole.range(of: Data("seal".utf8))).upperBound
    for offset in stride(from: 0, to: 66, by: 5) {
      var bytes = whole
      bytes[place + offset] ^= 0x20
      try bytes.write(to: URL(fileURLWithPath: path))
      let cache = try open(key: 1)
      #expect(cache.statistics.rebuilds == 1 && cache.count == 0, "\(offset)")
      try cache.set(Data([1]), for: "again")
      try cache.close()
      #expect(try open(key: 1).value(for: "again") == Data([1]))
    }
    let copies = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/damaged")
    #expect(copies == ["index.sqlite"], "only the newest is kept")
  }

  /// Damage found while the cache is open is handled in the same way.
  @Test(arguments: DiskTroubleHandling.allCases)
  func damageInUseIsHandled(handling: DiskTroubleHandling) throws {
    try fill()
    let cache = try open(handling)
    let code = DiskCacheError.damaged(path: path, message: "SQLite error 11: test")
    let error = SQLiteError(code: 11, message: "test", path: path)
    if handling == .fail {
      #expect(throws: code) { try cache.core.recover(from: error) }
      // It was no damage: the next call finds everything.
      #expect(try cache.value(for: "7") == Data([7]))
    } else {
      try cache.core.recover(from: error)
      #expect(try cache.value(for: "7") == nil)
      #expect(cache.damage == "SQLite error 11: test")
    }
    try cache.set(Data([1]), for: "again")
    try cache.close()
    #expect(try open().value(for: "again") == Data([1]))
  }

  /// After an error of the connection the next call opens another one.
  @Test func aConnectionThatFailsIsReplaced() throws {
    try fill()
    let cache = try open()
    #expect(throws: DiskCacheError.self) {
      try cache.core.recover(from: SQLiteError(code: 1, message: "test", path: path))
    }
    #expect(try cache.value(for: "7") == Data([7]))
    #expect(cache.statistics.rebuilds == 0)
  }

  /// On Apple's systems `full` must reach the disk itself.
  @Test(arguments: DiskDurability.allCases)
  func fullWaitsForTheDrive(durability: DiskDurability) throws {
    let cache = try BlockingDiskCache(
      path: folder.path, configuration: DiskConfiguration(durability: durability))
    let connection = try cache.core.openIndex().connection
    for pragma in ["fullfsync", "checkpoint_fullfsync"] {
      #expect(try connection.number("PRAGMA \(pragma)") == (durability == .full ? 1 : 0))
    }
  }
}
