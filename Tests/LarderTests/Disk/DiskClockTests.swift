import Foundation
import Testing

@testable import Larder

/// Entries that were stored while the clock was wrong.
@Suite struct DiskClockTests {
  private static let year: UInt64 = 365 * 86_400
  private let folder: ScratchFolder
  private let clock = ManualClock(seconds: 40 * year)

  init() throws { folder = try ScratchFolder(isSmall: true) }

  private func open() throws -> DiskCache {
    try DiskCache(
      path: folder.path, configuration: DiskConfiguration(limits: DiskLimits(freeBytes: 0)),
      clock: clock)
  }

  /// Stores an entry with a lifetime and one without, 13 years from now.
  private func fill(_ cache: DiskCache) throws {
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
    #expect(try !cache.contains("k") && Set(cache.keys()) == ["for ever", "permanent"])
    let expired = try cache.entry(for: "k", acceptingExpired: true)
    #expect(expired?.metadata.isExpired == true)
    #expect(try cache.value(for: "k") == nil)
    #expect(cache.statistics.expirations == 1 && cache.count == 2)
    #expect(try cache.value(for: "for ever") == Data([2]))
    #expect(try cache.value(for: "permanent") == Data([3]))
  }

  @Test func cleaningRemovesEntriesFromTheFuture() throws {
    let cache = try open()
    try fill(cache)
    #expect(try cache.removeExpired().count == 1)
    #expect(try cache.trim(toAge: .seconds(60)).count == 1)
    #expect(cache.count == 1)
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
