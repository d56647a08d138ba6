import Larder
import LarderEngine

/// A clock that stands until it is moved.
final class FuzzClock: CacheClock {
  private let now: Locked<UInt64>

  init(_ now: UInt64) { self.now = Locked(now) }

  var nowMicroseconds: UInt64 { now.withLock { $0 } }

  /// Moves it on, to its last moment at most.
  func advance(by microseconds: UInt64) {
    now.withLock { $0 = $0 > .max - microseconds ? .max : $0 + microseconds }
  }
}
