import Foundation
import LarderEngine
import Testing

@testable import Larder

@Suite struct EntryMetadataTests {
  private static let limit: UInt64 = 1 << 56

  private static func metadata(_ created: UInt64, _ expiry: Expiry) -> EntryMetadata {
    EntryMetadata(DiskMetadata(creation: created, expiry: expiry))
  }

  @Test(arguments: [0, 1, 0xFEDC_BA98_7654, limit - 2, limit - 1, limit, limit + 7, .max - 1, .max])
  func timesAreExact(_ instant: UInt64) throws {
    for other in [5, instant] {
      let expiring = Self.metadata(other, Expiry(instant))
      #expect(expiring.expiry.microseconds == instant)
      let note = Self.metadata(instant, Expiry(other))
      let held = MemoryRecord(7, created: instant, note)
      let hit = try #require(withUnsafePointer(to: held) { CacheHit(at: $0) })
      for hit in [hit, hit.with(value: 7), CacheHit(7, .memory, created: instant, note)] {
        #expect(hit.creation == instant)
        #expect(hit.expiry == Expiry(other))
        #expect(hit.value == 7)
        #expect(hit.tier == .memory)
        #expect(hit.freshness == .fresh)
      }
    }
  }

  @Test func plainEntriesNeedNoReferenceCounting() {
    #expect(Self.metadata(1, .never).facts == nil)
    #expect(Self.metadata(Self.limit - 1, Expiry(Self.limit - 2)).facts == nil)
    let plain = DiskMetadata(creation: 1, expiry: Expiry(2))
    let changes: [@Sendable (inout DiskMetadata) -> Void] = [
      { $0.version = "v" }, { $0.contentType = "t" }, { $0.isPermanent = true },
      { $0.fetchCost = 3 }, { $0.mustRevalidate = true },
    ]
    for change in changes {
      var metadata = plain
      change(&metadata)
      #expect(EntryMetadata(metadata).facts?.metadata == metadata)
      #expect(EntryMetadata(metadata).all(created: 7) == metadata)
    }
    #expect(EntryMetadata(plain, data: Data([4])).facts?.data == Data([4]))
    #expect(EntryMetadata(plain).all(created: 1) == plain)
  }

  @Test func hitPacksTierAndFreshnessWithTheTime() {
    for tier in HybridTier.allCases {
      for freshness in [CacheHit<Int>.Freshness.fresh, .revalidated, .stale] {
        let note = Self.metadata(Self.limit - 1, Expiry(9))
        let hit = CacheHit(1, tier, created: Self.limit - 1, note, freshness: freshness)
        #expect(hit.tier == tier)
        #expect(hit.freshness == freshness)
        #expect(hit.creation == Self.limit - 1)
        #expect(hit.with(freshness: .stale).freshness == .stale)
        #expect(hit.with(freshness: .stale).tier == tier)
      }
    }
  }

  @Test func anEntryIsFewBytes() {
    // Two words next to the value, and none for its optionality: the cost of a hit depends on it.
    #expect(MemoryLayout<EntryMetadata>.size == 8)
    #expect(MemoryLayout<MemoryRecord<Int>>.size == 24)
    #expect(MemoryLayout<MemoryRecord<String>>.size == 32)
    #expect(MemoryLayout<MemoryRecord<Data>>.size == 32)
    #expect(MemoryLayout<CacheHit<Int>?>.size == 24)
    #expect(MemoryLayout<CacheHit<Data>?>.size == 32)
  }

  @Test(arguments: [limit / 1_000_000 - 1, limit / 1_000_000 * 3])
  func timesOfAClockFarAheadAreExact(_ seconds: UInt64) throws {
    let folder = try ScratchFolder()
    let clock = ManualClock(seconds: seconds)
    let now = clock.time
    let cache = try HybridCache<String, Int>(
      path: folder.path,
      configuration: HybridTestCaches.configuration(
        memory: 1, rules: HybridRules(inclusion: .exclusive), clock: clock))
    try cache.set(1, for: "a", options: DiskStoreOptions(timeToLive: .seconds(2)))
    for tier in [HybridTier.memory, .disk] {
      let hit = try #require(try cache.entry(for: "a"))
      #expect(hit.tier == tier)
      #expect(hit.creation == now)
      #expect(hit.expiry.microseconds == now + 2_000_000)
      // It moves to disk.
      try cache.set(2, for: "b")
    }
  }
}
