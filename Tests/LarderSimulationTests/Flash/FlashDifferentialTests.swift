import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments

/// Layouts against plain arrays on random requests.
struct FlashDifferentialTests {
  private static let layouts: [(FlashLayout, UInt64)] = [
    (.log(region: 5000, reinsertHits: 0), 20_000), (.log(region: 5000, reinsertHits: 1), 10_000),
    (.log(region: 3000, reinsertHits: 2), 33_333), (.log(region: 700, reinsertHits: 1), 9000),
    (.sets, 4096), (.sets, 40_000),
    (.kangaroo(.init(log: Share(percent: 20), region: 2000)), 60_000),
    (.kangaroo(.init(log: Share(percent: 50), region: 4100, threshold: 1)), 40_000),
    (
      .kangaroo(.init(log: Share(percent: 30), region: 600, threshold: 3, reinsertHits: 0)),
      50_000
    ),
    (
      .kangaroo(.init(log: Share(percent: 40), region: 1000, threshold: 4, reinsertHits: 2)),
      30_000
    ),
  ]

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func countsEqualThoseOfArrays(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var numbers: [UInt64: Int] = [:]
    let objects = 50 + random.next() % 250
    let requests = (0..<4000).map { _ -> (key: UInt64, size: UInt32) in
      let key = min(random.next() % objects, random.next() % objects)
      numbers[key] = numbers[key] ?? numbers.count + 1
      // Sizes depend on keys; a few are too large for a region or a bucket.
      let size = key % 29 == 0 ? 4000 + key : (key &* 7919) % 900
      return (key, UInt32(size))
    }
    let trace = try FlashStand.trace(requests)
    for (layout, capacity) in Self.layouts {
      var naive = NaiveFlash(layout, capacity: capacity)
      for (key, size) in requests { naive.get(numbers[key] ?? 0, Int(size)) }
      let record = try #require(try FlashStand.record(layout, capacity: capacity, trace))
      let flash = try #require(record.flash)
      let found = [
        record.counts.hits, record.counts.evictions, record.counts.rejections, flash.writtenBytes,
        flash.insertedBytes, flash.reinsertedBytes,
      ]
      let expected = [
        naive.hits, naive.evictions, naive.refused, naive.written, naive.inserted, naive.again,
      ]
      #expect(found.map { Int($0) } == expected, "seed \(seed), \(layout), \(capacity)")
    }
  }
}
