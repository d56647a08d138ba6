import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments

/// Layouts computed by hand.
struct FlashExampleTests {
  /// Three regions of 1,000 bytes. 1 and 2 fill the first (600 + 400), 3 the second, 4 the third; 1
  /// is hit. 5 reclaims the first region: 1 is rewritten, 2 evicted, and 5 does not fit behind 1
  /// (600 + 500), so the second region is reclaimed too: 3 is evicted.
  @Test func logRewritesHitObjects() throws {
    let trace = try FlashStand.trace([
      (1, 600), (2, 400), (3, 700), (4, 900), (1, 600), (5, 500), (1, 600), (2, 400),
    ])
    let record = try #require(
      try FlashStand.record(.log(region: 1000, reinsertHits: 1), capacity: 3999, trace))
    let flash = try #require(record.flash)
    #expect(record.counts.hits == 2 && record.counts.bytesHit == 1200)
    #expect(flash.inserted == 6 && flash.insertedBytes == 3500)
    #expect(flash.reinserted == 1 && flash.reinsertedBytes == 600)
    #expect(flash.writtenBytes == 4100)
    // 2 and 3; the second 2 fits behind 5.
    #expect(record.counts.evictions == 2)
  }

  /// A log of two regions of 512 bytes in front of one bucket, threshold 2. 1 and 2 fill the first
  /// region, 3 and 4 the second; 5 reclaims the first: all four move to the bucket in one write.
  /// The holes in the second region stay until it is reclaimed.
  @Test func kangarooMovesAllObjectsOfABucket() throws {
    let layout = FlashLayout.kangaroo(
      .init(log: Share(percent: 20), region: 512, threshold: 2, reinsertHits: 0))
    #expect(layout.regionCount(of: 5120) == 2 && layout.bucketCount(of: 5120) == 1)
    let requests: [(key: UInt64, size: UInt32)] =
      (1...5).map { ($0, 256) } + (1...5).map { ($0, 256) }
    let record = try #require(
      try FlashStand.record(layout, capacity: 5120, FlashStand.trace(requests)))
    let flash = try #require(record.flash)
    #expect(flash.moved == 4 && flash.bucketWrites == 1 && record.counts.hits == 5)
    #expect(flash.writtenBytes == 5 * 256 + 4096 && record.counts.evictions == 0)
  }

  @Test func operationsAndTimesHaveTheirUsualMeaning() throws {
    func at(_ second: UInt64, _ key: UInt64, _ operation: Operation) -> TraceRecord {
      TraceRecord(key: key, time: second * 1_000_000, size: 100, operation: operation)
    }
    let trace = try FlashStand.trace(
      [
        at(0, 1, .get), at(5, 1, .get), at(10, 1, .get), at(11, 1, .modify), at(12, 1, .get),
        at(13, 1, .set), at(14, 1, .get), at(15, 1, .delete), at(16, 1, .get), at(17, 2, .bypass),
        at(18, 2, .get), at(19, 3, .set), at(20, 3, .get),
      ], [.size, .time, .operation])
    for layout: FlashLayout in [
      .log(region: 1000, reinsertHits: 1), .sets, .kangaroo(.init(region: 1000)),
    ] {
      let record = try #require(
        try FlashStand.record(
          FlashStand.planned(layout, capacity: 1 << 20, timeToLiveSeconds: 10), trace))
      let counts = record.counts
      // Hits at 5, 12 (stale), 14 and 20; the entry of 0 has expired at 10.
      #expect(counts.requests == 9 && counts.hits == 4 && counts.staleHits == 1, "\(layout)")
      #expect(counts.expirations == 1 && counts.sets == 2 && counts.deletes == 1)
      #expect(record.flash?.inserted == 6)
    }
  }

  @Test func tooSmallCapacityIsAnError() throws {
    let trace = try FlashStand.trace([(1, 1)])
    #expect(throws: PolicyError.self) {
      try FlashStand.record(.log(region: 1000, reinsertHits: 0), capacity: 1999, trace)
    }
    #expect(throws: PolicyError.self) { try FlashStand.record(.sets, capacity: 4095, trace) }
    #expect(throws: PolicyError.self) {
      try FlashStand.record(.kangaroo(.init()), capacity: 10_000_000, trace)
    }
    #expect(FlashLayout.sets.fault(capacity: 1 << 50)?.contains("more than") ?? false)
  }

  @Test func countingBeginsAfterTheWarmUp() throws {
    let list = (0..<100).map {
      TraceRecord(key: UInt64($0), time: UInt64($0) * 1000, size: 100)
    }
    let trace = try FlashStand.trace(list, [.size, .time])
    var planned = FlashStand.planned(.log(region: 1000, reinsertHits: 0), capacity: 3000)
    planned.countsTime = true
    let warm = try FlashStand.record(planned, trace, warmUp: .requests(40))
    #expect(warm?.flash?.insertedBytes == 6000 && warm?.flash?.microseconds == 59_000)
    // 30 fit; the 31st request is the first to evict.
    let full = try FlashStand.record(planned, trace, warmUp: .untilFull)
    #expect(full?.flash?.inserted == 69 && full?.flash?.microseconds == 68_000)
    // Without a layout each stored object is written once.
    let plain = try FlashStand.record(FlashStand.planned(nil, capacity: 3000), trace)
    #expect(plain?.flash?.writtenBytes == 10_000 && plain?.flash?.microseconds == nil)
  }
}
