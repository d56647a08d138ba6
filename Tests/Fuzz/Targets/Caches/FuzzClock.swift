import Larder
import LarderEngine

/// A clock that stands until it is moved.
final class FuzzClock: CacheClock {
  private let time: Locked<UInt64>
  /// The alarm of the caches that go by it.
  let alarm = FuzzAlarm()

  init(_ now: UInt64) { time = Locked(now) }

  var now: CacheInstant { CacheInstant(microseconds: time.withLock { $0 }) }

  /// Moves it on, to its last moment at most, and rings the alarm.
  func advance(by microseconds: UInt64) {
    time.withLock { $0 = $0 > .max - microseconds ? .max : $0 + microseconds }
    alarm.ring()
  }
}
