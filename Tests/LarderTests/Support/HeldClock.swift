import Dispatch
import Larder
import LarderEngine

/// A clock one of whose next readers can be held up.
final class HeldClock: CacheClock, @unchecked Sendable {
  private let manual = ManualClock(seconds: 1000)
  /// Reads until one is held up; 0 for none.
  private let readsLeft = Locked(0)
  private let isHeld = Locked(false)
  private let mayGoOn = DispatchSemaphore(value: 0)

  var now: CacheInstant {
    let isHeldUp = readsLeft.withLock { readsLeft in
      guard readsLeft > 0 else { return false }
      readsLeft -= 1
      return readsLeft == 0
    }
    if isHeldUp {
      isHeld.withLock { $0 = true }
      mayGoOn.wait()
    }
    return manual.now
  }

  func advance(seconds: UInt64) { manual.advance(seconds: seconds) }

  /// Holds up the reader of this number from now on, which `body` brings about, until `release`.
  func hold(read: Int = 1, _ body: () -> Void) async {
    readsLeft.withLock { $0 = read }
    body()
    while !isHeld.withLock({ $0 }) { await Task.yield() }
  }

  func release() { mayGoOn.signal() }
}
