#if LARDER_SCHEDULES
  import Larder
  import LarderEngine

  /// A clock that moves only when a client moves it; reading it is a step.
  final class ScheduledClock: CacheClock, @unchecked Sendable {
    /// Microseconds, for clients.
    private(set) var now: UInt64 = 1_000_000_000

    var nowMicroseconds: UInt64 {
      Schedules.hook?.step()
      return now
    }

    func advance(seconds: UInt64) { now += seconds * 1_000_000 }
  }
#endif
