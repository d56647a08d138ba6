import Larder
import LarderEngine

/// A clock that advances only on request.
final class FuzzClock: CacheClock {
  private let time: Locked<UInt64>
  /// The alarm of the caches with this clock.
  let alarm = FuzzAlarm()

  init(_ now: UInt64) { time = Locked(now) }

  var now: CacheInstant { CacheInstant(microseconds: time.withLock { $0 }) }

  /// Advances the clock, at most to its last instant, and rings the alarm.
  func advance(by microseconds: UInt64) {
    time.withLock { $0 = $0 > .max - microseconds ? .max : $0 + microseconds }
    alarm.ring()
  }
}
