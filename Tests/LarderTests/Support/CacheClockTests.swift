import LarderEngine
import Testing

@testable import Larder

@Suite struct CacheClockTests {
  @Test func theMonotonicClockNeverGoesBack() {
    let clock = SystemCacheClock.monotonic()
    var last = clock.time
    #expect(last > 0)
    for _ in 0..<10_000 {
      let now = clock.time
      #expect(now >= last)
      last = now
    }
  }

  /// A machine whose suspensions a test decides: one clock stands still then, and one continues.
  private final class SleepingMachine: CacheClock {
    private let times = Locked((awake: UInt64(0), all: UInt64(0)))
    private let suspended = SuspendedTime()

    func run(seconds: UInt64, isAsleep: Bool = false) {
      times.withLock { times in
        if !isAsleep { times.awake += seconds * 1_000_000 }
        times.all += seconds * 1_000_000
      }
    }

    var now: CacheInstant {
      let times = times.withLock { $0 }
      return CacheInstant(microseconds: suspended.time(awake: times.awake) { times })
    }
  }

  @Test func entryExpiresWhileTheMachineSleeps() throws {
    let machine = SleepingMachine()
    machine.run(seconds: 100)
    let cache = try MemoryCache<String, Int>(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 10), clock: machine))
    cache.set(1, for: "k", timeToLive: .seconds(3_600))
    machine.run(seconds: 8 * 3_600, isAsleep: true)
    machine.run(seconds: 1)
    #expect(cache.value(for: "k") == nil)
  }

  @Test func suspensionIsAddedWithinASecondAndTimeNeverGoesBack() {
    let machine = SleepingMachine()
    var last = machine.time
    var all: UInt64 = 0
    for step in 0..<100 {
      let isAsleep = step % 7 == 3
      machine.run(seconds: 1, isAsleep: isAsleep)
      all += 1_000_000
      let now = machine.time
      #expect(now >= last && (isAsleep || now == all))
      last = now
    }
  }

  @Test func exactAndCoarseClocksAgree() {
    let (exact, coarse) = (SystemCacheClock.monotonic(isExact: true), SystemCacheClock.monotonic())
    let before = exact.time
    let time = coarse.time
    // Coarse by some ticks of the kernel, and by as long as the thread waited in between.
    #expect(time + 60_000_000 >= before && time <= exact.time)
  }
}
