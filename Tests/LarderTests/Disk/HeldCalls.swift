import Foundation
import LarderEngine

/// Calls of a file layer that wait until a test releases them, as on a hanging disk.
final class HeldCalls: Sendable {
  private struct State {
    var call: String?
    var waiting = 0
  }

  private let condition = NSCondition()
  private let state = Locked(State())

  func hold(_ call: String) { state.withLock { $0.call = call } }

  var waiting: Int { state.withLock { $0.waiting } }

  func release() {
    condition.lock()
    state.withLock { $0.call = nil }
    condition.broadcast()
    condition.unlock()
  }

  /// Waits until `release`, or for the time limit; returns false after the limit.
  func waitForRelease(seconds: Double) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    condition.lock()
    defer { condition.unlock() }
    while state.withLock({ $0.call != nil }) {
      if !condition.wait(until: end) { return false }
    }
    return true
  }

  /// Waits if calls of this name are held.
  func pass(_ call: String) {
    guard state.withLock({ $0.call == call }) else { return }
    condition.lock()
    state.withLock { $0.waiting += 1 }
    while state.withLock({ $0.call == call }) { condition.wait() }
    state.withLock { $0.waiting -= 1 }
    condition.unlock()
  }
}
