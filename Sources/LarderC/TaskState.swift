import LarderSystem
import LarderTraces
import Synchronization

/// What a call is at, for whoever looks from another thread.
final class TaskState: Sendable {
  /// Asks the call to stop.
  let cancellation = Cancellation()

  private let doneRequests = Atomic<UInt64>(0)
  private let totalRequests = Atomic<UInt64>(0)

  /// Requests done, and in all; 0 where that is not known.
  var progress: (done: UInt64, total: UInt64) {
    (doneRequests.load(ordering: .relaxed), totalRequests.load(ordering: .relaxed))
  }

  /// Something begins that takes so many requests; 0 where that is not known.
  func begin(total: Int) {
    doneRequests.store(0, ordering: .relaxed)
    totalRequests.store(UInt64(clamping: total), ordering: .relaxed)
  }

  /// So many more requests are done.
  func advance(_ requests: Int) {
    doneRequests.wrappingAdd(UInt64(clamping: requests), ordering: .relaxed)
  }

  /// Progress of a preparation, which ends when the task is to stop.
  var preparation: PreparedTrace.Progress {
    { requests in
      try self.check()
      self.doneRequests.store(UInt64(clamping: requests), ordering: .relaxed)
    }
  }

  /// Ends the call when the task is to stop.
  ///
  /// - Throws: `CallError.cancelled`.
  func check() throws(CallError) {
    if cancellation.isRequested { throw .cancelled }
  }
}
