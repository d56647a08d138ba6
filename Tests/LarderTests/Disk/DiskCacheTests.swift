import Foundation
import Testing

@testable import Larder

@Suite struct DiskCacheTests {
  private let folder: ScratchFolder
  private let clock = ManualClock(seconds: 1_000_000)

  init() throws { folder = try ScratchFolder() }

  private func open(
    _ limits: DiskLimits = DiskLimits(freeBytes: 0), policy: String = "lru",
    durability: DiskDurability = .normal
  ) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        policy: CachePolicy(policy), limits: limits, durability: durability, inlineBytesMax: 100
      ).countingValuesAlone,
      clock: clock)
  }

  private func bytes(_ count: Int, _ seed: UInt64 = 0) -> Data {
    var random = TestRandom(seed: seed)
    return Data((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
  }

  @Test(arguments: [0, 1, 7, 99, 100, 101, 5_000, 200_000], DiskDurability.allCases)
  func storedValuesSurviveReopening(size: Int, durability: DiskDurability) throws {
    let value = bytes(size, UInt64(size))
    let cache = try open(durability: durability)
    #expect(try cache.value(for: "key") == nil)
    try cache.set(Data("old".utf8), for: "key")
    try cache.set(value, for: "key")
    #expect(try cache.value(for: "key") == value)
    #expect(try folder.valueFiles().count == (size > 100 ? 1 : 0))
    try cache.close()
    let again = try open(durability: durability)
    #expect(try again.value(for: "key") == value)
    #expect(again.count == 1)
    #expect(again.valueBytes == UInt64(size))
    #expect(try again.remove("key"))
    #expect(try !again.remove("key"))
    #expect(try again.value(for: "key") == nil)
    try again.flush()
    try again.close()
    #expect(try folder.valueFiles().isEmpty)
  }

  @Test func metadataIsKept() throws {
    let cache = try open()
    try cache.set(
      bytes(10), for: "a",
      options: DiskStoreOptions(
        timeToLive: .seconds(60), version: "\"v1\"", contentType: "image/jpeg"))
    try cache.set(bytes(10), for: "b")
    try cache.close()
    let again = try open()
    let metadata = try #require(try again.entry(for: "a")?.metadata)
    #expect(metadata.version == "\"v1\"")
    #expect(metadata.contentType == "image/jpeg")
    #expect(metadata.creation == 1_000_000_000_000)
    #expect(metadata.expiry.microseconds == 1_000_060_000_000)
    #expect(!metadata.isPermanent)
    let plain = try #require(try again.entry(for: "b")?.metadata)
    #expect(plain.version == nil && plain.contentType == nil && plain.expiry == .never)
  }

  @Test func entriesExpireAlsoAcrossReopening() throws {
    let cache = try open(DiskLimits(age: .seconds(100), freeBytes: 0))
    try cache.set(bytes(5), for: "short", options: DiskStoreOptions(timeToLive: .seconds(10)))
    try cache.set(bytes(5), for: "long", options: DiskStoreOptions(timeToLive: .seconds(1000)))
    try cache.set(bytes(5), for: "nothing", options: DiskStoreOptions(timeToLive: .zero))
    #expect(try cache.value(for: "nothing") == nil)
    clock.advance(seconds: 9)
    #expect(try cache.contains("short"))
    clock.advance(seconds: 1)
    #expect(try !cache.contains("short"))
    #expect(try cache.value(for: "short") == nil)
    try cache.close()
    let again = try open()
    #expect(try again.contains("long"))
    clock.advance(seconds: 90)
    #expect(try again.removeExpired().count == 1)
    #expect(again.statistics.expirations == 1)
    #expect(again.count == 0)
  }

  @Test func permanentEntriesStayUntilTheyAreRemoved() throws {
    let cache = try open(DiskLimits(bytes: 50, age: .seconds(5), freeBytes: 0))
    let keep = DiskStoreOptions(timeToLive: .seconds(1), isPermanent: true)
    try cache.set(bytes(300, 1), for: "kept", options: keep)
    for number in 0..<20 { try cache.set(bytes(20), for: "\(number)") }
    clock.advance(seconds: 100)
    #expect(try cache.removeExpired().count == 2)
    try cache.set(bytes(20), for: "x")
    let freed = try cache.removeAll()
    #expect(freed.count == 1 && freed.valueBytes == 20)
    #expect(try cache.trim(toCount: 0).count == 0)
    try cache.close()
    let again = try open(DiskLimits(bytes: 50, freeBytes: 0))
    #expect(try again.entry(for: "kept")?.data == bytes(300, 1))
    #expect(try again.entry(for: "kept")?.metadata.isPermanent == true)
    try again.set(bytes(10, 2), for: "kept")
    #expect(again.count == 1 && again.valueBytes == 10)
    #expect(try again.removeAll().count == 1)
    try again.set(bytes(10, 2), for: "kept", options: keep)
    #expect(try again.remove("kept"))
    try again.set(bytes(10, 2), for: "kept", options: keep)
    #expect(try again.removeAll(includingPermanent: true).count == 1)
    #expect(again.count == 0 && again.valueBytes == 0)
  }

  @Test func bothLimitsHold() throws {
    let cache = try open(DiskLimits(bytes: 1_000, count: 7, freeBytes: 0))
    var random = TestRandom(seed: 4)
    for number in 0..<400 {
      try cache.set(bytes(random.below(400)), for: "\(random.below(60))")
      #expect(cache.count <= 7 && cache.valueBytes <= 1_000, "after \(number)")
    }
    #expect(cache.statistics.evictions > 100)
    #expect(try !cache.set(bytes(1_001), for: "large"))
    #expect(cache.statistics.rejections == 1)
  }

  @Test func suitesAreIndependent() throws {
    let cache = try open()
    try cache.set(bytes(300, 1), for: "key")
    try cache.set(bytes(200, 2), for: "key", suite: "images")
    try cache.set(bytes(10, 3), for: "other", suite: "images")
    try cache.set(bytes(20, 4), for: "key", suite: "e\u{301}")
    try cache.set(bytes(30, 5), for: "key", suite: "\u{e9}")
    try cache.close()
    let again = try open()
    #expect(try again.value(for: "key") == bytes(300, 1))
    #expect(try again.value(for: "key", suite: "images") == bytes(200, 2))
    #expect(try again.value(for: "key", suite: "e\u{301}") == bytes(20, 4))
    #expect(try again.value(for: "key", suite: "\u{e9}") == bytes(30, 5))
    #expect(try again.value(for: "key", suite: "unknown") == nil)
    let images = DiskSuiteUsage(name: "images", count: 2, bytes: 210)
    #expect(try again.suites().contains(images))
    let freed = try again.removeAll(suite: "images")
    #expect(freed.count == 2 && freed.valueBytes == 210 && freed.diskBytes >= 200)
    #expect(try again.value(for: "key", suite: "images") == nil)
    #expect(try again.removeAll(suite: "unknown") == Freed())
    #expect(again.count == 3)
  }

  @Test func clearingFreesDiskSpace() throws {
    let cache = try open()
    for number in 0..<300 { try cache.set(bytes(90), for: "row \(number)") }
    for number in 0..<20 { try cache.set(bytes(9_000), for: "file \(number)") }
    let before = cache.diskBytes
    #expect(before > 207_000)
    let freed = try cache.removeAll()
    #expect(freed.count == 320)
    #expect(freed.valueBytes == 300 * 90 + 20 * 9_000)
    #expect(freed.diskBytes == before - cache.diskBytes)
    #expect(cache.diskBytes < 40_000)
    #expect(try folder.valueFiles().isEmpty)
    try cache.set(bytes(9_000, 3), for: "again")
    #expect(try cache.value(for: "again") == bytes(9_000, 3))
  }

  @Test func trimsByBytesEntriesAndAge() throws {
    let cache = try open()
    for number in 0..<10 {
      try cache.set(bytes(50), for: "\(number)")
      clock.advance(seconds: 1)
    }
    #expect(try cache.trim(bytes: 400).count == 2)
    #expect(try !cache.contains("1"))
    #expect(try cache.contains("2"))
    #expect(try cache.trim(toCount: 5).valueBytes == 150)
    #expect(try cache.trim(toAge: .seconds(3)).count == 3)
    #expect(cache.count == 2)
    #expect(cache.statistics.trims == 8)
  }

  @Test func folderIsInUseUntilTheCacheIsClosed() throws {
    let cache = try open()
    #expect(throws: DiskCacheError.inUse(path: folder.path)) { try open() }
    try cache.close()
    #expect(throws: DiskCacheError.closed(path: folder.path)) { try cache.value(for: "a") }
    #expect(throws: DiskCacheError.closed(path: folder.path)) { try cache.set(Data(), for: "a") }
    let second = try open()
    #expect(second.count == 0)
  }

  @Test func badConfigurationsAreErrors() throws {
    #expect(throws: DiskCacheError.self) { try open(policy: "nonsense") }
    #expect(throws: DiskCacheError.self) { try open(policy: "belady") }
    #expect(throws: DiskCacheError.self) { try open(DiskLimits(bytes: 0)) }
  }
}
