import Foundation
import Testing

@testable import Larder

/// Entries that were stored while the clock was wrong.
@Suite struct DiskClockTests {
  private static let year: UInt64 = 365 * 86_400
  private let folder: ScratchFolder
  private let clock = ManualClock(seconds: 40 * year)

  init() throws { folder = try ScratchFolder(isSmall: true) }

  private func open() throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path, configuration: DiskConfiguration(limits: DiskLimits(freeBytes: 0)),
      clock: clock)
  }

  /// Stores an entry with a lifetime and one without, 13 years from now.
  private func fill(_ cache: BlockingDiskCache) throws {
    clock.set(seconds: 53 * Self.year)
    try cache.set(Data([1]), for: "k", options: DiskStoreOptions(timeToLive: .seconds(60)))
    try cache.set(Data([2]), for: "for ever")
    try cache.set(Data([3]), for: "permanent", options: DiskStoreOptions(isPermanent: true))
    clock.set(seconds: 40 * Self.year)
  }

  @Test(arguments: [false, true])
  func entryFromTheFutureHasExpired(isReopened: Bool) throws {
    var cache = try open()
    try fill(cache)
    if isReopened {
      try cache.close()
      cache = try open()
    }
    #expect(try cache.keys() == ["permanent"])
    for key in ["k", "for ever"] {
      #expect(try !cache.contains(key))
      let expired = try cache.entry(for: key, acceptingExpired: true)
      #expect(expired?.metadata.isExpired == true)
      #expect(try cache.value(for: key) == nil)
    }
    #expect(cache.statistics.expirations == 2 && cache.count == 1)
    #expect(try cache.value(for: "permanent") == Data([3]))
  }

  @Test func cleaningRemovesEntriesFromTheFuture() throws {
    let cache = try open()
    try fill(cache)
    #expect(try cache.removeExpired().count == 2)
    try fill(cache)
    #expect(try cache.trim(toAge: .seconds(60)).count == 2)
    #expect(cache.count == 1)
  }

  @Test func entryWithoutExpiryFromTheFutureHasExpiredEverywhere() throws {
    var configuration = HybridCacheConfiguration()
    configuration.disk = DiskConfiguration(limits: DiskLimits(freeBytes: 0), isShared: true)
    configuration.clock = clock
    let cache = try HybridCache<String, String>(path: folder.path, configuration: configuration)
    clock.set(seconds: 53 * Self.year)
    try cache.set("v", for: "k")
    try cache.set("p", for: "permanent", options: DiskStoreOptions(isPermanent: true))
    let reader = try DiskCacheReader(path: folder.path, clock: clock)
    #expect(try reader.contains("k"))
    clock.set(seconds: 40 * Self.year)
    #expect(try !reader.contains("k") && reader.contains("permanent"))
    // A call that needs more than a hit in memory.
    _ = try cache.value(for: "other")
    #expect(try cache.value(for: "k") == nil)
    #expect(try cache.value(for: "permanent") == "p")
  }

  @Test func smallClockAdjustmentRemovesNothing() throws {
    let cache = try open()
    try cache.set(Data([1]), for: "k", options: DiskStoreOptions(timeToLive: .seconds(60)))
    clock.set(seconds: 40 * Self.year - 3_000)
    #expect(try cache.value(for: "k") == Data([1]))
    #expect(try cache.removeExpired().count == 0)
    #expect(try cache.trim(toAge: .seconds(60)).count == 0)
  }
}
