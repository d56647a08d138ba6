import Testing

@testable import Larder

@Suite struct DurationTests {
  @Test func microsecondsStopAtTheirEnds() {
    #expect(Duration.seconds(3).microseconds == 3_000_000)
    #expect(Duration.nanoseconds(2_999).microseconds == 2)
    #expect(Duration.nanoseconds(999).microseconds == 0)
    #expect(Duration.zero.microseconds == 0)
    #expect(Duration.seconds(-3).microseconds == 0)
    #expect(Duration.milliseconds(-1).microseconds == 0)
    let most = UInt64(Int64.max)
    #expect(Duration.seconds(Int64.max).microseconds == most)
    #expect(Duration.seconds(Int64.min).microseconds == 0)
    // More seconds than fit in 64 bits.
    #expect((Duration.seconds(Int64.max) * 8).microseconds == most)
    #expect((Duration.seconds(Int64.min) * 8).microseconds == 0)
    #expect(Duration.seconds(9_000_000_000_000).microseconds == 9_000_000_000_000_000_000)
  }

  @Test func costsOfAFetchAreFiniteAndNotNegative() {
    #expect(Float(2.5).asFetchCost == 2.5)
    #expect(Float(-2.5).asFetchCost == 0)
    #expect(Float(-0.0).asFetchCost.sign == .plus)
    #expect((-Float.infinity).asFetchCost == 0)
    #expect(Float.infinity.asFetchCost == .greatestFiniteMagnitude)
    #expect(Float.nan.asFetchCost == 1)
  }
}
