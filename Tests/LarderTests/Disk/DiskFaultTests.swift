import Foundation
import Testing

@testable import Larder

/// Any failure is an error or a miss, never a wrong value, and the cache works again afterwards.
@Suite struct DiskFaultTests {
  private let folder: ScratchFolder
  private let files = FaultyFiles()
  private let clock = ManualClock(seconds: 1_000)

  init() throws { folder = try ScratchFolder() }

  private func open(
    _ limits: DiskLimits = DiskLimits(bytes: nil, freeBytes: 0),
    durability: DiskDurability = .normal
  ) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: limits, durability: durability, inlineBytesMax: 100, groupWrites: 7),
      clock: clock, files: files)
  }

  private func bytes(_ count: Int, _ seed: Int = 0) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 31 ^ $0 >> 8) })
  }

  enum Harm: CaseIterable { case delete, empty, cut, lengthen, change }

  @Test(arguments: Harm.allCases)
  func damagedValueFileIsAMiss(harm: Harm) throws {
    let cache = try open()
    try cache.set(bytes(3_000), for: "a")
    let file = try #require(try folder.valueFiles().first)
    let whole = try Data(contentsOf: URL(fileURLWithPath: file))
    switch harm {
    case .delete: try FileManager.default.removeItem(atPath: file)
    case .empty: try Data().write(to: URL(fileURLWithPath: file))
    case .cut: try whole.dropLast().write(to: URL(fileURLWithPath: file))
    case .lengthen: try (whole + [0]).write(to: URL(fileURLWithPath: file))
    case .change:
      var changed = whole
      changed[1_234] ^= 4
      try changed.write(to: URL(fileURLWithPath: file))
    }
    #expect(try cache.value(for: "a") == nil)
    #expect(cache.statistics.damages == 1)
    #expect(cache.count == 0 && cache.valueBytes == 0)
    try cache.set(bytes(3_000, 5), for: "a")
    #expect(try cache.value(for: "a") == bytes(3_000, 5))
    try cache.close()
    #expect(try open().value(for: "a") == bytes(3_000, 5))
  }

  /// Lack of permission, a locked device, a cable or a network: no evidence of damage.
  @Test(arguments: [EPERM, EACCES, EIO, ESTALE, ETIMEDOUT, EMFILE], [nil, 16_384])
  func valueThatCannotBeReadNowStays(number: Int32, segmentBytes: Int?) throws {
    let cache = try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(freeBytes: 0), inlineBytesMax: 100, segmentBytes: segmentBytes),
      clock: clock, files: files)
    try cache.set(bytes(3_000), for: "a", options: DiskStoreOptions(isPermanent: true))
    try cache.set(bytes(3_000, 1), for: "b")
    files.set {
      $0.calls = ["read"]
      $0.number = number
    }
    for key in ["a", "b"] {
      let error = #expect(throws: DiskCacheError.self) { try cache.value(for: key) }
      guard case .files = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    files.set { $0.calls = [] }
    #expect(cache.count == 2 && cache.statistics.damages == 0)
    #expect(try cache.value(for: "a") == bytes(3_000))
    #expect(try cache.value(for: "b") == bytes(3_000, 1))
  }

  @Test(arguments: [ENOENT, ELOOP, EISDIR, ENXIO])
  func valueWithoutAFileIsDamaged(number: Int32) throws {
    let cache = try open()
    try cache.set(bytes(3_000), for: "a")
    files.set {
      $0.calls = ["read"]
      $0.number = number
    }
    #expect(try cache.value(for: "a") == nil)
    #expect(cache.count == 0 && cache.statistics.damages == 1)
  }

  /// Nothing is pruned while folders cannot be listed or files not be examined.
  @Test(arguments: ["list", "kind", "makeFolder"], [EPERM, EIO, ESTALE])
  func folderThatCannotBeReadNowIsNotPruned(call: String, number: Int32) throws {
    try open().set(bytes(3_000), for: "a")
    files.set {
      $0.calls = [call]
      $0.number = number
    }
    #expect(throws: DiskCacheError.self) { try open() }
    files.set { $0.calls = [] }
    #expect(try open().value(for: "a") == bytes(3_000))
  }

  @Test func aMissingFileIsFoundWhenOpening() throws {
    let cache = try open()
    try cache.set(bytes(3_000), for: "a")
    try cache.set(bytes(4_000), for: "b")
    try cache.close()
    let file = try #require(try folder.valueFiles().first)
    try FileManager.default.removeItem(atPath: file)
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: folder.path + "/files/stray"))
    try Data([1, 2, 3]).write(
      to: URL(fileURLWithPath: URL(fileURLWithPath: file).deletingLastPathComponent().path + "/zz"))
    let again = try open()
    #expect(again.count == 1 && again.statistics.damages == 1)
    #expect(try !again.contains("a"))
    #expect(try again.value(for: "b") == bytes(4_000))
  }

  @Test func damagedValueInTheDatabaseIsAMiss() throws {
    let cache = try open()
    for (seed, key) in ["a", "b", "c"].enumerated() { try cache.set(bytes(50, seed), for: key) }
    try cache.close()
    do {
      let raw = try SQLiteConnection(path: folder.path + "/index.sqlite", busyMilliseconds: 0)
      try raw.execute("UPDATE entries SET value = zeroblob(50) WHERE key = CAST('a' AS BLOB)")
      try raw.execute(
        """
        UPDATE entries SET value = (SELECT value FROM entries WHERE key = CAST('c' AS BLOB))
        WHERE key = CAST('b' AS BLOB)
        """)
    }
    let again = try open()
    #expect(try again.value(for: "a") == nil)
    #expect(try again.value(for: "b") == nil, "another key's value")
    #expect(try again.value(for: "c") == bytes(50, 2))
    #expect(again.statistics.damages == 2)
  }

  @Test func aByteThatChangedOnTheDiskIsAMiss() throws {
    let cache = try open()
    for key in 0..<20 { try cache.set(bytes(90, key * 7), for: "\(key)") }
    try cache.close()
    let path = URL(fileURLWithPath: folder.path + "/index.sqlite")
    var database = try Data(contentsOf: path)
    let place = try #require(database.range(of: bytes(90, 35)))
    database[place.lowerBound + 44] ^= 0x10
    try database.write(to: path)
    let again = try open()
    for key in 0..<20 {
      #expect(try again.value(for: "\(key)") == (key == 5 ? nil : bytes(90, key * 7)))
    }
    #expect(again.statistics.damages == 1 && again.statistics.rebuilds == 0)
    try again.set(bytes(90), for: "5")
    #expect(try again.value(for: "5") == bytes(90))
  }

  /// An open cache excludes other connections to the database; a reader keeps the cache from
  /// opening meanwhile.
  @Test func otherConnectionsAndTheCacheExcludeEachOther() throws {
    let cache = try open()
    try cache.set(bytes(50), for: "a")
    do {
      let raw = try SQLiteConnection(path: folder.path + "/index.sqlite", busyMilliseconds: 0)
      let error = #expect(throws: SQLiteError.self) {
        try raw.number("SELECT count(*) FROM entries")
      }
      #expect(error?.isBusy == true)
    }
    try cache.set(bytes(60), for: "a")
    try cache.close()
    do {
      let raw = try SQLiteConnection(path: folder.path + "/index.sqlite", busyMilliseconds: 0)
      try raw.execute("BEGIN; SELECT count(*) FROM entries")
      #expect(throws: DiskCacheError.self) { try open() }
    }
    let again = try open()
    #expect(try again.value(for: "a") == bytes(60))
  }

  @Test(arguments: [0.0, 0.3, 0.9], [true, false])
  func aDamagedDatabaseIsReplaced(place: Double, cuts: Bool) throws {
    let cache = try open()
    for key in 0..<200 { try cache.set(bytes(90, key), for: "\(key)") }
    try cache.set(bytes(5_000), for: "large")
    try cache.close()
    let path = URL(fileURLWithPath: folder.path + "/index.sqlite")
    var database = try Data(contentsOf: path)
    let start = Int(Double(database.count) * place)
    if cuts {
      database = database.prefix(start + 50)
    } else {
      for index in start..<min(start + 8_192, database.count) { database[index] = 0xa5 }
    }
    try database.write(to: path)
    let again = try open()
    for key in 0..<200 {
      let found = try again.value(for: "\(key)")
      #expect(found == nil || found == bytes(90, key))
    }
    #expect(again.statistics.rebuilds == 1)
    #expect(again.count == 0)
    #expect(try folder.valueFiles().isEmpty)
    try again.set(bytes(5_000, 2), for: "large")
    try again.close()
    #expect(try open().value(for: "large") == bytes(5_000, 2))
  }

  @Test func lockedDatabaseIsAnError() throws {
    try open().close()
    do {
      let raw = try SQLiteConnection(path: folder.path + "/index.sqlite", busyMilliseconds: 0)
      try raw.execute("BEGIN EXCLUSIVE")
      let error = #expect(throws: DiskCacheError.self) { try open() }
      guard case .database(_, let code, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(code & 0xff == 5)
    }
    #expect(try open().count == 0)
  }

  @Test func folderThatCannotBeOpenedIsAnError() throws {
    try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
    let error = #expect(throws: DiskCacheError.self) {
      try BlockingDiskCache(path: folder.path + "/file/cache")
    }
    #expect(error?.description.contains(folder.path) == true)
    files.set { $0.calls = ["makeFolder"] }
    #expect(throws: DiskCacheError.self) { try open() }
    files.set { $0.calls = ["list"] }
    #expect(throws: DiskCacheError.self) { try open() }
    files.set { $0.calls = [] }
    #expect(try open().count == 0)
  }

  @Test(arguments: ["write", "rename", "makeFolder", "syncFolder"])
  func failedSetIsAnErrorAndRemovesTheValue(call: String) throws {
    let cache = try open(durability: .full)
    try cache.set(bytes(20), for: "a")
    files.set { $0.calls = [call] }
    #expect(throws: DiskCacheError.self) { try cache.set(bytes(2_000), for: "a") }
    #expect(try cache.value(for: "a") == nil)
    #expect(cache.count == 0 && cache.valueBytes == 0)
    files.set { $0.calls = [] }
    try cache.set(bytes(2_000, 3), for: "a")
    #expect(try cache.value(for: "a") == bytes(2_000, 3))
    try cache.close()
    let again = try open()
    #expect(try again.value(for: "a") == bytes(2_000, 3))
    #expect(try folder.valueFiles().count == 1)
  }

  @Test func suiteSurvivesARollback() throws {
    let cache = try open(durability: .none)
    try cache.set(bytes(10), for: "before")
    try cache.set(bytes(10), for: "a", suite: "one")
    cache.core.rollBack(try cache.core.openIndex())
    #expect(try cache.value(for: "a", suite: "one") == nil)
    try cache.set(bytes(20), for: "b", suite: "one")
    try cache.close()
    let again = try open()
    try again.set(bytes(30), for: "b", suite: "two")
    #expect(try again.value(for: "b", suite: "one") == bytes(20))
    #expect(try again.value(for: "b", suite: "two") == bytes(30))
    #expect(try again.value(for: "before") == bytes(10))
  }

  @Test func unknownFreeSpaceStoresNothing() throws {
    let cache = try open(.checkingAlways(freeBytes: 1_000))
    try cache.set(bytes(50), for: "a")
    try cache.set(bytes(5_000), for: "b", options: DiskStoreOptions(isPermanent: true))
    files.set { $0.calls = ["freeBytes"] }
    for key in ["a", "b", "c"] {
      #expect(throws: DiskCacheError.self) { try cache.set(bytes(60), for: key) }
      #expect(try cache.value(for: key) == nil)
    }
    files.set { $0.calls = [] }
    #expect(cache.count == 0 && cache.valueBytes == 0)
    try cache.set(bytes(60), for: "a")
    try cache.close()
    let again = try open()
    #expect(try again.value(for: "a") == bytes(60) && again.count == 1)
  }

  @Test func freeBytesAreKeptFree() throws {
    let cache = try open(.checkingAlways(freeBytes: 1_000_000))
    files.set { $0.freeBytes = 2_000_000 }
    for key in 0..<50 { try cache.set(bytes(1_000, key), for: "\(key)") }
    #expect(cache.count == 50)
    files.set { $0.freeBytes = 990_000 }
    // Still too little afterwards: 11,000 bytes are evicted, and the value is not stored.
    #expect(try !cache.set(bytes(1_000), for: "new"))
    #expect(cache.statistics.pressure == 11)
    #expect(cache.statistics.rejections == 1)
    #expect(cache.count == 39)
    #expect(try folder.valueFiles().count == 39)
    files.set { $0.freeBytes = 2_000_000 }
    #expect(try cache.set(bytes(1_000), for: "new"))
    #expect(cache.count == 40)
  }
}
