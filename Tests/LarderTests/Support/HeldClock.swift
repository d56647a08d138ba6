import Dispatch
import Larder
import LarderEngine

/// A clock whose next reader can be held up.
final class HeldClock: CacheClock, @unchecked Sendable {
  private let manual = ManualClock(seconds: 1000)
  private let holds = Locked(false)
  private let isHeld = DispatchSemaphore(value: 0)
  private let mayGoOn = DispatchSemaphore(value: 0)

  var nowMicroseconds: UInt64 {
    let isFirst = holds.withLock { holds in
      defer { holds = false }
      return holds
    }
    if isFirst {
      isHeld.signal()
      mayGoOn.wait()
    }
    return manual.nowMicroseconds
  }

  func advance(seconds: UInt64) { manual.advance(seconds: seconds) }

  /// Holds the next reader up, which `body` brings about, until `release`.
  func hold(_ body: () -> Void) {
    holds.withLock { $0 = true }
    body()
    isHeld.wait()
  }

  func release() { mayGoOn.signal() }
}
