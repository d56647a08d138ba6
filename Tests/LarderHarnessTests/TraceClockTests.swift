import Testing

@testable import LarderHarness

@Suite struct TraceClockTests {
  @Test func timeNeverGoesBack() {
    let clock = TraceClock()
    #expect(clock.time == 0)
    for instant: UInt64 in [5, 3, 1 << 62, 1 << 63, 7, .max - 1, 1 << 63, .max] {
      let before = clock.time
      clock.advance(to: instant)
      #expect(clock.time == max(before, instant))
    }
  }
}
