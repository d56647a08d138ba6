#if LARDER_SCHEDULES
  import Larder
  import LarderEngine

  final class ScheduledClock: CacheClock, @unchecked Sendable {
    private(set) var time: UInt64 = 1_000_000_000

    var now: CacheInstant {
      Schedules.hook?.step()
      return CacheInstant(microseconds: time)
    }

    func advance(seconds: UInt64) { time += seconds * 1_000_000 }
  }
#endif
