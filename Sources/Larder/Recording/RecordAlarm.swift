import Dispatch
import Synchronization

/// Wakes a thread that waits for a while.
final class RecordAlarm: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let isRung = Atomic<Bool>(false)

  init() {}

  /// Wakes the thread, or keeps it from its next sleep.
  func ring() {
    if !isRung.exchange(true, ordering: .acquiringAndReleasing) { semaphore.signal() }
  }

  /// Sleeps until the alarm is rung, at most for so long.
  func wait(milliseconds: Int) {
    if semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success {
      isRung.store(false, ordering: .sequentiallyConsistent)
    }
  }
}
