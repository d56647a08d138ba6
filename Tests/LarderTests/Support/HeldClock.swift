import Dispatch
import Larder
import LarderEngine

/// A clock that can hold one of its next readers.
final class HeldClock: CacheClock, @unchecked Sendable {
  private let manual = ManualClock(seconds: 1000)
  /// Number of reads until one is held; 0 for none.
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

  /// Holds the reader with this number from now on, which `body` causes, until `release`.
  func hold(read: Int = 1, _ body: () -> Void) async {
    readsLeft.withLock { $0 = read }
    body()
    while !isHeld.withLock({ $0 }) { await Task.yield() }
  }

  func release() { mayGoOn.signal() }
}
