import Foundation
import Larder
import Testing

/// Times of clocks, and the dates that they represent.
@Suite struct CacheInstantTests {
  /// A clock as an app's tests would define it.
  private struct StoppedClock: CacheClock {
    var now = CacheInstant(.seconds(1_000))
  }

  @Test func durationsAndDatesAgree() {
    let instant = CacheInstant(.seconds(1_000) + .microseconds(7))
    #expect(instant.microseconds == 1_000_000_007)
    #expect(CacheInstant(instant.date) == instant)
    #expect(CacheInstant(Date(timeIntervalSince1970: 1_000)) == CacheInstant(.seconds(1_000)))
    #expect(CacheInstant(.seconds(-1)).microseconds == 0)
    #expect(CacheInstant(Date(timeIntervalSince1970: -1)).microseconds == 0)
    #expect(CacheInstant(.seconds(Int64.max)).microseconds == UInt64(Int64.max))
    #expect(CacheInstant(Date(timeIntervalSince1970: 1e300)).microseconds == UInt64(Int64.max))
    #expect(CacheInstant(Date(timeIntervalSince1970: .nan)).microseconds == 0)
  }

  /// Present-day dates keep every microsecond.
  @Test func datesAreExactToAMicrosecond() {
    for microseconds: UInt64 in 1_764_000_000_123_400..<1_764_000_000_124_400 {
      #expect(
        CacheInstant(CacheInstant(microseconds: microseconds).date).microseconds == microseconds)
    }
  }

  @Test func instantsAreApartByDurations() {
    let (one, other) = (CacheInstant(.seconds(5)), CacheInstant(.seconds(8)))
    #expect(one < other && one.duration(to: other) == .seconds(3))
    #expect(other.duration(to: one) == .seconds(-3))
    #expect(one.advanced(by: .seconds(3)) == other && other.advanced(by: .seconds(-3)) == one)
    #expect(one.advanced(by: .seconds(-9)) == CacheInstant(.zero))
    let last = CacheInstant(microseconds: .max)
    #expect(last.advanced(by: .seconds(1)) == last)
    #expect(CacheInstant(.zero).duration(to: last) == .microseconds(Int64.max))
  }

  @Test func appsClockDeterminesExpiry() throws {
    var configuration = MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 10))
    configuration.clock = StoppedClock()
    let cache = try MemoryCache<Int, Int>(configuration)
    cache.set(1, for: 1, timeToLive: .seconds(1))
    #expect(cache.value(for: 1) == 1)
    #expect(cache.expiry(of: 1) == Expiry(1_001_000_000))
  }

  @Test func wallClocksGiveTheDate() {
    let before = Date()
    let now = SystemCacheClock.wall().now.date
    #expect(now.timeIntervalSince(before) > -0.001 && Date().timeIntervalSince(now) > -0.001)
  }
}
