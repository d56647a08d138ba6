import Testing

@testable import Larder

@Suite struct CacheClockTests {
  @Test func theMonotonicClockNeverGoesBack() {
    let clock = MonotonicCacheClock()
    var last = clock.time
    #expect(last > 0)
    for _ in 0..<10_000 {
      let now = clock.time
      #expect(now >= last)
      last = now
    }
  }
}
