#if LARDER_SCHEDULES
  import Larder
  import LarderEngine

  /// A clock that advances only when a client advances it; reading it is a step.
  final class ScheduledClock: CacheClock, @unchecked Sendable {
    /// Microseconds, for clients.
    private(set) var time: UInt64 = 1_000_000_000

    var now: CacheInstant {
      Schedules.hook?.step()
      return CacheInstant(microseconds: time)
    }

    func advance(seconds: UInt64) { time += seconds * 1_000_000 }
  }
#endif
