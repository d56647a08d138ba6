import Foundation
import LarderEngine
import Testing

@testable import Larder

/// Opening a cache with the slots of its last snapshot instead of all rows.
@Suite struct DiskSnapshotTests {
  private let folder: ScratchFolder
  private let clock = ManualClock(seconds: 1_000)

  init() throws { folder = try ScratchFolder(isSmall: true) }

  private func open(
    _ path: String? = nil, isEncrypted: Bool = false, idle: Duration? = nil,
    files: any FileLayer = SystemFiles()
  ) throws -> BlockingDiskCache {
    var configuration = DiskConfiguration(
      limits: DiskLimits(freeBytes: 0), inlineBytesMax: 1_000, expireAfterAccess: idle)
    if isEncrypted {
      configuration.encryption = try DiskEncryption(key: Data(repeating: 7, count: 32))
    }
    return try BlockingDiskCache(
      path: path ?? folder.path, configuration: configuration, clock: clock, files: files)
  }

  private func raw(_ sql: String) throws {
    try SQLiteConnection(path: folder.path + "/index.sqlite", busyMilliseconds: 0).execute(sql)
  }

  /// One in 16 values has a file, and one in eight a version and a TTL.
  private func set(_ cache: BlockingDiskCache, _ key: Int, _ version: Int) throws {
    let bytes = key % 16 == 0 ? 1_500 : key % 50
    let options =
      key % 8 == 0
      ? DiskStoreOptions(timeToLive: .seconds(500), version: "\(key) \(version)")
      : DiskStoreOptions(isPermanent: key % 8 == 1)
    try cache.set(
      Data(repeating: UInt8(truncatingIfNeeded: key &+ version), count: bytes), for: "\(key)",
      suite: key % 3 == 0 ? "s" : "", options: options)
  }

  private func check(
    _ cache: BlockingDiskCache, _ versions: [Int: Int], lost: Set<Int> = [],
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    for (key, version) in versions {
      let entry = try cache.entry(for: "\(key)", suite: key % 3 == 0 ? "s" : "")
      #expect((entry == nil) == lost.contains(key), "\(key)", sourceLocation: location)
      guard let entry else { continue }
      let byte = UInt8(truncatingIfNeeded: key &+ version)
      #expect(entry.data.allSatisfy { $0 == byte }, "\(key)", sourceLocation: location)
      #expect(
        entry.metadata.version == (key % 8 == 0 ? "\(key) \(version)" : nil)
          && entry.metadata.isPermanent == (key % 8 == 1), "\(key)", sourceLocation: location)
    }
    #expect(cache.statistics.rebuilds == 0, sourceLocation: location)
    #expect(cache.statistics.damages == UInt64(lost.count), sourceLocation: location)
  }

  private func filled(_ count: Int, isEncrypted: Bool = false) throws -> [Int: Int] {
    let cache = try open(isEncrypted: isEncrypted)
    for key in 0..<count { try set(cache, key, 1) }
    try cache.close()
    return Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, 1) })
  }

  /// A row that is damaged shows that opening did not read it, and is found when it is needed.
  @Test(arguments: [false, true])
  func openingReadsNoRow(isEncrypted: Bool) throws {
    let versions = try filled(3_000, isEncrypted: isEncrypted)
    try raw("UPDATE entries SET mark = 0, value = zeroblob(9) WHERE id IN (6, 17, 2000)")
    let cache = try open(isEncrypted: isEncrypted)
    #expect(try cache.count == 3_000 && cache.suites().map(\.count) == [2_000, 1_000])
    try check(cache, versions, lost: [5, 16, 1_999])
    clock.advance(seconds: 500)
    #expect(try !cache.contains("8") && cache.contains("7"))
    try cache.close()
    // What was lost is gone for good, and all rows are whole.
    folder.removeSnapshot()
    try check(
      open(isEncrypted: isEncrypted),
      versions.filter { $0.key % 8 != 0 && $0.key != 5 && $0.key != 1_999 })
  }

  /// The process ends without closing the cache: the rows are read.
  @Test(arguments: [false, true])
  func changesSinceTheSnapshotAreRead(isEncrypted: Bool) throws {
    var versions = try filled(3_000, isEncrypted: isEncrypted)
    let cache = try open(isEncrypted: isEncrypted)
    for key in [3, 16, 700, 3_000, 3_100, 9_999] {
      try set(cache, key, 2)
      versions[key] = 2
    }
    for key in [4, 32, 702] {
      #expect(try cache.remove("\(key)", suite: key % 3 == 0 ? "s" : ""))
      versions[key] = nil
    }
    #expect(try cache.renew("8", timeToLive: .seconds(2_000), version: "8 1"))
    let copy = folder.path + ".copy"
    try FileManager.default.copyItem(atPath: folder.path, toPath: copy)
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let again = try open(copy, isEncrypted: isEncrypted)
    try check(again, versions)
    for key in [4, 32, 702] {
      #expect(try !again.contains("\(key)", suite: key % 3 == 0 ? "s" : ""))
    }
    clock.advance(seconds: 1_500)
    #expect(try again.contains("8") && !again.contains("40"))
    withExtendedLifetime(cache) {}
  }

  /// Also one that another process has left: it is known by its number in the database.
  @Test(arguments: [false, true])
  func staleSnapshotIsNotBelieved(isKilled: Bool) throws {
    var versions = try filled(200)
    let url = URL(fileURLWithPath: folder.path + "/snapshot")
    let stale = try Data(contentsOf: url)
    let cache = try open()
    for key in 0..<200 where key % 5 == 0 {
      try set(cache, key, 2)
      versions[key] = 2
    }
    try cache.remove("1")
    versions[1] = nil
    try cache.flush()
    if isKilled { for key in 0..<9 where key != 1 { try set(cache, key, 3) } }
    if isKilled { for key in 0..<9 where key != 1 { versions[key] = 3 } }
    let copy = folder.path + ".copy"
    if isKilled { try FileManager.default.copyItem(atPath: folder.path, toPath: copy) }
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try cache.close()
    let path = isKilled ? copy : folder.path
    try stale.write(to: URL(fileURLWithPath: path + "/snapshot"))
    let again = try open(path)
    try check(again, versions)
    #expect(try !again.contains("1") && again.count == versions.count)
  }

  /// Any byte changed, any length: the rows are read.
  @Test(arguments: [false, true])
  func damagedOrTruncatedSnapshotIsNotBelieved(isEncrypted: Bool) throws {
    let versions = try filled(20, isEncrypted: isEncrypted)
    let url = URL(fileURLWithPath: folder.path + "/snapshot")
    let whole = try Data(contentsOf: url)
    for place in stride(from: 0, to: whole.count, by: isEncrypted ? 29 : 13) {
      var damaged = whole
      damaged[place] ^= 1 << UInt8(place % 8)
      if place % 4 == 0 { damaged = whole.prefix(place) }
      for bytes in [damaged, whole + damaged] {
        try bytes.write(to: url)
        let copy = folder.path + ".copy"
        try FileManager.default.copyItem(atPath: folder.path, toPath: copy)
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let cache = try open(copy, isEncrypted: isEncrypted)
        try check(cache, versions)
        #expect(cache.count == 20)
      }
    }
  }

  /// A call writes one block, whatever the number of entries. The file counts only if nothing has
  /// changed meanwhile.
  @Test func snapshotIsWrittenInSteps() throws {
    var versions = try filled(3_000)
    let cache = try open()
    #expect(cache.core.snapshotTransactions != nil)
    cache.core.sequence += 1 << 20
    var written: [Int] = []
    for key in [10, 2_990, 11, 2_991] {
      try set(cache, key, 2)
      versions[key] = 2
      written.append(cache.core.writing?.written ?? -1)
    }
    #expect(written == [1_024, 2_048, -1, -1] && cache.core.snapshotTransactions == nil)
    let copy = folder.path + ".copy"
    for isChanged in [true, false] {
      try cache.withCore { (core) throws(DiskCacheError) in try core.flush() }
      #expect(cache.withLock { $0.writeSnapshotBlock(names: true) })
      if isChanged { try set(cache, 10, 3) }
      if isChanged { versions[10] = 3 }
      while cache.withLock({ $0.writeSnapshotBlock(names: true) }) {}
      try FileManager.default.copyItem(atPath: folder.path, toPath: copy)
      defer { try? FileManager.default.removeItem(atPath: copy) }
      let again = try open(copy)
      #expect((again.core.snapshotTransactions == nil) == isChanged)
      try check(again, versions)
    }
  }

  /// A transaction takes the name away only if it is committed.
  @Test func nameOfASnapshotGoesWithTheFirstCommit() throws {
    var versions = try filled(20)
    let cache = try open()
    let index = try cache.core.openIndex()
    func named() throws -> Int64 {
      try index.connection.number("SELECT value != 0 FROM facts WHERE name = 'snapshot'")
    }
    for _ in 0..<2 {
      try index.log.beginIfNeeded()
      #expect(try named() == 0)
      cache.core.rollBack(index)
      #expect(try named() == 1)
    }
    try set(cache, 3, 2)
    versions[3] = 2
    #expect(try named() == 0)
    try cache.flush()
    #expect(try named() == 1)
    try check(cache, versions)
  }

  /// Each call that writes a snapshot fails once: no error, and all entries are found.
  @Test(arguments: ["append", "rename", "kind", "size", "read"], [0, 1, 2, 3])
  func failedWriteOfASnapshotLosesNothing(call: String, after: Int) throws {
    var versions = try filled(2_000)
    let files = FaultyFiles()
    let cache = try open(files: files)
    try set(cache, 5, 2)
    versions[5] = 2
    files.failsAfter(after, call)
    try cache.flush()
    files.set { $0.calls = [] }
    try cache.close()
    try check(open(), versions)
  }
}
