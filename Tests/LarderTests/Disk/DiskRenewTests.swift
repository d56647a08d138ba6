import Foundation
import LarderEngine
import Testing

@testable import Larder

/// Expired entries that are kept until their origin has been asked.
@Suite struct DiskRenewTests {
  private let folder: ScratchFolder
  private let files = FaultyFiles()
  private let clock = ManualClock(seconds: 1_000)

  init() throws { folder = try ScratchFolder() }

  private func open(
    policy: String = "lru", entriesMax: Int? = nil, durability: DiskDurability = .normal
  ) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        policy: CachePolicy(policy),
        limits: DiskLimits(bytes: nil, count: entriesMax, freeBytes: 0),
        durability: durability, inlineBytesMax: 100),
      clock: clock, files: files)
  }

  private let short = DiskStoreOptions(
    timeToLive: .seconds(10), version: "v1", contentType: "text/plain")

  @Test(arguments: [50, 3_000], DiskDurability.allCases)
  func renewalSurvivesReopening(size: Int, durability: DiskDurability) throws {
    let value = Data(repeating: 7, count: size)
    var cache = try open(durability: durability)
    try cache.set(value, for: "a", options: short)
    try cache.set(value, for: "b", options: DiskStoreOptions(timeToLive: .seconds(10)))
    let written = cache.statistics.bytesWritten
    clock.advance(seconds: 20)
    #expect(try cache.renew("a", timeToLive: .seconds(100), version: "v2"))
    #expect(try cache.renew("b", version: "v3"))
    #expect(try !cache.renew("nothing"))
    #expect(try !cache.renew("a", suite: "nowhere"))
    #expect(cache.statistics.bytesWritten == written)
    #expect(cache.statistics.renewals == 2)
    for isReopened in [false, true] {
      if isReopened {
        try cache.close()
        cache = try open(durability: durability)
      }
      let a = try #require(try cache.entry(for: "a"))
      #expect(a.data == value)
      #expect(a.metadata.version == "v2" && a.metadata.contentType == "text/plain")
      #expect(a.metadata.creation == 1_020_000_000)
      #expect(a.metadata.expiry.microseconds == 1_120_000_000)
      let b = try #require(try cache.entry(for: "b"))
      #expect(b.data == value && b.metadata.version == "v3")
      #expect(b.metadata.expiry == .never)
    }
    clock.advance(seconds: 100)
    #expect(try cache.value(for: "a") == nil)
    #expect(try cache.value(for: "b") == value)
  }

  @Test(arguments: [50, 3_000])
  func expiredEntryIsReturnedIfAccepted(size: Int) throws {
    let value = Data(repeating: 7, count: size)
    var cache = try open()
    try cache.set(value, for: "a", options: short)
    #expect(try cache.entry(for: "a", acceptingExpired: true)?.metadata.isExpired == false)
    clock.advance(seconds: 10)
    try cache.close()
    cache = try open()
    for _ in 0..<2 {
      let entry = try #require(try cache.entry(for: "a", acceptingExpired: true))
      #expect(entry.data == value && entry.metadata.isExpired && entry.metadata.version == "v1")
    }
    #expect(try cache.entry(for: "b", acceptingExpired: true) == nil)
    #expect(cache.statistics.hits == 0 && cache.statistics.misses == 3)
    #expect(cache.count == 1)
    try cache.renew("a", timeToLive: .seconds(1))
    #expect(try cache.entry(for: "a")?.metadata.isExpired == false)
    clock.advance(seconds: 1)
    #expect(try cache.value(for: "a") == nil)
    #expect(try cache.entry(for: "a", acceptingExpired: true) == nil, "an ordinary get removes it")
    #expect(try !cache.renew("a"))
  }

  @Test func renewalIsNotAnAccess() throws {
    var cache = try open(entriesMax: 2)
    try cache.set(Data(), for: "a", options: short)
    try cache.set(Data(), for: "b", options: short)
    try cache.renew("a", timeToLive: .seconds(500))
    try cache.set(Data(), for: "c")
    #expect(try !cache.contains("a"))
    #expect(try cache.removeAll().count == 2)
    try cache.close()
    // Except for a policy that orders by expiry.
    cache = try open(policy: "ttl", entriesMax: 2)
    try cache.set(Data(), for: "a", options: short)
    try cache.set(Data(), for: "b", options: DiskStoreOptions(timeToLive: .seconds(20)))
    try cache.renew("a", timeToLive: .seconds(500))
    try cache.set(Data(), for: "c", options: DiskStoreOptions(timeToLive: .seconds(30)))
    #expect(try cache.contains("a") && !cache.contains("b"))
    #expect(cache.tierCounts.bytesWritten == 3)
  }

  @Test func permanentEntriesStayPermanent() throws {
    let cache = try open()
    try cache.set(Data([1]), for: "a", options: DiskStoreOptions(isPermanent: true))
    clock.advance(seconds: 5)
    #expect(try cache.renew("a", timeToLive: .seconds(1), version: "v9"))
    clock.advance(seconds: 5)
    let metadata = try #require(try cache.entry(for: "a")?.metadata)
    #expect(metadata.isPermanent && metadata.version == "v9")
    #expect(metadata.creation == 1_005_000_000)
    #expect(metadata.expiry == .never)
  }

  @Test func rolledBackRenewalKeepsTheOldExpiry() throws {
    let cache = try open(durability: .none)
    try cache.set(Data([1]), for: "a", options: short)
    try cache.flush()
    clock.advance(seconds: 5)
    try cache.renew("a", timeToLive: .seconds(50), version: "v2")
    try cache.renew("a", timeToLive: .seconds(60), version: "v3")
    cache.core.rollBack(try cache.core.openIndex())
    let metadata = try #require(try cache.entry(for: "a")?.metadata)
    #expect(metadata.version == "v1")
    #expect(metadata.creation == 1_000_000_000)
    #expect(metadata.expiry.microseconds == 1_010_000_000)
  }

  /// Of a row of 20 KB only the first page changes.
  @Test func renewalDoesNotRewriteTheValue() throws {
    let cache = try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(limits: DiskLimits(freeBytes: 0)), clock: clock)
    try cache.set(Data(count: 20_000), for: "a", options: short)
    try cache.core.openIndex().connection.checkpoint()
    clock.advance(seconds: 5)
    try cache.renew("a", timeToLive: .seconds(10), version: "v2")
    #expect(try SystemFiles().size(folder.path + "/index.sqlite-wal") < 10_000)
  }

  @Test func givenCreationAndExpiryAreKept() throws {
    let cache = try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(age: .seconds(5), freeBytes: 0)), clock: clock)
    try cache.set(
      Data([1]), for: "a", options: DiskStoreOptions(timeToLive: .seconds(1), version: "v"),
      created: 17, expiry: Expiry(1_100_000_000))
    try cache.set(
      Data([1]), for: "b", options: DiskStoreOptions(), expiry: .never)
    clock.advance(seconds: 99)
    let metadata = try #require(try cache.entry(for: "a")?.metadata)
    #expect(metadata.creation == 17 && metadata.version == "v")
    #expect(metadata.expiry.microseconds == 1_100_000_000)
    #expect(try cache.renew("a", expiry: Expiry(1_200_000_000)))
    clock.advance(seconds: 99)
    #expect(try cache.contains("a"))
    clock.advance(seconds: 2)
    #expect(try cache.value(for: "a") == nil)
    #expect(try cache.entry(for: "b")?.metadata.creation == 1_000_000_000)
  }

  @Test func everySecondHitSinceStoringIsMarked() throws {
    let cache = try open()
    #expect(try !cache.toggleHitBefore("a"))
    try cache.set(Data(), for: "a")
    #expect(
      try (0..<5).map { _ in try cache.toggleHitBefore("a") } == [
        false, true, false, true, false,
      ])
    try cache.set(Data(), for: "a")
    #expect(try !cache.toggleHitBefore("a"))
    try cache.renew("a")
    #expect(try cache.toggleHitBefore("a"))
    #expect(try !cache.toggleHitBefore("a", suite: "other"))
  }
}
