import LarderEngine
import Testing

@Suite struct SizeHistogramTests {
  @Test func bucketsAreOrderedAndNarrow() {
    var last = -1
    for bytes: UInt32 in 0..<100_000 {
      let bucket = SizeHistogram.bucket(of: bytes)
      #expect(bucket == last || bucket == last + 1, "at \(bytes)")
      last = bucket
    }
    #expect(SizeHistogram.bucket(of: 15) == 15)
    #expect(SizeHistogram.bucket(of: 16) == 16)
    #expect(SizeHistogram.bucket(of: 17) == 16)
    #expect(SizeHistogram.bucket(of: 18) == 17)
    #expect(SizeHistogram.bucket(of: .max) == SizeHistogram.buckets - 1)
  }

  @Test func aBucketSpansAtMostAnEighth() {
    var first: [Int: UInt32] = [:]
    for shift in 0..<32 {
      for step: UInt32 in 0..<64 {
        let bytes = UInt32(truncatingIfNeeded: ((64 + UInt64(step)) << UInt64(shift)) >> 6)
        let bucket = SizeHistogram.bucket(of: bytes)
        let smallest = min(first[bucket] ?? bytes, bytes)
        first[bucket] = smallest
        #expect(Double(bytes) <= Double(smallest) * 1.125)
      }
    }
    #expect(first.count > 200)
  }

  @Test func countsAndSumsAreExact() {
    var histogram = SizeHistogram()
    for bytes: UInt32 in [1000, 1001, 0, .max, 1000] { histogram.add(bytes: bytes) }
    #expect(histogram.count == 5)
    #expect(histogram.bytes == 3001 + UInt64(UInt32.max))
    let bucket = SizeHistogram.bucket(of: 1000)
    #expect(histogram.counts[bucket] == 3)
    #expect(histogram.sums[bucket] == 3001)
  }
}
