import Dispatch

/// A timer of the dispatch library. It has no thread while it waits.
final class DispatchAlarm: ExpiryAlarm {
  private struct Active: @unchecked Sendable {
    let timer: any DispatchSourceTimer
  }

  private let active: Active
  private let leeway: DispatchTimeInterval

  /// An alarm that may be `leeway` microseconds late, so that the system can wake for several
  /// timers at once.
  init(leeway: UInt64) {
    self.leeway = .microseconds(Int(clamping: leeway))
    active = Active(
      timer: DispatchSource.makeTimerSource(
        queue: DispatchQueue(label: "larder.expiry", qos: .utility)))
    active.timer.schedule(deadline: .distantFuture)
    // One that was never activated must not be destroyed.
    active.timer.activate()
  }

  deinit { stop() }

  func start(_ ring: @escaping @Sendable () -> Void) { active.timer.setEventHandler(handler: ring) }

  func set(after microseconds: UInt64) {
    // A year is enough: it rings early then, and is set again.
    let wait = DispatchTimeInterval.microseconds(Int(min(microseconds, 31_536_000_000_000)))
    active.timer.schedule(deadline: .now() + wait, leeway: leeway)
  }

  func stop() { active.timer.cancel() }
}
