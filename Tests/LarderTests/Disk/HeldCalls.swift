import Foundation
import LarderEngine

/// Calls of a file layer that wait until a test lets them go on, as on a disk that hangs.
final class HeldCalls: Sendable {
  private struct State {
    var call: String?
    var waiting = 0
  }

  private let condition = NSCondition()
  private let state = Locked(State())

  /// From here on calls of this name wait.
  func hold(_ call: String) { state.withLock { $0.call = call } }

  /// How many wait.
  var waiting: Int { state.withLock { $0.waiting } }

  /// Lets all go on.
  func release() {
    condition.lock()
    state.withLock { $0.call = nil }
    condition.broadcast()
    condition.unlock()
  }

  /// Waits until `release`, at most so long, and says whether it came.
  func waitForRelease(seconds: Double) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    condition.lock()
    defer { condition.unlock() }
    while state.withLock({ $0.call != nil }) {
      if !condition.wait(until: end) { return false }
    }
    return true
  }

  /// A call: waits where it is to.
  func pass(_ call: String) {
    guard state.withLock({ $0.call == call }) else { return }
    condition.lock()
    state.withLock { $0.waiting += 1 }
    while state.withLock({ $0.call == call }) { condition.wait() }
    state.withLock { $0.waiting -= 1 }
    condition.unlock()
  }
}
